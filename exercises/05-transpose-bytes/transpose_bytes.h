// Interface of the exercise "transpose-bytes". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

/// Writes the transpose of a matrix of bytes: out[c * rows + r] = in[r * columns + c] for 0 ≤ r < rows, 0 ≤ c
/// < columns.
///
/// @param in      device memory, rows × columns bytes, row after row without gaps; must not be changed
/// @param out     device memory, columns × rows bytes, row after row without gaps; does not overlap `in`
/// @param rows    of `in`, 0 to 1 000 000
/// @param columns of `in`, 0 to 1 000 000; rows × columns fits in an int
/// @param stream  on which all the work is enqueued
///
/// Both buffers start at a multiple of 256 bytes; their rows start wherever the lengths put them. Every row
/// of `in` starts at a multiple of 4 bytes if `columns` is a multiple of 4, and every row of `out` if `rows`
/// is a multiple of 4. When `rows` or `columns` is 0 the matrix has no elements and nothing is to be done.
void transpose_bytes(const unsigned char* in, unsigned char* out, int rows, int columns, cudaStream_t stream);
