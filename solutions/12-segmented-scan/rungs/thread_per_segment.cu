// fails: bytes-per-element
// at: } while (i < n && (flags[i] & 1) == 0);
// fails: parallelism
// at: } while (i < n && (flags[i] & 1) == 0);
// Segmented scan by one thread per segment, which adds up its elements. Lecture: 12-segmented-scan.
// Bound: the longest segment of all; and lanes walk apart, so that each access is a sector of its own.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "segmented_scan.h"

constexpr int kThreads = 256;

// [walk]
__global__ void walk_kernel(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out,
                            int n) {
  const int first = blockIdx.x * kThreads + threadIdx.x;
  if (first >= n || (first > 0 && (flags[first] & 1) == 0)) return;  // no segment begins here
  std::uint32_t sum = 0;
  int i = first;
  do {
    sum += values[i];
    out[i] = sum;
    ++i;
  } while (i < n && (flags[i] & 1) == 0);
}
// [walk]

std::size_t segmented_scan_workspace_bytes(int) { return 0; }

void segmented_scan(const std::uint32_t* values, const std::uint8_t* flags, std::uint32_t* out, int n, void*,
                    cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  walk_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(values, flags, out, n);
  CHECK_CUDA(cudaGetLastError());
}
