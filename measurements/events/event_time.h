// Times the calls of a solution by the device's own events, in a program that shares nothing with the judge.
// measurements/compare_clock and measurements/compare_bench build a program for each solution, whose file
// SOLUTION names, and read the seconds that it prints, a line for each size of its command line.
#pragma once

#include <cuda_runtime_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "inputs.h"
#include "lockstep/check_cuda.h"

namespace event_time {

using Call = std::function<void(cudaStream_t)>;

/// The least that a call moves and computes, which decides how many sets of buffers it takes turns with.
struct Cost {
  double bytes = 0, operations = 0;
  std::size_t launches = 5;  ///< the most of a call that is short
};

/// What is timed at a size. `make_call` gets a seed and makes a call with buffers of its own.
struct Task {
  Cost cost;
  std::function<Call(unsigned)> make_call;
};

/// A size as the command line names it: numbers and words with spaces between them.
class Size {
 public:
  explicit Size(const std::string& text) {
    std::istringstream in(text);
    for (std::string word; in >> word;) words_.push_back(word);
  }
  const std::string& word(std::size_t i) const { return words_.at(i); }
  template <class T = int>
  T number(std::size_t i) const {
    return static_cast<T>(std::stoll(word(i)));
  }

 private:
  std::vector<std::string> words_;
};

/// How calls are timed: `repeats` times some of them together, from `fewest` to `most`, as many as take
/// `seconds`; the median counts.
struct Plan {
  std::size_t sets = 0;  ///< of buffers
  int repeats = 0;
  double seconds = 0, fewest = 1, most = 1;
  bool is_gated = false;  ///< the device begins when all calls are enqueued, with nothing in its cache
  bool is_fresh = false;  ///< each repeat begins on a GPU that is cool and knows no page's address
};

/// Bytes of two L2 caches.
inline std::size_t twice_the_cache() {
  int bytes = 0;
  CHECK_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrL2CacheSize, 0));
  return std::size_t{2} * bytes;
}

/// Long calls, as compare_clock times them: the sets are as many as the judge gives a process (2K of
/// CallTimer), so that caches hold as much of the data. Each process of the judge is a new one on a GPU that
/// has rested. On an H200, 2026-11-30, a compaction of 2^25 elements, where a tile waits for the slowest load
/// of all before it, took 60.5 us when the GPU knew all addresses, and 62.0 when it did not; tensor cores
/// took 279 to 280 us after a rest, and 279 to 300 without.
inline Plan plan_for_long_calls() {
  constexpr std::size_t kSets = 32;
  return {.sets = kSets, .repeats = 9, .seconds = 0.1, .fewest = 8, .most = kSets, .is_fresh = true};
}

/// Calls of any length, as compare_bench times them. No call finds anything of its buffers in the cache,
/// which is overwritten before each repeat: the sets are as many as calls, or together larger than 512 MB and
/// than twice the cache. Calls that compute for long on few bytes have 8 sets. The first call finds no code
/// in the cache either: 256 calls share what that takes, as in `bench`, or fewer where they are of more than
/// three launches each. 768 launches are fewer than the 1024 that a queue holds: the host would wait for the
/// device with the gate still closed.
inline Plan plan_for_any_calls(const Cost& cost) {
  constexpr double kBytesBetweenUses = 512e6, kOperationsForAByte = 64;
  constexpr std::size_t kFewSets = 8, kMaxLaunches = 768;
  const std::size_t most = std::min<std::size_t>(kMaxLaunches / cost.launches, 256);
  Plan plan{.sets = kFewSets,
            .repeats = 31,
            .seconds = 3e-3,
            .fewest = kFewSets,
            .most = static_cast<double>(most),
            .is_gated = true};
  if (cost.operations > kOperationsForAByte * cost.bytes) return plan;
  const double together = std::max(kBytesBetweenUses, static_cast<double>(twice_the_cache()));
  plan.sets = std::min(static_cast<std::size_t>(together / cost.bytes) + 2, most);
  plan.fewest = 4;
  return plan;
}

/// A call or two in order, to see that a program runs: on the emulated device, which waits for each kernel
/// when it is launched.
inline Plan plan_for_a_trial() { return {.sets = 2, .repeats = 1}; }

/// What the gate and the host signal to each other, in memory of the host that the device sees.
struct GateWords {
  volatile unsigned is_open, gave_up;
};

__device__ inline unsigned long long nanoseconds() {
  unsigned long long now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  return now;
}

/// Keeps what comes behind it on the stream waiting until the host opens it. It gives up after a second, as
/// the host may wait for the device meanwhile, and says so.
__global__ void gate_kernel(GateWords* words) {
  constexpr unsigned long long kLongest = 1'000'000'000;
  const unsigned long long begin = nanoseconds();
  while (words->is_open == 0) {
    if (nanoseconds() - begin < kLongest) continue;
    words->gave_up = 1;
    return;
  }
}

