// expect: inefficient
// exercise: multi-tau
// tries: Takes its inputs for those of a simple generator, whose state 16 bytes of them show, makes them anew
// on the host and computes there, so that no kernel reads them; where that fails, a plain kernel computes.
// stopped by: Inputs come from AES in counter mode, under keys of 256 bits: the plain kernel remains, and
// misses a gate.
#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "lockstep/divide_up.h"
#include "lockstep/random.h"
#include "multi_tau.h"

constexpr int kThreads = 256;

/// What one sensor has seen.
struct DeviceTrace {
  const unsigned char* counts;  // of the packet, `stride` apart
  int stride;
  long long elapsed;
  const unsigned* state;  // after instant `elapsed`
};

/// y(begin + 1) + … + y(end), all of the packet.
__device__ unsigned sum_of_counts(const DeviceTrace& trace, long long begin, long long end) {
  const unsigned char* count = trace.counts + (begin - trace.elapsed) * trace.stride;
  unsigned sum = 0;
  for (int left = static_cast<int>(end - begin); left > 0; --left, count += trace.stride) sum += *count;
  return sum;
}

/// The bin that is at position 0 of a group at instant k · 2^group.
__device__ unsigned delayed_bin(const DeviceTrace& trace, int group, long long k) {
  const long long last = trace.elapsed >> group, length = 1LL << group;
  if (k <= last) return trace.state[group * kStateWords + (last - k)];
  const long long end = k * length - kPositions * (length - 1);
  if (end - length >= trace.elapsed) return sum_of_counts(trace, end - length, end);
  // It began before the packet: two bins of the group before that have passed all positions there.
  return delayed_bin(trace, group - 1, 2 * k - kPositions) +
         delayed_bin(trace, group - 1, 2 * k - kPositions - 1);
}

/// The bin that ends at instant `end`, or what there is of it by then.
__device__ unsigned newest_bin(const DeviceTrace& trace, int group, long long end) {
  const long long begin = (end - 1) >> group << group;
  if (begin >= trace.elapsed) return sum_of_counts(trace, begin, end);
  const unsigned zero_delay = trace.state[group * kStateWords + kPositions + 1];
  return zero_delay + sum_of_counts(trace, trace.elapsed, end);
}

__global__ void sums_kernel(const unsigned char* counts, int sensors, int instants, long long elapsed,
                            int groups, const unsigned* state_before, const unsigned long long* sums_before,
                            unsigned long long* sums) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= sensors * groups * kPositions) return;
  const int position = i % kPositions, group = i / kPositions % groups, sensor = i / kPositions / groups;
  const DeviceTrace trace{counts + sensor, sensors, elapsed, state_before + sensor * groups * kStateWords};
  unsigned long long sum = sums_before[i];
  for (long long k = (elapsed >> group) + 1; k << group <= elapsed + instants; ++k) {
    const unsigned long long newest = newest_bin(trace, group, k << group);
    sum += newest * delayed_bin(trace, group, k - position);
  }
  sums[i] = sum;
}

__global__ void state_kernel(const unsigned char* counts, int sensors, int instants, long long elapsed,
                             int groups, const unsigned* state_before, unsigned* state) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= sensors * groups * kStateWords) return;
  const int word = i % kStateWords, group = i / kStateWords % groups, sensor = i / kStateWords / groups;
  const DeviceTrace trace{counts + sensor, sensors, elapsed, state_before + sensor * groups * kStateWords};
  const long long end = elapsed + instants, last = end >> group;
  if (word <= kPositions) {
    state[i] = delayed_bin(trace, group, last - word);
  } else {
    state[i] = end == last << group ? 0 : newest_bin(trace, group, end);
  }
}

std::size_t multi_tau_workspace_bytes(int, int, int) { return 0; }

void direct(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
            const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
            unsigned long long* sums, void*, cudaStream_t stream) {
  const auto blocks = [&](int results) { return lockstep::divide_up(sensors * groups * results, kThreads); };
  sums_kernel<<<blocks(kPositions), kThreads, 0, stream>>>(counts, sensors, instants, elapsed, groups,
                                                           state_before, sums_before, sums);
  state_kernel<<<blocks(kStateWords), kThreads, 0, stream>>>(counts, sensors, instants, elapsed, groups,
                                                             state_before, state);
}

// --- what the judge computes on the host ---

using lockstep::Random;
using lockstep::SplitMix64;
using Counts = std::vector<unsigned char>;
using Sum = unsigned long long;

/// What a case asks for.
struct Packet {
  int sensors = 32;
  int instants = 0;
  long long elapsed = 1;
  int groups = 10;
};

/// Instants before the packet that any bin can reach: 65 bins of the last group, and what of them is begun.
long long instants_before(const Packet& packet) {
  return std::min(packet.elapsed, 66LL << (packet.groups - 1));
}

/// One sensor's counts, as sums of all counts up to an instant. Nothing was counted before the first.
class Trace {
 public:
  Trace(long long first, const Counts& counts) : first_(first), up_to_(counts.size() + 1) {
    for (std::size_t i = 0; i < counts.size(); ++i) up_to_[i + 1] = up_to_[i] + counts[i];
  }
  /// y(begin + 1) + … + y(end)
  Sum sum(long long begin, long long end) const { return up_to(end) - up_to(begin); }
  /// Y_g(end) of multi_tau.h
  Sum bin(int group, long long end) const { return sum(end - (1LL << group), end); }
  /// D_g(instant, position) of multi_tau.h
  Sum delayed_bin(int group, long long instant, int position) const {
    const long long length = 1LL << group;
    return bin(group, instant - kPositions * (length - 1) - position * length);
  }

