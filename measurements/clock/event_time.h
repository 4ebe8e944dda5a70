// Prints the seconds that one call of a solution of transpose takes, by the device's own events: what the
// judge's clock is compared with. SOLUTION names the file. Arguments: rows, columns.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "lockstep/check_cuda.h"
#include SOLUTION

constexpr int kCalls = 64, kRepeats = 9;
constexpr size_t kBytesBetweenUses = size_t{1} << 30;  // so that no cache holds what the calls before left

int main(int, char** arguments) {
  const int rows = std::atoi(arguments[1]), columns = std::atoi(arguments[2]);
  const size_t bytes = sizeof(float) * static_cast<size_t>(rows) * static_cast<size_t>(columns);
  std::vector<float*> in(kBytesBetweenUses / (2 * bytes) + 2), out(in.size());
  for (size_t set = 0; set < in.size(); ++set) {
    CHECK_CUDA(cudaMalloc(&in[set], bytes));
    CHECK_CUDA(cudaMalloc(&out[set], bytes));
    CHECK_CUDA(cudaMemset(in[set], static_cast<int>(set) + 1, bytes));
  }
  cudaEvent_t start = nullptr, end = nullptr;
  CHECK_CUDA(cudaEventCreate(&start));
  CHECK_CUDA(cudaEventCreate(&end));
  std::vector<float> milliseconds;
  for (int repeat = -1; repeat < kRepeats; ++repeat) {  // the first loads code and is not counted
    CHECK_CUDA(cudaEventRecord(start));
    for (int i = 0; i < kCalls; ++i) {
      const size_t set = static_cast<size_t>(i) % in.size();
      transpose(in[set], out[set], rows, columns, nullptr);
    }
    CHECK_CUDA(cudaEventRecord(end));
    CHECK_CUDA(cudaEventSynchronize(end));
    float elapsed = 0;
    CHECK_CUDA(cudaEventElapsedTime(&elapsed, start, end));
    if (repeat >= 0) milliseconds.push_back(elapsed);
  }
  std::nth_element(milliseconds.begin(), milliseconds.begin() + kRepeats / 2, milliseconds.end());
  std::printf("%.9g\n", milliseconds[kRepeats / 2] / 1000 / kCalls);
}