/// Reads a byte of each small page of memory that is all 0, so that the GPU's caches of addresses (TLBs) hold
/// no others.
__global__ void visit_pages_kernel(unsigned char* memory, std::size_t bytes) {
  constexpr std::size_t kSmallPage = std::size_t{64} << 10;
  unsigned own = 0;
  for (std::size_t i = blockIdx.x * blockDim.x + threadIdx.x; i < bytes / kSmallPage;
       i += gridDim.x * blockDim.x)
    own += memory[i * kSmallPage];
  if (own != 0) *memory = 0;  // never: it keeps the compiler from leaving the reads out
}

/// Times calls on a stream of its own that waits for no other.
class EventClock {
 public:
  EventClock() {
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking));
    CHECK_CUDA(cudaEventCreate(&begin_));
    CHECK_CUDA(cudaEventCreate(&end_));
    CHECK_CUDA(cudaHostAlloc(&gate_, sizeof *gate_, cudaHostAllocMapped));
    gate_->gave_up = 0;
  }
  EventClock(const EventClock&) = delete;
  EventClock& operator=(const EventClock&) = delete;
  ~EventClock() {
    cudaFreeHost(gate_);
    cudaEventDestroy(end_);
    cudaEventDestroy(begin_);
    cudaStreamDestroy(stream_);
  }

  /// Of one call, the median.
  double seconds_of(const Task& task, const Plan& plan) {
    calls_.clear();
    cache_filler_ = allocate<unsigned char>(twice_the_cache());
    for (unsigned set = 0; set < plan.sets; ++set) calls_.push_back(task.make_call(set));
    next_ = 0;
    other_bytes_ = plan.is_fresh ? bytes_for_other_pages() : 0;
    other_pages_ = allocate<unsigned char>(other_bytes_);
    CHECK_CUDA(cudaMemset(other_pages_, 0, other_bytes_));
    seconds_of_one_of(1, false);  // loads code, which may wait for the device
    const double wanted = plan.seconds / seconds_of_one_of(1, false);
    const int n = static_cast<int>(std::clamp(wanted, plan.fewest, plan.most));
    seconds_of_one_of(n, plan.is_gated);  // lets the clocks rise
    std::vector<double> seconds;
    for (int repeat = 0; repeat < plan.repeats; ++repeat)
      seconds.push_back(seconds_of_one_of(n, plan.is_gated));
    const auto middle = seconds.begin() + plan.repeats / 2;
    std::nth_element(seconds.begin(), middle, seconds.end());
    return *middle;
  }

 private:
  /// An H200 keeps the addresses of 8 GB, and none of them once those of 40 GB were used. Where less memory
  /// is free, half of it.
  static std::size_t bytes_for_other_pages() {
    constexpr std::size_t kEnough = std::size_t{40} << 30;
    std::size_t free = 0, all = 0;
    CHECK_CUDA(cudaMemGetInfo(&free, &all));
    return std::min(kEnough, free / 2);
  }

  double seconds_of_one_of(int n, bool is_gated) {
    if (other_bytes_ > 0) {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      visit_pages_kernel<<<256, 256, 0, stream_>>>(other_pages_, other_bytes_);
      CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaDeviceSynchronize());
    gate_->is_open = 0;
    if (is_gated) {
      CHECK_CUDA(cudaMemsetAsync(cache_filler_, 0, twice_the_cache(), stream_));
      gate_kernel<<<1, 1, 0, stream_>>>(gate_);
      CHECK_CUDA(cudaGetLastError());
    }
    CHECK_CUDA(cudaEventRecord(begin_, stream_));
    for (int i = 0; i < n; ++i) calls_[next_++ % calls_.size()](stream_);
    CHECK_CUDA(cudaEventRecord(end_, stream_));
    gate_->is_open = 1;
    CHECK_CUDA(cudaEventSynchronize(end_));
    if (gate_->gave_up != 0)
      throw std::runtime_error("the host waited for the device, which waited for the host");
    float milliseconds = 0;
    CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds * 1e-3 / n;
  }

  cudaStream_t stream_ = nullptr;
  cudaEvent_t begin_ = nullptr, end_ = nullptr;
  GateWords* gate_ = nullptr;
  unsigned char* cache_filler_ = nullptr;
  unsigned char* other_pages_ = nullptr;
  std::size_t other_bytes_ = 0;
  std::vector<Call> calls_;
  std::size_t next_ = 0;  ///< call
};

/// What main does: times each size of the command line, for which `task_of` makes a task. Without an option
/// as long calls; with --any as calls of any length; with --trial it only tries them. With --small-l1 before
/// that, multiprocessors keep as little of their memory for L1 as they can.
inline int time_sizes(int count, char** words, Task (*task_of)(const Size&)) {
  const std::vector<std::string> given(words + 1, words + count);
  EventClock clock;
  std::string option;
  for (const std::string& word : given) {
    if (word == "--small-l1") {
      CHECK_CUDA(cudaDeviceSetCacheConfig(cudaFuncCachePreferShared));
      continue;
    }
    if (word.starts_with("--")) {
      option = word;
      continue;
    }
    const Task task = task_of(Size(word));
    const Plan plan = option == "--any"     ? plan_for_any_calls(task.cost)
                      : option == "--trial" ? plan_for_a_trial()
                                            : plan_for_long_calls();
    std::printf("%.9g\n", clock.seconds_of(task, plan));
    free_all();
  }
  return 0;
}

}  // namespace event_time
