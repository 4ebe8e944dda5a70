// A map over a matrix in two dimensions: an image of 8-bit pixels is inverted in every second square of a
// chequerboard, which needs row and column of each pixel. Lecture 02, First kernels.
#include <cstdint>
#include <cstdio>
#include <exception>
#include <utility>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "lockstep/random.h"

using Pixel = std::uint8_t;
constexpr int kSquare = 16;

// [map-2d]
__global__ void chequer_kernel(const Pixel* in, Pixel* out, int rows, int columns) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row >= rows || column >= columns) return;
  const int i = row * columns + column;
  const bool inverted = (row / kSquare + column / kSquare) % 2 == 1;
  out[i] = inverted ? 255 - in[i] : in[i];
}
// [map-2d]

void chequer(const Pixel* in, Pixel* out, int rows, int columns) {
  // [map-2d-launch]
  const dim3 threads(32, 8);
  const dim3 blocks(lockstep::divide_up(columns, threads.x), lockstep::divide_up(rows, threads.y));
  chequer_kernel<<<blocks, threads>>>(in, out, rows, columns);
  CHECK_CUDA(cudaGetLastError());
  // [map-2d-launch]
}

bool is_right(const std::vector<Pixel>& in, int rows, int columns) {
  Pixel *device_in = nullptr, *device_out = nullptr;
  CHECK_CUDA(cudaMalloc(&device_in, in.size()));
  CHECK_CUDA(cudaMalloc(&device_out, in.size()));
  CHECK_CUDA(cudaMemcpy(device_in, in.data(), in.size(), cudaMemcpyHostToDevice));
  chequer(device_in, device_out, rows, columns);
  std::vector<Pixel> out(in.size());
  CHECK_CUDA(cudaMemcpy(out.data(), device_out, out.size(), cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaFree(device_in));
  CHECK_CUDA(cudaFree(device_out));
  std::size_t i = 0;
  for (int row = 0; row < rows; ++row) {
    for (int column = 0; column < columns; ++column, ++i) {
      const bool inverted = row / kSquare % 2 != column / kSquare % 2;
      const int expected = inverted ? 255 - in[i] : in[i];
      if (out[i] == expected) continue;
      std::printf("map_2d: row %d, column %d is %d, expected %d\n", row, column, out[i], expected);
      return false;
    }
  }
  return true;
}

int main() try {
  lockstep::SplitMix64 random(5);
  int rows = 0, columns = 0;
  for (const auto& [height, width] : {std::pair{1, 1}, {8, 32}, {9, 33}, {1, 1000}, {1000, 1}, {1003, 997}}) {
    rows = height, columns = width;
    std::vector<Pixel> in(static_cast<std::size_t>(rows) * columns);
    for (Pixel& pixel : in) pixel = static_cast<Pixel>(random.integer(0, 255));
    if (!is_right(in, rows, columns)) return 1;
  }
  std::printf("map_2d: %d rows, %d columns, all right\n", rows, columns);
  return 0;
} catch (const std::exception& error) {
  std::printf("map_2d: %s\n", error.what());
  return 1;
}
