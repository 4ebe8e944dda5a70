// Interface of the exercise "first-kernels". The grader calls these functions, each for itself; never edit
// this file.
#pragma once

#include <cuda_runtime_api.h>

// All pointers are to device memory and start at a multiple of 256 bytes; buffers do not overlap. What is
// const must not be changed. Every buffer has fewer than 2^30 elements, so that indices fit in an int.

/// A map: out[i] is in[i], but no less than `low` and no more than `high`, for 0 ≤ i < n.
///
/// @param in      n numbers
/// @param out     n numbers
/// @param n       0 or more
/// @param low     the least that remains
/// @param high    the largest that remains, `low` or more
/// @param stream  on which all the work is enqueued
void limit(const int* in, int* out, int n, int low, int high, cudaStream_t stream);

/// A zip: out[i] = (1 − weight) · a[i] + weight · b[i], for 0 ≤ i < n. The numbers are such that nothing is
/// rounded, with or without a fused multiply-add.
///
/// @param a       n numbers
/// @param b       n numbers
/// @param out     n numbers
/// @param n       0 or more
/// @param weight  from 0 to 1
/// @param stream  on which all the work is enqueued
void blend(const float* a, const float* b, float* out, int n, float weight, cudaStream_t stream);

/// A gather: out[i] = table[index[i]] where 0 ≤ index[i] < entries, and −1 where the table has no such entry,
/// for 0 ≤ i < n.
///
/// @param table    `entries` numbers
/// @param index    n numbers of either sign
/// @param out      n numbers
/// @param n        0 or more
/// @param entries  1 or more
/// @param stream   on which all the work is enqueued
void look_up(const int* table, const int* index, int* out, int n, int entries, cudaStream_t stream);

/// A scatter: out[to[i]] = i, for 0 ≤ i < n.
///
/// @param to      a permutation: each of the numbers 0 … n − 1 once
/// @param out     n numbers
/// @param n       0 or more
/// @param stream  on which all the work is enqueued
void inverse(const int* to, int* out, int n, cudaStream_t stream);

/// A stencil: out[i] = in[i + 1] − in[i − 1], for 0 ≤ i < n. Where one of these does not exist, in[i] takes
/// its place.
///
/// @param in      n numbers whose differences are ints too
/// @param out     n numbers
/// @param n       0 or more
/// @param stream  on which all the work is enqueued
void slope(const int* in, int* out, int n, cudaStream_t stream);

/// A map in two dimensions: an image is mirrored from left to right, and the padding at the end of its rows
/// is left out. out[r · columns + c] = in[r · pitch + columns − 1 − c], for 0 ≤ r < rows and 0 ≤ c < columns.
///
/// @param in       rows × pitch bytes; those of a row from `columns` on are padding and may hold anything
/// @param out      rows × columns bytes
/// @param rows     0 to 500 000
/// @param columns  0 or more
/// @param pitch    bytes from the start of a row to the start of the next, `columns` or more
/// @param stream   on which all the work is enqueued
void mirror(const unsigned char* in, unsigned char* out, int rows, int columns, int pitch,
            cudaStream_t stream);
