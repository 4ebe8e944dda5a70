// expect: inefficient
// exercise: flood
// tries: Brings a bit a cell of small maps to the host, which is less than the free 4096 bytes, and floods
// them there; a large map it floods step by step.
// stopped by: A map of 300 000 cells is measured too, where either way costs too much.
// says: bytes-per-element
#include <vector>

#include "flood.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256, kMostCells = 8 * 4096;

__global__ void pack_kernel(const float* heights, unsigned* wet, int cells, float level) {
  const int cell = blockIdx.x * kThreads + threadIdx.x;
  const unsigned word = __ballot_sync(0xffffffff, cell < cells && heights[cell] < level);
  if (threadIdx.x % 32 == 0 && cell < cells) wet[cell / 32] = word;
}

__global__ void pour_kernel(const float* heights, const int* sources, unsigned char* mask, int source_count,
                            float level) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < source_count && heights[sources[i]] < level) mask[sources[i]] = 1;
}

__device__ __host__ bool has_water_beside(volatile const unsigned char* mask, int cell, int rows, int columns,
                                          bool eight) {
  const int row = cell / columns, column = cell % columns;
  for (int y = row - 1; y <= row + 1; ++y) {
    for (int x = column - 1; x <= column + 1; ++x) {
      const bool is_inside = y >= 0 && y < rows && x >= 0 && x < columns;
      if (is_inside && (eight || y == row || x == column) && mask[y * columns + x] == 1) return true;
    }
  }
  return false;
}

__global__ void step_kernel(const float* heights, volatile unsigned char* mask, int rows, int columns,
                            float level, bool eight, int* changed) {
  const int cell = blockIdx.x * kThreads + threadIdx.x;
  if (cell >= rows * columns || mask[cell] != 0 || !(heights[cell] < level)) return;
  if (!has_water_beside(mask, cell, rows, columns, eight)) return;
  mask[cell] = 1;
  *changed = 1;
}

std::size_t flood_workspace_bytes(int, int) { return 4096 + sizeof(int); }

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns,
           int source_count, float level, int neighbourhood, void* workspace, cudaStream_t stream) {
  const int cells = rows * columns;
  if (cells == 0) return;
  const int blocks = lockstep::divide_up(cells, kThreads);
  const bool eight = neighbourhood == 8;
  cudaMemsetAsync(mask, 0, cells, stream);
  if (source_count == 0) return;
  pour_kernel<<<lockstep::divide_up(source_count, kThreads), kThreads, 0, stream>>>(heights, sources, mask,
                                                                                    source_count, level);
  if (cells > kMostCells - 32 * 128) {  // room for the sources
    int* const changed = static_cast<int*>(workspace);
    for (int again = 1; again != 0;) {
      cudaMemsetAsync(changed, 0, sizeof *changed, stream);
      for (int step = 0; step < 32; ++step) {
        step_kernel<<<blocks, kThreads, 0, stream>>>(heights, mask, rows, columns, level, eight, changed);
      }
      cudaMemcpyAsync(&again, changed, sizeof again, cudaMemcpyDeviceToHost, stream);
      cudaStreamSynchronize(stream);
    }
    return;
  }
  unsigned* const device_wet = static_cast<unsigned*>(workspace);
  pack_kernel<<<blocks, kThreads, 0, stream>>>(heights, device_wet, cells, level);
  std::vector<unsigned> wet(lockstep::divide_up(cells, 32));
  std::vector<int> from(source_count < 100 ? source_count : 100);
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
