// The reference of "histogram" as a library: calls of two threads of the host, of which one needs more shared
// memory a block than the other. Samples are i modulo the bins, so that every bin has as many.
#include "histogram.h"

#include <cstdio>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"

constexpr unsigned kOfEach = 2;

void count_again_and_again(int bins) {
  std::vector<unsigned> samples(kOfEach * bins);
  for (unsigned i = 0; i < samples.size(); ++i) samples[i] = i % bins;
  const std::size_t sample_bytes = samples.size() * sizeof(unsigned);
  std::vector<unsigned long long> found(bins);
  const std::size_t count_bytes = found.size() * sizeof found[0];
  const lockstep::DeviceBytes on_device(sample_bytes), counts(count_bytes);
  CHECK_CUDA(cudaMemcpy(on_device.as<void>(), samples.data(), sample_bytes, cudaMemcpyHostToDevice));
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  for (int call = 0; call < 500; ++call) {
    histogram(on_device.as<void>(), sizeof(unsigned), 0, samples.size(), counts.as<unsigned long long>(),
              bins, stream);
    CHECK_CUDA(cudaMemcpyAsync(found.data(), counts.as<void>(), count_bytes, cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    for (const unsigned long long count : found) {
      if (count != kOfEach) throw std::runtime_error(std::to_string(count) + " samples of a bin");
    }
  }
}

int main() {
  std::vector<std::string> failures(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&failures, i] {
      try {
        count_again_and_again(i == 0 ? 64 : 1000);
      } catch (const std::exception& error) {
        failures[i] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) {
    if (failure.empty()) continue;
    std::printf("%s\n", failure.c_str());
    return 1;
  }
  std::printf("every bin has its samples\n");
}
