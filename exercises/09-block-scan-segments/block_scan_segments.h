// Interface of the exercise "block-scan-segments". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

/// Inclusive sums of segments within the rows of a matrix. A segment begins with the first element of every
/// row, and with every element whose flag is not 0; it ends where the next one begins, or with the row.
/// out[r * columns + c] is the sum of values[r * columns + j] over b ≤ j ≤ c, for 0 ≤ r < rows and
/// 0 ≤ c < columns, where b is the column in which the segment of column c begins: the largest b ≤ c with
/// b == 0 or flags[r * columns + b] != 0.
///
/// @param values  device memory, rows × columns ints, row after row; must not be changed
/// @param flags   device memory, as large as `values`: 0, or any other number where a segment begins; must
///                not be changed
/// @param out     device memory, as large as `values`; overlaps neither input
/// @param rows    0 to 1 000 000; rows × columns fits in an int
/// @param columns 0 to 1024
/// @param stream  on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes; the rows start wherever `columns` puts them. When `rows` or
/// `columns` is 0 there are no elements and nothing is to be done. The sum of every run of consecutive
/// elements of a row fits in an int, so sums may be formed in any order.
void block_scan_segments(const int* values, const int* flags, int* out, int rows, int columns,
                         cudaStream_t stream);
