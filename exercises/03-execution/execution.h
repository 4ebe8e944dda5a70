// Interface of the exercise "execution". The grader calls the three functions at the end, each for itself;
// never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

#ifdef __CUDACC__

// What becomes of a value, by its kind: 0, 1 or 2. Each takes about 200 instructions, and shares none with
// another.

/// Of kind 0.
/// @param value  any
__device__ inline std::uint32_t shifted(std::uint32_t value) {
#pragma unroll 1
  for (int step = 0; step < 24; ++step) {
    value ^= value << 13;
    value ^= value >> 17;
    value ^= value << 5;
  }
  return value;
}

/// Of kind 1.
/// @param value  any
__device__ inline std::uint32_t multiplied(std::uint32_t value) {
#pragma unroll 1
  for (int step = 0; step < 24; ++step) {
    value = (value ^ value >> 16) * 0x7FEB352DU;
    value = (value ^ value >> 15) * 0x846CA68BU;
  }
  return value;
}

/// Of kind 2.
/// @param value  any
__device__ inline std::uint32_t rotated(std::uint32_t value) {
#pragma unroll 1
  for (int step = 0; step < 24; ++step) {
    value = (value << 7 | value >> 25) + 0x9E3779B9U;
    value ^= value >> 11;
  }
  return value;
}

#endif

// All pointers are to device memory and start at a multiple of 256 bytes; buffers do not overlap. What is
// const must not be changed. Every buffer has fewer than 2^30 elements, so that indices fit in an int.

/// Kinds in turns: for 0 ≤ i < n, out[i] is shifted(in[i]) where i % 3 is 0, multiplied(in[i]) where it is 1,
/// and rotated(in[i]) where it is 2.
///
/// @param in      n numbers
/// @param out     n numbers
/// @param n       0 or more
/// @param stream  on which all the work is enqueued
void in_turns(const std::uint32_t* in, std::uint32_t* out, int n, cudaStream_t stream);

/// Kinds without order, and a list of the elements by kind: out[i] is shifted(in[i]) where kind[i] is 0,
/// multiplied(in[i]) where it is 1, and rotated(in[i]) where it is 2, for 0 ≤ i < n.
///
/// @param in      n numbers
/// @param kind    n numbers from 0 to 2
/// @param order   0 … n − 1, each once: first the elements of kind 0, then those of kind 1, then those of
/// kind 2
/// @param out     n numbers
/// @param n       0 or more
/// @param stream  on which all the work is enqueued
void by_kind(const std::uint32_t* in, const int* kind, const int* order, std::uint32_t* out, int n,
             cudaStream_t stream);

/// Rows that are not as long as a warp is wide: out[r · columns + c] = shifted(in[r · columns + c] ^ key[r]),
/// for 0 ≤ r < rows and 0 ≤ c < columns.
///
/// @param in       rows × columns numbers
/// @param key      `rows` numbers
/// @param out      rows × columns numbers
/// @param rows     0 or more
/// @param columns  0 or more
/// @param stream   on which all the work is enqueued
void short_rows(const std::uint32_t* in, const std::uint32_t* key, std::uint32_t* out, int rows, int columns,
                cudaStream_t stream);
