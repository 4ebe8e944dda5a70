// Metropolis-C2 with segments of 128 bytes: a warp reads one line a step, each step another. Lecture:
// 21-resampling.
// Bound: four sectors a warp and step from L2, and the instructions for random words.
// Source: Dülger, Oğuztüzün and Demirekler, "Memory coalescing implementation of Metropolis resampling on
// graphics processing unit", Journal of Signal Processing Systems 90, 2018.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "resampling.h"

constexpr int kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;
constexpr unsigned kSegment = 32;  // weights, which are 128 bytes

/// Where a chain is, and the weight there.
struct Chain {
  int ancestor;
  float weight;

  __device__ void step(unsigned proposed, float its_weight, float u) {
    if (u * weight <= its_weight) {
      ancestor = static_cast<int>(proposed);
      weight = its_weight;
    }
  }
};

/// Neighbouring particles that a warp's lanes choose from.
struct Segment {
  unsigned first, size;
};

/// The segment of a particle that is drawn from all n: the last segment may be shorter, and is then drawn
/// less often, so that all particles are proposed alike.
__device__ Segment segment_of(unsigned word, unsigned n) {
  const unsigned first = index_of(word, n) / kSegment * kSegment;
  return {first, min(kSegment, n - first)};
}

__global__ void c2_kernel(const float* __restrict__ weights, int n, int steps, unsigned long long seed,
                          int* __restrict__ ancestors) {
  const int i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % kLanes;
  const int own = min(i, n - 1);  // all lanes stay, to draw segments for each other
  Chain chain{own, weights[own]};
  Words drawn;  // by each lane, for four steps that follow one another
  // [segment-a-step]
  int step = 0;
  for (; step + 4 <= steps; step += 4) {  // without a branch between four reads
    const int turn = step / 4 % kLanes;
    if (turn == 0) drawn = random_words(seed, Use::segment, i / kLanes, step / 4 + lane);
    const Words words = random_words(seed, Use::within, own, step / 4);
    for (int k = 0; k < 4; ++k) {
      const Segment segment = segment_of(__shfl_sync(kAllLanes, drawn.word[k], turn), n);
      const unsigned proposed = segment.first + place_of(words.word[k], segment.size);
      chain.step(proposed, weights[proposed], uniform_of(words.word[k]));
    }
  }
  // [segment-a-step]
  for (; step < steps; ++step) {
    const unsigned word = random_words(seed, Use::within, own, step / 4).word[step % 4];
    const unsigned of_segment = random_words(seed, Use::segment, i / kLanes, step / 4).word[step % 4];
    const Segment segment = segment_of(of_segment, n);
    const unsigned proposed = segment.first + place_of(word, segment.size);
    chain.step(proposed, weights[proposed], uniform_of(word));
  }
  if (i < n) ancestors[i] = chain.ancestor;
}

std::size_t resampling_workspace_bytes(int) { return 0; }

void resampling(const float* weights, int n, int steps, unsigned long long seed, int* ancestors, void*,
                cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  c2_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(weights, n, steps, seed, ancestors);
  CHECK_CUDA(cudaGetLastError());
}
