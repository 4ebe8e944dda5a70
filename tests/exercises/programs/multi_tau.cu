// The reference of "multi-tau" as a library: calls that are large enough for streams beside the caller's,
// from two devices, from threads of the host, and captured into a graph. All counts are 1, so that a call's
// sum at position 0 of group 0 is its instants.
#include "multi_tau.h"

#include <cstdio>
#include <stdexcept>
#include <thread>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"

constexpr int kGroups = 1;

/// Arguments of a call on the device that is current when they are made.
class Call {
 public:
  Call(int sensors, int instants)
      : sensors_(sensors),
        instants_(instants),
        counts_(std::size_t(sensors) * instants),
        state_before_(state_bytes()),
        state_(state_bytes()),
        sums_before_(sums_bytes()),
        sums_(sums_bytes()),
        workspace_(multi_tau_workspace_bytes(sensors, instants, kGroups)) {
    CHECK_CUDA(cudaMemset(counts_.as<void>(), 1, std::size_t(sensors) * instants));
    CHECK_CUDA(cudaMemset(state_before_.as<void>(), 0, state_bytes()));
    CHECK_CUDA(cudaMemset(sums_before_.as<void>(), 0, sums_bytes()));
    CHECK_CUDA(cudaDeviceSynchronize());
  }
  void enqueue(cudaStream_t stream) const {
    multi_tau(counts_.as<unsigned char>(), sensors_, instants_, 0, kGroups, state_before_.as<unsigned>(),
              sums_before_.as<unsigned long long>(), state_.as<unsigned>(), sums_.as<unsigned long long>(),
              workspace_.as<void>(), stream);
  }
  /// Throws unless every sensor has the sum that it should have. What was found is cleared.
  void check(cudaStream_t stream) const {
    std::vector<unsigned long long> sums(sums_bytes() / sizeof(unsigned long long));
    CHECK_CUDA(cudaMemcpyAsync(sums.data(), sums_.as<void>(), sums_bytes(), cudaMemcpyDeviceToHost, stream));
    CHECK_CUDA(cudaMemsetAsync(sums_.as<void>(), 0, sums_bytes(), stream));
    CHECK_CUDA(cudaStreamSynchronize(stream));
    for (int sensor = 0; sensor < sensors_; ++sensor) {
      if (sums[std::size_t(sensor) * kGroups * kPositions] != static_cast<unsigned long long>(instants_))
        throw std::runtime_error("sensor " + std::to_string(sensor) + " has " +
                                 std::to_string(sums[std::size_t(sensor) * kGroups * kPositions]));
    }
  }

 private:
  std::size_t state_bytes() const { return sizeof(unsigned) * sensors_ * kGroups * kStateWords; }
  std::size_t sums_bytes() const { return sizeof(unsigned long long) * sensors_ * kGroups * kPositions; }

  int sensors_, instants_;
  lockstep::DeviceBytes counts_, state_before_, state_, sums_before_, sums_, workspace_;
};

cudaStream_t made_stream() {
  cudaStream_t stream;
  CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  return stream;
}

constexpr int kSensors = 288, kInstants = 1 << 14;  // more than 2^22 counts: two chains of launches

void on_each_device() {
  int devices;
  CHECK_CUDA(cudaGetDeviceCount(&devices));
  if (devices < 2) throw std::runtime_error("this test is of two devices");
  for (int device = 0; device < devices; ++device) {
    CHECK_CUDA(cudaSetDevice(device));
    const Call call(kSensors, kInstants);
    const cudaStream_t stream = made_stream();
    call.enqueue(stream);
    call.check(stream);
  }
  CHECK_CUDA(cudaSetDevice(0));
}

void captured() {
  const Call call(kSensors, kInstants);
  const cudaStream_t stream = made_stream();
  CHECK_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
  call.enqueue(stream);
  cudaGraph_t graph;
  CHECK_CUDA(cudaStreamEndCapture(stream, &graph));
  cudaGraphExec_t executable;
  CHECK_CUDA(cudaGraphInstantiate(&executable, graph, 0));
  for (int launch = 0; launch < 2; ++launch) {
    CHECK_CUDA(cudaGraphLaunch(executable, stream));
    call.check(stream);
  }
  call.enqueue(stream);  // and the streams beside it are free again
  call.check(stream);
}

/// Calls of one thread need more shared memory a block than those of the other; and both fork.
void from_two_threads() {
  std::vector<std::string> failures(2);
  std::vector<std::thread> threads;
  for (int i = 0; i < 2; ++i) {
    threads.emplace_back([&failures, i] {
      try {
        const Call small(32, i == 0 ? 64 : 1 << 13), large(kSensors, kInstants);
        const cudaStream_t stream = made_stream();
        for (int k = 0; k < 100; ++k) {
          small.enqueue(stream);
          small.check(stream);
        }
        large.enqueue(stream);
        large.check(stream);
      } catch (const std::exception& error) {
        failures[i] = error.what();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& failure : failures) {
    if (!failure.empty()) throw std::runtime_error(failure);
  }
}

int main() {
  try {
    on_each_device();
    captured();
    from_two_threads();
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  std::printf("all sums are right\n");
}
