// How long a load takes, and how fast all SMs together read, where the data lie in L1, in L2 or in global
// memory. Lecture 03: how a GPU runs it.
//
//   memory_levels [WORK]    reads WORK times as much (1 when not given); a GPU needs 256 for steady figures
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <stdexcept>
#include <utility>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "lockstep/random.h"

constexpr int kThreads = 1024;
constexpr int kRounds = 3;  // of which the median counts

// [chase]
struct alignas(128) Line {
  const Line* next;
};

// A load cannot begin before the one in front of it is complete: it gives the address.
__global__ void chase_kernel(const Line* line, int warm_up, int steps, long long* clocks, const Line** last) {
  for (int step = 0; step < warm_up; ++step) line = line->next;
  const long long begin = clock64();
  for (int step = 0; step < steps; ++step) line = line->next;
  *last = line;  // waits for the last load
  *clocks = clock64() - begin;
}
// [chase]

// Each block reads a slice of its own, `passes` times. ld.global.cg, which __ldcg stands for, does not look
// into L1.
template <bool kInL1>
__global__ void __launch_bounds__(kThreads)
    read_kernel(const uint4* in, std::size_t slice, int passes, std::uint32_t* sums) {
  in += blockIdx.x * slice;
  std::uint32_t sum = 0;
  for (int pass = 0; pass < passes; ++pass) {
#pragma unroll 4
    for (std::size_t i = threadIdx.x; i < slice; i += kThreads) {
      const uint4 four = kInL1 ? in[i] : __ldcg(in + i);
      sum += four.x + four.y + four.z + four.w;
    }
  }
  sums[blockIdx.x * kThreads + threadIdx.x] = sum;
}

__global__ void fill_kernel(std::uint32_t* out, std::size_t n) {
  const std::size_t threads = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < n; i += threads) {
    out[i] = static_cast<std::uint32_t>(i);
  }
}

// The seconds that `work` takes, by the device's events.
template <class Work>
double seconds_of(Work work) {
  cudaEvent_t begin, end;
  CHECK_CUDA(cudaEventCreate(&begin));
  CHECK_CUDA(cudaEventCreate(&end));
  CHECK_CUDA(cudaEventRecord(begin));
  work();
  CHECK_CUDA(cudaGetLastError());
  CHECK_CUDA(cudaEventRecord(end));
  CHECK_CUDA(cudaEventSynchronize(end));
  float milliseconds = 0;
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, begin, end));
  CHECK_CUDA(cudaEventDestroy(begin));
  CHECK_CUDA(cudaEventDestroy(end));
  return milliseconds / 1e3;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

enum class Level { l1, l2, memory };
constexpr std::array<const char*, 3> kNames{"L1", "L2", "memory"};

struct Latency {
  double clocks;
  double nanoseconds;
};

// A chase along `n` lines in random order, which the level holds and the one above it does not.
Latency latency_of(Level level, int n, int steps, std::size_t l2_bytes) {
  // Sattolo's shuffle: one cycle through all of them.
  std::vector<int> order(n);
  std::iota(order.begin(), order.end(), 0);
  lockstep::SplitMix64 random(n);
  for (int i = n - 1; i > 0; --i) std::swap(order[i], order[random.word() % i]);
  const lockstep::DeviceBytes line_bytes(n * sizeof(Line));
  Line* lines = line_bytes.as<Line>();
  std::vector<Line> host(n);
  for (int i = 0; i < n; ++i) host[i].next = lines + order[i];
  CHECK_CUDA(cudaMemcpy(lines, host.data(), n * sizeof(Line), cudaMemcpyHostToDevice));
  // L1 is empty when a kernel begins, L2 is not.
  const int warm_up = level == Level::memory ? 0 : n;
  int expected = 0;
  for (int step = 0; step < warm_up + steps; ++step) expected = order[expected];

  const lockstep::DeviceBytes other(4 * l2_bytes), clocks(sizeof(long long)), last(sizeof(Line*));
  const auto chase = [&](int timed) {
    chase_kernel<<<1, 1>>>(lines, warm_up, timed, clocks.as<long long>(), last.as<const Line*>());
  };
  std::vector<double> all_clocks, all_seconds;
  for (int round = 0; round < kRounds; ++round) {
    if (level == Level::memory) CHECK_CUDA(cudaMemset(other.as<void>(), round, 4 * l2_bytes));
    chase(0);  // loads the kernel, and in all levels but memory the lines
    const double seconds = seconds_of([&] { chase(steps); });
    long long counted = 0;
    const Line* ended = nullptr;
    CHECK_CUDA(cudaMemcpy(&counted, clocks.as<void>(), sizeof counted, cudaMemcpyDeviceToHost));
    CHECK_CUDA(cudaMemcpy(&ended, last.as<void>(), sizeof ended, cudaMemcpyDeviceToHost));
    if (ended != lines + expected) throw std::runtime_error("a chase ends at the wrong line");
    all_clocks.push_back(static_cast<double>(counted) / steps);
    all_seconds.push_back(seconds / (warm_up + steps));
  }
  return {median(all_clocks), 1e9 * median(all_seconds)};
}

