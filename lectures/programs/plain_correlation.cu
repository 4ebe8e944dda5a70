// The correlation of one sensor's counts by its definition, A(d) = Σ y(t) y(t + d), for every delay below a
// limit. Lecture 17: multi-tau correlation.
//
//   plain_correlation [INSTANTS DELAYS]    4096 instants and 256 delays when not given; the source had
//                                          625000 and 10000
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "lockstep/divide_up.h"
#include "lockstep/random.h"

constexpr int kThreads = 256;
constexpr int kSlice = 4096;  // instants of a block
constexpr int kRounds = 5;    // of which the median counts

// [plain]
// A thread has one delay and the instants of one slice. The lanes of a warp read the same y(t), and 32
// neighbours for y(t + d).
__global__ void correlate_kernel(const unsigned char* counts, int instants, int delays,
                                 unsigned long long* sums) {
  const int delay = blockIdx.x * kThreads + threadIdx.x;
  if (delay >= delays) return;
  const int begin = blockIdx.y * kSlice, end = min(begin + kSlice, instants - delay);
  unsigned sum = 0;  // at most 4096 · 128², below 2^32
  for (int t = begin; t < end; ++t) sum += counts[t] * counts[t + delay];
  atomicAdd(&sums[delay], sum);
}
// [plain]

int main(int count, char** arguments) try {
  const int instants = count > 2 ? std::atoi(arguments[1]) : 4096;
  const int delays = count > 2 ? std::atoi(arguments[2]) : 256;
  if (instants < 1 || delays < 1) throw std::runtime_error("INSTANTS and DELAYS are whole numbers from 1 on");
  std::vector<unsigned char> counts(instants);
  lockstep::SplitMix64 random(instants);
  for (unsigned char& one : counts) one = static_cast<unsigned char>(random.word() % 129);

  std::vector<unsigned long long> sums(delays);
  const std::size_t sums_bytes = sums.size() * sizeof sums[0];
  const lockstep::DeviceBytes device_counts(counts.size()), device_sums(sums_bytes);
  CHECK_CUDA(cudaMemcpy(device_counts.as<void>(), counts.data(), counts.size(), cudaMemcpyHostToDevice));
  cudaEvent_t begin, end;
  CHECK_CUDA(cudaEventCreate(&begin));
  CHECK_CUDA(cudaEventCreate(&end));
  const dim3 grid(lockstep::divide_up(delays, kThreads), lockstep::divide_up(instants, kSlice));
  std::vector<float> milliseconds(kRounds);
  for (float& one : milliseconds) {
    CHECK_CUDA(cudaMemset(device_sums.as<void>(), 0, sums_bytes));
    CHECK_CUDA(cudaEventRecord(begin));
    correlate_kernel<<<grid, kThreads>>>(device_counts.as<unsigned char>(), instants, delays,
                                         device_sums.as<unsigned long long>());
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaEventRecord(end));
    CHECK_CUDA(cudaEventSynchronize(end));
    CHECK_CUDA(cudaEventElapsedTime(&one, begin, end));
  }
  CHECK_CUDA(cudaMemcpy(sums.data(), device_sums.as<void>(), sums_bytes, cudaMemcpyDeviceToHost));
  CHECK_CUDA(cudaEventDestroy(begin));
  CHECK_CUDA(cudaEventDestroy(end));

  // The host has time for about a hundred of 10000 delays, the last one among them.
  for (int delay = delays - 1; delay >= 0; delay -= delays / 101 + 1) {
    unsigned long long expected = 0;
    for (int t = 0; t + delay < instants; ++t) expected += counts[t] * counts[t + delay];
    if (sums[delay] != expected)
      throw std::runtime_error("the sum of delay " + std::to_string(delay) + " is wrong");
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  std::printf("%d instants, %d delays, one sensor: %.3f ms\n", instants, delays, milliseconds[kRounds / 2]);
  return 0;
} catch (const std::exception& error) {
  std::printf("plain_correlation: %s\n", error.what());
  return 1;
}
