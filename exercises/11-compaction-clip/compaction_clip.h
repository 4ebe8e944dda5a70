// Interface of the exercise "compaction-clip". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

/// How many bytes of device memory `compaction_clip` needs as its workspace for `n` triangles. The grader
/// asks before each call and grants at most 16 · n + 65 536 bytes.
std::size_t compaction_clip_workspace_bytes(int n);

/// Clips triangles at the vertical line x = limit: what is at the line or right of it remains. Each triangle
/// becomes none, one or two; the results are in the order of the triangles.
///
/// Corner c of triangle i, with c = 0, 1 or 2, is at (x[c · n + i], y[c · n + i]), and is inside if its x is
/// at least `limit`. Let P, Q, R be the corners in their order, turned so that the following holds:
///
///   no corner inside     no result
///   P alone inside       P, the cut of PQ, the cut of RP
///   P and Q inside       P, Q, the cut of QR; then P, the cut of QR, the cut of RP
///   all inside           the three corners as they are, not turned
///
/// The cut of AB is the point at which the edge from A to B meets the line: its x is `limit`, its y is
/// A.y + (limit - A.x) / (B.x - A.x) · (B.y - A.y). All inputs are such that this is exact in float, however
/// it is calculated, and results are compared exactly. A result may be without area, as where P is at the
/// line; it counts all the same.
///
/// @param x, y     device memory, 3 · n elements each; must not be changed
/// @param limit    where the line is
/// @param out_x, out_y device memory, 3 · capacity elements each, which overlap nothing: corner c of result j
///                 is at c · capacity + j. What belongs to no result may not be written
/// @param capacity for how many results there is room, in most calls as many as there are
/// @param count    device memory, one element: how many results there are; to be written in any case
/// @param n        0 or more, 3 · n and 6 · n fit in an int; for 0 there is no result
/// @param workspace device memory, as many bytes as compaction_clip_workspace_bytes(n) says, holding
/// anything:
///                 what must have a value before it is read gets it from you
/// @param stream   on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes.
void compaction_clip(const float* x, const float* y, float limit, float* out_x, float* out_y, int capacity,
                     std::uint32_t* count, int n, void* workspace, cudaStream_t stream);
