// Interface of the exercise "tensor-cores". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Multiplies two matrices of bfloat16, C = A · B, with sums in float: element (row, column) of C becomes the
/// sum of A(row, i) · B(i, column) over all i from 0 to k - 1.
///
/// @param a      device memory, A: m rows of k elements, row by row; must not be changed
/// @param b      device memory, B: k rows of n elements, row by row; must not be changed
/// @param c      device memory, C: m rows of n floats, row by row; all are to be written; overlaps no input
/// @param m      rows of A and of C, 0 to 65 535
/// @param n      columns of B and of C, a multiple of 8, 0 to 65 528
/// @param k      columns of A and rows of B, a multiple of 8, 0 to 65 528; with k = 0 all of C is 0
/// @param stream on which all the work is enqueued
///
/// An element of A or B is the 16 bits of a bfloat16, the upper half of a float. All buffers start at a
/// multiple of 256 bytes, so that every row starts at a multiple of 16 bytes; no matrix has more than 2^31 -
/// 1 elements. A product of two elements is exact in a float. The sums may be formed in any order, and each
/// addition may round to nearest or cut bits off, as tensor cores do.
void tensor_cores(const std::uint16_t* a, const std::uint16_t* b, float* c, int m, int n, int k,
                  cudaStream_t stream);
