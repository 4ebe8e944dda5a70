// Interface of the exercise "block-scan-bug". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

/// Exclusive prefix sums of many independent segments, as the exercise "block-scan" asks: out[s * length + i]
/// is the sum of in[s * length + j] over 0 ≤ j < i, for 0 ≤ s < segments and 0 ≤ i < length.
///
/// @param in       device memory, segments × length ints, one segment after the other; must not be changed
/// @param out      device memory, as large as `in`; does not overlap it
/// @param segments 0 to 1 000 000; segments × length fits in an int
/// @param length   of each segment, 0 to 1024
/// @param stream   on which all the work is enqueued
///
/// The sum of every run of consecutive elements of a segment fits in an int.
void block_scan_bug(const int* in, int* out, int segments, int length, cudaStream_t stream);
