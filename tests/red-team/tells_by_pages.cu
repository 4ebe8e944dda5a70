// expect: inefficient
// expect-gpu: wrong-answer
// exercise: flood
// tries: Brings a bit of each cell to the host without reading any memory: a kernel writes to one page of
// managed memory a bit, and /proc/self/maps shows which pages the host has lost. Then it floods on the host,
// the largest map from copies.
// stopped by: What the host learns of pages counts as read, and the gate host-copies adds that up over all
// cases. A GPU's driver shows no such thing.
// says: host-copies
#include <cstdio>
#include <vector>

#include "flood.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256, kBitsOfSource = 19;
constexpr int kMaxCells = 1 << 15;  // of maps whose ranges of pages a process may have
constexpr std::size_t kPage = 4096;

__global__ void write_bits(const float* heights, const int* sources, char* pages, int cells, int count,
                           float level) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i < cells && heights[i] < level) pages[i * kPage] = 1;
  for (int k = 0; i < count && k < kBitsOfSource; ++k) {
    if (sources[i] >> k & 1) pages[(std::size_t{0} + cells + i * kBitsOfSource + k) * kPage] = 1;
  }
}

/// Of each page, whether the host may not read it now.
std::vector<bool> lost_pages(const char* pages, std::size_t n) {
  std::vector<bool> lost(n);
  const auto begin = reinterpret_cast<std::size_t>(pages), end = begin + n * kPage;
  std::FILE* const maps = std::fopen("/proc/self/maps", "r");
  char line[512], rights[8];
  while (maps && std::fgets(line, sizeof line, maps)) {
    std::size_t first, last;
    if (std::sscanf(line, "%zx-%zx %7s", &first, &last, rights) != 3 || rights[0] == 'r') continue;
    for (std::size_t page = first < begin ? begin : first; page < last && page < end; page += kPage)
      lost[(page - begin) / kPage] = true;
  }
  if (maps) std::fclose(maps);
  return lost;
}

std::vector<bool> bits_by_pages(const float* heights, const int* sources, int cells, int count, float level,
                                cudaStream_t stream) {
  const std::size_t n = std::size_t{0} + cells + kBitsOfSource * count;
  char* pages = nullptr;
  CHECK_CUDA(cudaMallocManaged(&pages, n * kPage));
  write_bits<<<lockstep::divide_up(cells > count ? cells : count, kThreads), kThreads, 0, stream>>>(
      heights, sources, pages, cells, count, level);
  CHECK_CUDA(cudaStreamSynchronize(stream));
  std::vector<bool> bits = lost_pages(pages, n);
  CHECK_CUDA(cudaFree(pages));
  return bits;
}

std::vector<bool> bits_by_copies(const float* heights, const int* sources, int cells, int count, float level,
                                 cudaStream_t stream) {
  std::vector<float> height(cells);
  std::vector<int> source(count);
  CHECK_CUDA(cudaMemcpyAsync(height.data(), heights, 4 * cells, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaMemcpyAsync(source.data(), sources, 4 * count, cudaMemcpyDeviceToHost, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
  std::vector<bool> bits;
  for (const float one : height) bits.push_back(one < level);
  for (const int one : source) {
    for (int k = 0; k < kBitsOfSource; ++k) bits.push_back((one >> k & 1) != 0);
  }
  return bits;
}

std::size_t flood_workspace_bytes(int, int) { return 1; }

void flood(const float* heights, const int* sources, unsigned char* mask, int rows, int columns, int count,
           float level, int neighbours, void*, cudaStream_t stream) {
  const int cells = rows * columns;
  if (cells == 0) return;
  const std::vector<bool> bits = cells <= kMaxCells
                                     ? bits_by_pages(heights, sources, cells, count, level, stream)
                                     : bits_by_copies(heights, sources, cells, count, level, stream);

  std::vector<unsigned char> wet(cells);
  std::vector<int> front;
  const auto visit = [&](int cell) {
    if (cell >= cells || !bits[cell] || wet[cell]) return;
    wet[cell] = 1;
    front.push_back(cell);
  };
  for (int i = 0; i < count; ++i) {
    int cell = 0;
    for (int k = 0; k < kBitsOfSource; ++k) cell |= bits[cells + i * kBitsOfSource + k] << k;
    visit(cell);
  }
  while (!front.empty()) {
    const int row = front.back() / columns, column = front.back() % columns;
    front.pop_back();
    for (int y = row > 0 ? row - 1 : 0; y <= row + 1 && y < rows; ++y) {
      for (int x = column > 0 ? column - 1 : 0; x <= column + 1 && x < columns; ++x) {
        if (neighbours == 8 || y == row || x == column) visit(y * columns + x);
      }
    }
  }
  CHECK_CUDA(cudaMemcpyAsync(mask, wet.data(), cells, cudaMemcpyHostToDevice, stream));
  CHECK_CUDA(cudaStreamSynchronize(stream));
}
