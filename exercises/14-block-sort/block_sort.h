// Interface of the exercise "block-sort". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdint>

/// Sorts each row of a matrix by itself, ascending: sorted[row * length] to sorted[row * length + length - 1]
/// become the keys of that row of `keys`, each as often as it is there, the smallest first.
///
/// @param keys   device memory, rows × length keys, one row after the other; must not be changed
/// @param sorted device memory, as large as `keys`; does not overlap it
/// @param rows   0 to 1 000 000; rows × length fits in an int
/// @param length of each row, 0 to 1024
/// @param stream on which all the work is enqueued
///
/// Both buffers start at a multiple of 256 bytes; the rows start wherever `length` puts them. Keys are
/// without sign and have any value, 0 and 0xffffffff too. When `rows` or `length` is 0 there are no keys and
/// nothing is to be done.
void block_sort(const std::uint32_t* keys, std::uint32_t* sorted, int rows, int length, cudaStream_t stream);