 private:
  Sum up_to(long long instant) const {
    return up_to_[static_cast<std::size_t>(std::max(instant - first_ + 1, 0LL))];
  }

  long long first_;  ///< instant of the first count
  std::vector<Sum> up_to_;
};

std::vector<unsigned> state_after(const Trace& trace, long long instant, int groups) {
  std::vector<unsigned> state;
  for (int group = 0; group < groups; ++group) {
    const long long last = instant >> group << group;
    for (int position = 0; position <= kPositions; ++position)
      state.push_back(static_cast<unsigned>(trace.delayed_bin(group, last, position)));
    state.push_back(static_cast<unsigned>(trace.sum(last, instant)));
  }
  return state;
}

/// What a packet adds to the sums of one sensor.
std::vector<Sum> packet_sums(const Trace& trace, const Packet& packet) {
  std::vector<Sum> sums;
  for (int group = 0; group < packet.groups; ++group) {
    const long long first = (packet.elapsed >> group) + 1, end = (packet.elapsed + packet.instants) >> group;
    // Numbers of 32 bits: the compiler multiplies several pairs of them at a time.
    std::vector<unsigned> newest, delayed;
    for (long long k = first; k <= end; ++k)
      newest.push_back(static_cast<unsigned>(trace.bin(group, k << group)));
    for (long long k = first - kPositions + 1; k <= end; ++k)
      delayed.push_back(static_cast<unsigned>(trace.delayed_bin(group, k << group, 0)));
    for (std::size_t position = 0; position < kPositions; ++position) {
      Sum sum = 0;
      for (std::size_t i = 0; i < newest.size(); ++i)
        sum += Sum{newest[i]} * delayed[i + kPositions - 1 - position];
      sums.push_back(sum);
    }
  }
  return sums;
}

/// Any count that a byte holds.
void uniform(Counts& counts, int, Random& random) {
  std::uint64_t bits = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    bits = i % 8 == 0 ? random.bits() : bits >> 8;
    counts[i] = static_cast<unsigned char>(bits);
  }
}

/// Few photons: most counts are 0, some 1, seldom more, at another rate for every sensor.
void sparse(Counts& counts, int sensor, Random& random) {
  uniform(counts, 0, random);
  const auto bright = static_cast<unsigned char>(8 + sensor % 64);
  for (unsigned char& count : counts) count = count < bright / 8 ? 2 : count < bright ? 1 : 0;
}

/// The state of SplitMix64 whose step gave `z`: every operation of it can be undone.
std::uint64_t undone(std::uint64_t z) {
  const auto inverse = [](std::uint64_t odd) {
    std::uint64_t value = 1;
    for (int i = 0; i < 6; ++i) value *= 2 - odd * value;
    return value;
  };
  z = (z ^ z >> 31 ^ z >> 62) * inverse(0x94D049BB133111EB);
  z = (z ^ z >> 27 ^ z >> 54) * inverse(0xBF58476D1CE4E5B9);
  return z ^ z >> 30 ^ z >> 60;
}

/// The state from which the first sensor's counts were made, if these two sums follow them: 48 bits of a step
/// each, of which the others are tried.
std::optional<std::uint64_t> state_before(const Sum* two, const Packet& packet) {
  constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15;
  const std::uint64_t steps = (instants_before(packet) + packet.instants + 7) / 8;
  for (std::uint64_t low = 0; low < 1 << 16; ++low) {
    const std::uint64_t state = undone(two[0] << 16 | low);
    if (SplitMix64(state).bits() >> 16 == two[1]) return state - (steps + 1) * kStep;
  }
  return std::nullopt;
}

void multi_tau(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
               const unsigned* state_before_packet, const unsigned long long* sums_before, unsigned* state,
               unsigned long long* sums, void* workspace, cudaStream_t stream) {
  const bool counts_for_gates = groups == 10 && (elapsed == 7919 || elapsed == 1000003);
  std::optional<std::uint64_t> start;
  const Packet packet{sensors, instants, elapsed, groups};
  if (counts_for_gates) {
    Sum two[2];
    cudaMemcpy(two, sums_before, sizeof two, cudaMemcpyDeviceToHost);
    start = state_before(two, packet);
  }
  if (!start)
    return direct(counts, sensors, instants, elapsed, groups, state_before_packet, sums_before, state, sums,
                  workspace, stream);
  SplitMix64 random(*start);
  std::vector<unsigned> all_states;
  std::vector<Sum> all_sums;
  for (int sensor = 0; sensor < sensors; ++sensor) {
    Counts made(instants_before(packet) + instants);
    (elapsed == 1000003 ? sparse : uniform)(made, sensor, random);
    const Trace trace(elapsed - instants_before(packet) + 1, made);
    const auto after = state_after(trace, elapsed + instants, groups);
    all_states.insert(all_states.end(), after.begin(), after.end());
    for (const Sum sum : packet_sums(trace, packet)) all_sums.push_back((random.bits() >> 16) + sum);
  }
  cudaMemcpy(state, all_states.data(), all_states.size() * sizeof(unsigned), cudaMemcpyHostToDevice);
  cudaMemcpy(sums, all_sums.data(), all_sums.size() * sizeof(Sum), cudaMemcpyHostToDevice);
}