// Bytes per second of `blocks` blocks that read `slice` bytes each, `passes` times.
double bandwidth_of(Level level, int blocks, std::size_t slice, int passes) {
  const std::size_t words = blocks * slice / sizeof(std::uint32_t);
  std::vector<std::uint32_t> host(std::size_t{1} * blocks * kThreads);
  const std::size_t sums_bytes = host.size() * sizeof host[0];
  const lockstep::DeviceBytes in(blocks * slice), sums(sums_bytes);
  fill_kernel<<<blocks, kThreads>>>(in.as<std::uint32_t>(), words);
  const auto read = [&] {
    if (level == Level::l1) {
      read_kernel<true>
          <<<blocks, kThreads>>>(in.as<uint4>(), slice / sizeof(uint4), passes, sums.as<std::uint32_t>());
    } else {
      read_kernel<false>
          <<<blocks, kThreads>>>(in.as<uint4>(), slice / sizeof(uint4), passes, sums.as<std::uint32_t>());
    }
  };
  read();  // the first launch also loads the kernel, and fills L2
  std::vector<double> seconds;
  for (int round = 0; round < kRounds; ++round) seconds.push_back(seconds_of(read));
  CHECK_CUDA(cudaMemcpy(host.data(), sums.as<void>(), sums_bytes, cudaMemcpyDeviceToHost));
  // 0 + 1 + … of all words, modulo 2^32.
  const auto sum =
      static_cast<std::uint32_t>(words % 2 == 0 ? words / 2 * (words - 1) : (words - 1) / 2 * words);
  if (std::accumulate(host.begin(), host.end(), 0U) != sum * static_cast<std::uint32_t>(passes)) {
    throw std::runtime_error("a sum of what was read is wrong");
  }
  return 1.0 * blocks * static_cast<double>(slice) * passes / median(seconds);
}

int main(int count, char** arguments) try {
  const int work = count > 1 ? std::atoi(arguments[1]) : 1;
  if (work < 1) throw std::runtime_error("WORK is a whole number from 1 on");
  int sms = 0, l2_bytes = 0;
  CHECK_CUDA(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0));
  CHECK_CUDA(cudaDeviceGetAttribute(&l2_bytes, cudaDevAttrL2CacheSize, 0));
  const int blocks = 2 * sms;  // as many as are resident
  const std::size_t one_load_each = kThreads * sizeof(uint4);
  const auto slice_of = [&](std::size_t bytes) {
    return std::max(bytes / blocks / one_load_each, std::size_t{1}) * one_load_each;
  };
  struct Row {
    Level level;
    int lines, steps;
    std::size_t slice;
    int passes;
  };
  const std::array<Row, 3> rows{
      {{Level::l1, 128, 65536, 4 * one_load_each, 8 * work},
       {Level::l2, 16384, 16384, slice_of(l2_bytes / 4), work},
       {Level::memory, 16384, 16384, slice_of(static_cast<std::size_t>(work) << 25), 1}}};
  std::printf("level    clocks per load   ns per load   bytes per second, all SMs\n");
  for (const Row& row : rows) {
    const Latency latency = latency_of(row.level, row.lines, row.steps, l2_bytes);
    const double bandwidth = bandwidth_of(row.level, blocks, row.slice, row.passes);
    std::printf("%-6s %17.1f %13.1f %27.3e\n", kNames[static_cast<int>(row.level)], latency.clocks,
                latency.nanoseconds, bandwidth);
  }
  return 0;
} catch (const std::exception& error) {
  std::printf("memory_levels: %s\n", error.what());
  return 1;
}
