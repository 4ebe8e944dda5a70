// Interface of the exercise "coalescing-bug". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

/// Moves every particle along its velocity for one step of time, and turns the array of structures into a
/// structure of arrays, as the exercise "coalescing" asks. A particle has eight members, in this order: x, y,
/// z, mass, vx, vy, vz, charge. Member f of particle i goes to fields[f * pitch + i] for 0 ≤ i < n; of its
/// members x becomes x + time_step * vx, y and z likewise, and the others stay what they are. The rest of
/// each row, fields[f * pitch + i] for n ≤ i < pitch, becomes 0.
///
/// @param particles device memory, n particles of two vectors each; must not be changed
/// @param fields    device memory, eight rows of `pitch` floats; does not overlap `particles`
/// @param n         how many particles, 0 or more
/// @param pitch     floats from the start of a row to the start of the next: n or more, a multiple of 32;
///                  8 × pitch fits in an int
/// @param time_step the length of the step, positive or negative
/// @param stream    on which all the work is enqueued
///
/// Both buffers start at a multiple of 256 bytes, so every row starts at a multiple of 128 bytes.
void coalescing_bug(const float4* particles, float* fields, int n, int pitch, float time_step,
                    cudaStream_t stream);
