// Interface of the exercise "reverse". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// out[i] = in[n - 1 - i] for 0 ≤ i < n.
///
/// @param in      device memory, n numbers; must not be changed
/// @param out     device memory, n numbers; does not overlap `in`
/// @param n       how many, 0 or more
/// @param stream  on which all the work is enqueued
void reverse(const std::uint32_t* in, std::uint32_t* out, int n, cudaStream_t stream);
