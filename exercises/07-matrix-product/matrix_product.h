// Interface of the exercise "matrix-product". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

/// Multiplies two matrices, C = A · B: element (row, column) of C becomes the sum of A(row, i) · B(i, column)
/// over all i from 0 to k - 1.
///
/// @param a      device memory, A: m rows of k floats, row by row; must not be changed
/// @param b      device memory, B: k rows of n floats, row by row; must not be changed
/// @param c      device memory, C: m rows of n floats, row by row; all are to be written; overlaps no input
/// @param m      rows of A and of C, 0 to 65 535
/// @param n      columns of B and of C, 0 to 65 535
/// @param k      columns of A and rows of B, 0 to 65 535; with k = 0 all elements of C are 0
/// @param stream on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes, and no matrix has more than 2^31 - 1 elements. A row begins
/// at a multiple of 16 bytes only where the rows' length is a multiple of 4. Elements are floats of which all
/// products are whole numbers, and no sum of the products' magnitudes exceeds 2^24: the sums may be formed in
/// any order, and each is exact.
void matrix_product(const float* a, const float* b, float* c, int m, int n, int k, cudaStream_t stream);
