// Interface of the exercise "scan-bug". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// How many bytes of device memory `scan_bug` needs as its workspace for `n` elements. The grader asks before
/// each call and grants at most n / 16 + 65 536 bytes.
std::size_t scan_bug_workspace_bytes(int n);

/// Exclusive prefix sums, as the exercise "scan" asks: out[i] is the sum of in[j] over 0 ≤ j < i, for 0 ≤ i <
/// n.
///
/// @param in        device memory, n ints; must not be changed
/// @param out       device memory, n ints; does not overlap `in`
/// @param n         0 or more; for 0 there is nothing to do
/// @param workspace device memory, as many bytes as scan_bug_workspace_bytes(n) says, holding anything
/// @param stream    on which all the work is enqueued
///
/// The sum of every run of consecutive elements fits in an int.
void scan_bug(const int* in, int* out, int n, void* workspace, cudaStream_t stream);
