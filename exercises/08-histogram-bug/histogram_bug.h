// Interface of the exercise "histogram-bug". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// Counts how often each value occurs among `n` samples, as the exercise "histogram" asks: counts[b] becomes
/// the number of i with first ≤ i < first + n and samples[i] == b, for 0 ≤ b < bins. Samples of `bins` or
/// more are not counted.
///
/// @param samples      device memory, an array of unsigned integers that holds at least first + n of them;
///                     must not be changed
/// @param sample_bytes 1: the samples are unsigned char, and `bins` is 1 to 256;
///                     4: they are unsigned int, and `bins` is 1 to 4096
/// @param first        where the samples to count begin, in samples
/// @param n            how many there are, 0 or more; may exceed 2^31
/// @param counts       device memory, `bins` counts, holding anything; does not overlap `samples`
/// @param bins         number of counts
/// @param stream       on which all the work is enqueued
void histogram_bug(const void* samples, int sample_bytes, std::size_t first, std::size_t n,
                   unsigned long long* counts, int bins, cudaStream_t stream);
