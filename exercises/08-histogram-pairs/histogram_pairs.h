// Interface of the exercise "histogram-pairs". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

/// Counts how often each pair of symbols occurs at a distance: counts[v · values + w] becomes the number of i
/// with symbols[i] == v and symbols[i + distance] == w, for 0 ≤ i and i + distance < n.
///
/// @param symbols   device memory, at least n bytes, of which the first n are symbols, each less than
///                  `values`; what lies behind them may be anything; must not be changed
/// @param n         how many symbols there are, 0 or more, and fewer than 2^30; may be less than `distance`
/// @param distance  from the first symbol of a pair to the second, 1 to 32
/// @param counts    device memory, values · values counts, row-major, a row for each first symbol; holds
///                  anything; does not overlap `symbols`
/// @param values    how many values a symbol may have, 1 to 32
/// @param stream    on which all the work is enqueued
///
/// Both buffers start at a multiple of 256 bytes.
void histogram_pairs(const unsigned char* symbols, int n, int distance, unsigned* counts, int values,
                     cudaStream_t stream);
