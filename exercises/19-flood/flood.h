// Interface of the exercise "flood". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// How many bytes of device memory `flood` needs as its workspace. The grader asks before each call and
/// grants at most 4 MiB, and 8 bytes for each cell of the map, its sides rounded up to multiples of 128.
std::size_t flood_workspace_bytes(int rows, int columns);

/// Which cells of a height map are under water when the sources pour it in up to a level.
///
/// A cell is wet when its height is less than the level: a cell as high as the level is dry, and so is one
/// whose height is NaN, which is unknown. Water stands in every wet cell that is a source, and in every wet
/// cell that has a neighbour with water. A source that is not wet gives no water. Rows and columns end at the
/// edges of the map: the last cell of a row has no neighbour in the next.
///
/// @param heights       device memory, rows × columns floats, row after row, among them NaN and infinities;
///                      must not be changed
/// @param sources       device memory, the sources as row · columns + column, in any order, some perhaps
///                      twice; must not be changed
/// @param mask          device memory, a byte for each cell: 1 where water stands, 0 elsewhere
/// @param rows          0 or more; rows · columns < 2^31
/// @param columns       0 or more
/// @param source_count  0 or more
/// @param level         any number but NaN
/// @param neighbourhood 4: a cell's neighbours share a side with it; 8: or a corner
/// @param workspace     device memory, as many bytes as flood_workspace_bytes(rows, columns) says, holding
///                      anything
/// @param stream        on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes; the second row starts wherever the first ends.
void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream);
