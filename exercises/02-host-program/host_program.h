// Interface of the exercise "host-program". The grader calls the function at the end; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#ifdef __CUDACC__

/// The kernel of this exercise, with one thread per element: out[i] is in[i] with its bits mixed.
/// @param in   n numbers in device memory
/// @param out  n numbers in device memory
/// @param n    1 or more
static __global__ void mix_kernel(const std::uint32_t* in, std::uint32_t* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  std::uint32_t value = in[i];
  value = (value ^ value >> 16) * 0x7FEB352DU;
  value = (value ^ value >> 15) * 0x846CA68BU;
  out[i] = value ^ value >> 16;
}

#endif

/// Has mix_kernel write out[i] for 0 ≤ i < n. The arrays lie in pinned host memory, and so does the result
/// when the function returns: it waits for all that it has started. The function keeps nothing for its next
/// call; what it makes (memory, streams, events) it also releases. Where n is large, copies of one part of
/// the arrays overlap with copies of another.
///
/// @param in   n numbers in pinned host memory, which must not be changed
/// @param out  n numbers in pinned host memory; it does not overlap in
/// @param n    0 or more, less than 2^30
/// @return cudaSuccess, or the error of a CUDA call that failed; then out may hold anything, and everything
///         is released all the same
cudaError_t host_program(const std::uint32_t* in, std::uint32_t* out, int n);
