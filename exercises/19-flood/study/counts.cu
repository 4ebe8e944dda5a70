// The kernel of device.h.
#include <algorithm>

#include "device.h"

namespace lockstep::flood_study {
namespace {

constexpr int kThreads = 256;
constexpr std::size_t kMaxBlocks = 65536;

__global__ void raise_counts_kernel(const unsigned char* mask, unsigned char* counts, std::size_t cells,
                                    unsigned char count) {
  const std::size_t stride = std::size_t{gridDim.x} * kThreads;
  for (std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x; i < cells; i += stride)
    if ((mask == nullptr || mask[i] != 0) && counts[i] < count) counts[i] = count;
}

}  // namespace

void raise_counts(const unsigned char* mask, unsigned char* counts, std::size_t cells, unsigned char count,
                  cudaStream_t stream) {
  if (cells == 0) return;
  const auto blocks = static_cast<unsigned>(std::min((cells - 1) / kThreads + 1, kMaxBlocks));
  raise_counts_kernel<<<blocks, kThreads, 0, stream>>>(mask, counts, cells, count);
  CHECK_CUDA(cudaGetLastError());
}

}  // namespace lockstep::flood_study
