// Interface of the exercise "coalescing". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

/// What a simulation keeps of a particle, together in 32 bytes.
struct Particle {
  float x, y, z, mass;
  float vx, vy, vz, charge;
};

/// The members of a Particle, and the rows of `fields`, in the same order.
inline constexpr int kFields = 8;

/// Moves every particle along its velocity for one step of time, and turns the array of structures into a
/// structure of arrays. Member f of particle i goes to fields[f * pitch + i] for 0 ≤ i < n; of its members
/// x becomes x + time_step * vx, y and z likewise, and the others stay what they are. The rest of each row,
/// fields[f * pitch + i] for n ≤ i < pitch, becomes 0.
///
/// @param particles device memory, n particles; must not be changed
/// @param fields    device memory, kFields rows of `pitch` floats; does not overlap `particles`
/// @param n         how many particles, 0 or more
/// @param pitch     floats from the start of a row to the start of the next: n or more, a multiple of 32;
///                  kFields × pitch fits in an int
/// @param time_step the length of the step, positive or negative
/// @param stream    on which all the work is enqueued
///
/// Both buffers start at a multiple of 256 bytes, so every row starts at a multiple of 128 bytes. The numbers
/// are such that neither the product nor the sum is rounded, with or without a fused multiply-add.
void coalescing(const Particle* particles, float* fields, int n, int pitch, float time_step,
                cudaStream_t stream);
