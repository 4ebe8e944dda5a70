// expect: inefficient
// exercise: flood
// tries: Brings a bit per cell to the host, which of a small map is less than the free 4096 bytes, and floods
// it there.
// stopped by: A map of 233 000 cells is measured too, whose bits are more than that.
// says: host-copies
#include <vector>

#include "flood.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

__global__ void pack_kernel(const float* heights, unsigned* wet, int cells, float level) {
  const int cell = blockIdx.x * kThreads + threadIdx.x;
  const unsigned word = __ballot_sync(0xffffffff, cell < cells && heights[cell] < level);
  if (threadIdx.x % 32 == 0 && cell < cells) wet[cell / 32] = word;
}

bool has_water_beside(const unsigned char* mask, int cell, int rows, int columns, bool eight) {
  const int row = cell / columns, column = cell % columns;
  for (int y = row - 1; y <= row + 1; ++y) {
    for (int x = column - 1; x <= column + 1; ++x) {
      const bool is_inside = y >= 0 && y < rows && x >= 0 && x < columns;
      if (is_inside && (eight || y == row || x == column) && mask[y * columns + x] == 1) return true;
    }
  }
  return false;
}

std::size_t flood_workspace_bytes(int rows, int columns) {
  return lockstep::divide_up(rows * columns, 32) * sizeof(unsigned);
}

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream) {
  const int cells = rows * columns;
  if (cells == 0) return;
  const int blocks = lockstep::divide_up(cells, kThreads);
  const bool eight = neighbourhood == 8;
  cudaMemsetAsync(mask, 0, cells, stream);
  if (source_count == 0) return;
  unsigned* const device_wet = static_cast<unsigned*>(workspace);
  pack_kernel<<<blocks, kThreads, 0, stream>>>(heights, device_wet, cells, level);
  std::vector<unsigned> wet(lockstep::divide_up(cells, 32));
  std::vector<int> from(source_count);
  cudaMemcpyAsync(wet.data(), device_wet, wet.size() * sizeof wet[0], cudaMemcpyDeviceToHost, stream);
  cudaMemcpyAsync(from.data(), sources, from.size() * sizeof from[0], cudaMemcpyDeviceToHost, stream);
  cudaStreamSynchronize(stream);
  const auto is_wet = [&](int cell) { return (wet[cell / 32] >> cell % 32 & 1) != 0; };
  std::vector<unsigned char> water(cells);
  for (const int source : from) water[source] = is_wet(source) ? 1 : 0;
  for (bool changed = true; changed;) {
    changed = false;
    for (int cell = 0; cell < cells; ++cell) {
      if (water[cell] != 0 || !is_wet(cell) || !has_water_beside(water.data(), cell, rows, columns, eight))
        continue;
      water[cell] = 1;
      changed = true;
    }
  }
  cudaMemcpyAsync(mask, water.data(), water.size(), cudaMemcpyHostToDevice, stream);
  cudaStreamSynchronize(stream);
}
