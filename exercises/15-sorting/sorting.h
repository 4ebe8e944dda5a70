// Interface of the exercise "sorting". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// How many bytes of device memory `sorting` needs as its workspace for `n` keys, with values or without. The
/// grader asks before each call and grants at most 16 · n + 65 536 bytes.
std::size_t sorting_workspace_bytes(int n);

/// Sorts keys in ascending order, and moves the values along with them. The sort is stable: keys that are
/// equal stay in the order in which they are in the input, and so do their values.
///
/// @param keys       device memory, n keys, unsigned numbers of 32 bits; must not be changed
/// @param values     device memory, n values, of which values[i] belongs to keys[i]; must not be changed.
///                   Without values it has no element
/// @param keys_out   device memory, n keys; does not overlap the inputs
/// @param values_out device memory, n values: values_out[i] belongs to keys_out[i]; does not overlap any
///                   other. Without values it has no element, and nothing may be written there
/// @param n          0 to 2^30; for 0 there is nothing to do
/// @param has_values 1 where there are values, 0 where keys alone are to be sorted
/// @param workspace  device memory, as many bytes as sorting_workspace_bytes(n) says, holding anything: what
///                   must have a value before it is read gets it from you
/// @param stream     on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes.
void sorting(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
             std::uint32_t* values_out, int n, int has_values, void* workspace, cudaStream_t stream);
