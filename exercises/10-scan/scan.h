// Interface of the exercise "scan". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// How many bytes of device memory `scan` needs as its workspace for `n` elements. The grader asks before
/// each call and grants at most n / 16 + 65 536 bytes.
std::size_t scan_workspace_bytes(int n);

/// Exclusive prefix sums: out[i] is the sum of in[j] over 0 ≤ j < i, for 0 ≤ i < n. out[0] becomes 0.
///
/// @param in        device memory, n ints; must not be changed
/// @param out       device memory, n ints; does not overlap `in`
/// @param n         0 or more; for 0 there is nothing to do
/// @param workspace device memory, as many bytes as scan_workspace_bytes(n) says, holding anything: what
/// must have a
///                  value before it is read gets it from you
/// @param stream    on which all the work is enqueued
///
/// All three buffers start at a multiple of 256 bytes. The sum of every run of consecutive elements fits in
/// an int, so sums may be formed in any order.
void scan(const int* in, int* out, int n, void* workspace, cudaStream_t stream);
