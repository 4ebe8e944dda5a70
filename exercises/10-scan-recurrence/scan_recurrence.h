// Interface of the exercise "scan-recurrence". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// How many bytes of device memory `scan_recurrence` needs as its workspace for `n` elements. The grader asks
/// before each call and grants at most 8 n + 65 536 bytes.
std::size_t scan_recurrence_workspace_bytes(int n);

/// A linear recurrence: x[i] = a[i] * x[i - 1] + b[i] for 0 ≤ i < n, where x[-1] stands for `first`. Numbers
/// are unsigned: of products and sums the lowest 32 bits remain.
///
/// @param a         device memory, n factors; must not be changed
/// @param b         device memory, n numbers to add; must not be changed
/// @param first     the value before x[0]
/// @param x         device memory, n numbers; overlaps neither `a` nor `b`
/// @param n         0 to 2^31 - 1; for 0 there is nothing to do
/// @param workspace device memory, as many bytes as scan_recurrence_workspace_bytes(n) says, holding anything
/// @param stream    on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes.
void scan_recurrence(const std::uint32_t* a, const std::uint32_t* b, std::uint32_t first, std::uint32_t* x,
                     int n, void* workspace, cudaStream_t stream);
