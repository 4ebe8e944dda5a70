// Interface of the exercise "reduction". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// How many bytes of device memory `reduction` needs as its workspace for `n` elements. The grader asks
/// before each call and grants at most n / 16 + 65 536 bytes.
std::size_t reduction_workspace_bytes(int n);

/// Adds up n floats: *sum becomes in[0] + in[1] + … + in[n - 1], and 0 for n = 0.
///
/// @param in        device memory, n floats, all finite; must not be changed
/// @param n         0 or more
/// @param sum       device memory, one float
/// @param workspace device memory, as many bytes as reduction_workspace_bytes(n) says, holding anything:
///                  what must have a value before it is read gets it from you
/// @param stream    on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes. The elements may be added in any order. What comes out may
/// differ from the exact sum by 2^-18 of the sum of all magnitudes. Where all elements are whole numbers, and
/// their magnitudes add up to less than 2^24, any order gives the exact sum, and it is asked for.
void reduction(const float* in, int n, float* sum, void* workspace, cudaStream_t stream);
