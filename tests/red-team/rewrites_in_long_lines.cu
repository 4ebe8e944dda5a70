// expect: too-many-changes
// exercise: transpose-bug
// tries: Writes another program in place of the broken one, in a macro, continued lines and lines without
// end, with digraphs for braces.
// stopped by: What counts are statements, braces and every 120 characters, and continued lines are one.
// says: lines changed, at most 4
#include "transpose_bug.h"
// clang-format off
#define BODY __shared__ float t[32][33]; int x = threadIdx.x, y = threadIdx.y, r = blockIdx.y * 32, c = blockIdx.x * 32; \
  if (r + y < rows && c + x < columns) t[y][x] = in[(r + y) * columns + c + x]; __syncthreads(); \
  if (c + y < columns && r + x < rows) out[(c + y) * rows + r + x] = t[x][y];
__global__ void k(const float* in, float* out, int rows, int columns) <% BODY %>
void transpose_bug(const float* in, float* out, int rows, int columns, cudaStream_t stream) <% if (rows != 0 && columns != 0) k<<<dim3((columns + 31) / 32, (rows + 31) / 32), dim3(32, 32), 0, stream>>>(in, out, rows, columns); %>
