// Times several implementations of a task alternately, in one process. measurements/compare_peers reads what
// it prints.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/check_cuda.h"

namespace peers {

/// Implementations of one task that start from the same inputs on the device. A call ends on the default
/// stream: by events there it is timed, so that what the host does between launches counts too.
class Race {
 public:
  /// `task` names the inputs, such as "n = 10391, m = 10391, sets = 100"; without tabs.
  explicit Race(std::string task) : task_(std::move(task)) {
    cudaDeviceProp properties{};
    CHECK_CUDA(cudaGetDeviceProperties(&properties, 0));
    std::printf("card\t%s\n", properties.name);
    CHECK_CUDA(cudaEventCreate(&begin_));
    CHECK_CUDA(cudaEventCreate(&end_));
  }
  Race(const Race&) = delete;
  Race& operator=(const Race&) = delete;
  ~Race() {
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  /// `call` does the task once. `name` as in records of speed: 18-tpacf/tpacf or 18-tpacf/peers/parboil.
  void add(std::string name, std::function<void()> call) {
    racers_.push_back({std::move(name), std::move(call)});
  }

  /// How far its answer is from ours: 0 where both are equal.
  void tell_difference(const std::string& name, const std::string& of_what, double difference) const {
    std::printf("difference\t%s\t%s\t%s\t%.9g\n", task_.c_str(), name.c_str(), of_what.c_str(), difference);
    std::fflush(stdout);
  }

  /// Rounds in which everybody runs once, every other round in the opposite order; prints the seconds of a
  /// call.
  void run() {
    constexpr int kRounds = 11;
    for (Racer& racer : racers_) {
      constexpr double kLongEnough = 0.02, kShortest = 1e-6;  // s; events resolve half a microsecond
      const double first = seconds_of(racer, 1);              // which also loads the code
      const double once = std::max(std::min(first, seconds_of(racer, 1)), kShortest);
      racer.calls = std::clamp(static_cast<int>(kLongEnough / once), 1, 1000);
    }
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t i = 0; i < racers_.size(); ++i) {
        Racer& racer = racers_[round % 2 == 0 ? i : racers_.size() - 1 - i];
        racer.seconds.push_back(seconds_of(racer, racer.calls));
      }
    }
    for (const Racer& racer : racers_) {
      std::printf("seconds\t%s\t%s", task_.c_str(), racer.name.c_str());
      for (const double seconds : racer.seconds) std::printf("\t%.9g", seconds);
      std::printf("\n");
    }
    std::fflush(stdout);  // the next race may end the process
  }

 private:
  struct Racer {
    std::string name;
    std::function<void()> call;
    int calls = 1;
    std::vector<double> seconds = {};
  };

  /// Of one of `calls` calls.
  double seconds_of(const Racer& racer, int calls) {
    CHECK_CUDA(cudaDeviceSynchronize());
    CHECK_CUDA(cudaEventRecord(begin_));
    for (int i = 0; i < calls; ++i) racer.call();
    CHECK_CUDA(cudaEventRecord(end_));
    CHECK_CUDA(cudaEventSynchronize(end_));
    float milliseconds = 0;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds * 1e-3 / calls;
  }

  std::string task_;
  std::vector<Racer> racers_;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
};

}  // namespace peers
