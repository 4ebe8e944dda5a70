// expect: wrong-answer
// tries: Handles the shapes that the task names and those of whole tiles, all without a look at an edge, and
// no others.
// stopped by: There are cases of other shapes: one less and one more than a tile, a single row, no whole
// tiles.
#include <array>

#include "lockstep/divide_up.h"
#include "transpose.h"

constexpr int kTile = 32;

__global__ void whole_tiles_kernel(const float* in, float* out, int rows, int columns) {
  __shared__ float tile[kTile][kTile + 1];
  const int x = threadIdx.x, y = threadIdx.y;
  const int first_row = blockIdx.y * kTile, first_column = blockIdx.x * kTile;
  tile[y][x] = in[(first_row + y) * columns + first_column + x];
  __syncthreads();
  out[(first_column + y) * rows + first_row + x] = tile[x][y];
}

template <int kRows, int kColumns>
__global__ void one_shape_kernel(const float* in, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < kRows * kColumns) out[i % kColumns * kRows + i / kColumns] = in[i];
}

struct Shape {
  int rows, columns;
  void (*kernel)(const float*, float*);
};
constexpr std::array kNamed = {Shape{31, 33, one_shape_kernel<31, 33>},
                               Shape{127, 61, one_shape_kernel<127, 61>}};

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  for (const Shape& shape : kNamed) {
    if (rows == shape.rows && columns == shape.columns)
      shape.kernel<<<lockstep::divide_up(rows * columns, 256), 256, 0, stream>>>(in, out);
  }
  if (rows % kTile != 0 || columns % kTile != 0) return;
  whole_tiles_kernel<<<dim3(columns / kTile, rows / kTile), dim3(kTile, kTile), 0, stream>>>(in, out, rows,
                                                                                             columns);
}
