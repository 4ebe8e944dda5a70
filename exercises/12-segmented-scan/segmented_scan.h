// Interface of the exercise "segmented-scan". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// How many bytes of device memory `segmented_scan` needs as its workspace for `n` elements. The grader asks
/// before each call and grants at most n / 16 + 65 536 bytes.
std::size_t segmented_scan_workspace_bytes(int n);

/// Inclusive sums within segments: out[i] is the sum of values[j] over b ≤ j ≤ i, where b is the largest
/// index up to i at which a segment begins. A segment begins at index 0, and at every index i at which
/// flags[i] is odd.
///
/// @param values    device memory, n elements; must not be changed
/// @param flags     device memory, n bytes; must not be changed. The lowest bit of a byte is the flag, the
/// others
///                  may be anything
/// @param out       device memory, n elements; does not overlap the inputs
/// @param n         0 or more; for 0 there is nothing to do
/// @param workspace device memory, as many bytes as segmented_scan_workspace_bytes(n) says, holding anything:
///                  what must have a value before it is read gets it from you
/// @param stream    on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes. Sums are modulo 2^32, so they may be formed in any order.
void segmented_scan(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out, int n,
                    void* workspace, cudaStream_t stream);
