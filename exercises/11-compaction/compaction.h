// Interface of the exercise "compaction". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// How many bytes of device memory `compaction` needs as its workspace for `n` elements. The grader asks
/// before each call and grants at most 9 · n + 65 536 bytes.
std::size_t compaction_workspace_bytes(int n);

/// Keeps the elements that are less than `limit`, in their order: they become the first elements of `out`.
///
/// @param in        device memory, n elements; must not be changed
/// @param limit     an element is kept if it is less than this
/// @param out       device memory, for the elements that are kept; does not overlap `in`. What lies behind
///                  them may not be written: in most calls the memory ends there
/// @param count     device memory, one element: how many elements are kept; to be written in any case
/// @param n         0 or more; for 0 no element is kept
/// @param workspace device memory, as many bytes as compaction_workspace_bytes(n) says, holding anything:
///                  what must have a value before it is read gets it from you
/// @param stream    on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes.
void compaction(const std::uint32_t* in, std::uint32_t limit, std::uint32_t* out, std::uint32_t* count, int n,
                void* workspace, cudaStream_t stream);
