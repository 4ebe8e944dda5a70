// fails: global-sectors
// at: for (int left = static_cast<int>(end - begin); left > 0; --left
// Multi-tau, a thread for each sum, every bin added up anew from the counts. Lecture: 17-multi-tau.
// Bound: reads of counts, of which each serves one addition; a bin of 512 counts is added up 64 times.
#include "multi_tau.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

/// What one sensor has seen.
struct Trace {
  const unsigned char* counts;  // of the packet, `stride` apart
  int stride;
  long long elapsed;
  const unsigned* state;  // after instant `elapsed`
};

// [sum-of-counts]
/// y(begin + 1) + … + y(end), all of the packet.
__device__ unsigned sum_of_counts(const Trace& trace, long long begin, long long end) {
  const unsigned char* count = trace.counts + (begin - trace.elapsed) * trace.stride;
  unsigned sum = 0;
  for (int left = static_cast<int>(end - begin); left > 0; --left, count += trace.stride) sum += *count;
  return sum;
}
// [sum-of-counts]

// [delayed-bin]
/// The bin that is at position 0 of a group at instant k · 2^group.
__device__ unsigned delayed_bin(const Trace& trace, int group, long long k) {
  const long long last = trace.elapsed >> group, length = 1LL << group;
  if (k <= last) return trace.state[group * kStateWords + (last - k)];
  const long long end = k * length - kPositions * (length - 1);
  if (end - length >= trace.elapsed) return sum_of_counts(trace, end - length, end);
  // It began before the packet: two bins of the group before that have passed all positions there.
  return delayed_bin(trace, group - 1, 2 * k - kPositions) +
         delayed_bin(trace, group - 1, 2 * k - kPositions - 1);
}
// [delayed-bin]

/// The bin that ends at instant `end`, or what there is of it by then.
__device__ unsigned newest_bin(const Trace& trace, int group, long long end) {
  const long long begin = (end - 1) >> group << group;
  if (begin >= trace.elapsed) return sum_of_counts(trace, begin, end);
  const unsigned zero_delay = trace.state[group * kStateWords + kPositions + 1];
  return zero_delay + sum_of_counts(trace, trace.elapsed, end);
}

// [one-sum]
__global__ void sums_kernel(const unsigned char* counts, int sensors, int instants, long long elapsed,
                            int groups, const unsigned* state_before, const unsigned long long* sums_before,
                            unsigned long long* sums) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= sensors * groups * kPositions) return;
  const int position = i % kPositions, group = i / kPositions % groups, sensor = i / kPositions / groups;
  const Trace trace{counts + sensor, sensors, elapsed, state_before + sensor * groups * kStateWords};
  unsigned long long sum = sums_before[i];
  for (long long k = (elapsed >> group) + 1; k << group <= elapsed + instants; ++k) {
    const unsigned long long newest = newest_bin(trace, group, k << group);
    sum += newest * delayed_bin(trace, group, k - position);
  }
  sums[i] = sum;
}
// [one-sum]

__global__ void state_kernel(const unsigned char* counts, int sensors, int instants, long long elapsed,
                             int groups, const unsigned* state_before, unsigned* state) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= sensors * groups * kStateWords) return;
  const int word = i % kStateWords, group = i / kStateWords % groups, sensor = i / kStateWords / groups;
  const Trace trace{counts + sensor, sensors, elapsed, state_before + sensor * groups * kStateWords};
  const long long end = elapsed + instants, last = end >> group;
  if (word <= kPositions) {
    state[i] = delayed_bin(trace, group, last - word);
  } else {
    state[i] = end == last << group ? 0 : newest_bin(trace, group, end);
  }
}

std::size_t multi_tau_workspace_bytes(int, int, int) { return 0; }

void multi_tau(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
               const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
               unsigned long long* sums, void*, cudaStream_t stream) {
  const auto blocks = [&](int results) { return lockstep::divide_up(sensors * groups * results, kThreads); };
  sums_kernel<<<blocks(kPositions), kThreads, 0, stream>>>(counts, sensors, instants, elapsed, groups,
                                                           state_before, sums_before, sums);
  CHECK_CUDA(cudaGetLastError());
  state_kernel<<<blocks(kStateWords), kThreads, 0, stream>>>(counts, sensors, instants, elapsed, groups,
                                                             state_before, state);
  CHECK_CUDA(cudaGetLastError());
}
