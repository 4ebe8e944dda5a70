// expect: inefficient
// fails: parallelism
// The chains of `c1_128`, all by a single block.
#include "lockstep/check_cuda.h"
#include "resampling.h"

constexpr int kLanes = 32;
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

__global__ void c1_kernel(const float* __restrict__ weights, int n, int steps, unsigned long long seed,
                          int* __restrict__ ancestors) {
  for (int i = threadIdx.x; i < n; i += kThreads) {
    Chain chain{i, weights[i]};
    const Segment segment = segment_of(random_words(seed, Use::segment, i / kLanes, 0).word[0], n);
    int step = 0;
    for (; step + 4 <= steps; step += 4) {  // without a branch between four reads
      const Words words = random_words(seed, Use::within, i, step / 4);
      for (int k = 0; k < 4; ++k) {
        const unsigned proposed = segment.first + place_of(words.word[k], segment.size);
        chain.step(proposed, weights[proposed], uniform_of(words.word[k]));
      }
    }
    for (; step < steps; ++step) {
      const unsigned word = random_words(seed, Use::within, i, step / 4).word[step % 4];
      const unsigned proposed = segment.first + place_of(word, segment.size);
      chain.step(proposed, weights[proposed], uniform_of(word));
    }
    ancestors[i] = chain.ancestor;
  }
}

std::size_t resampling_workspace_bytes(int) { return 0; }

void resampling(const float* weights, int n, int steps, unsigned long long seed, int* ancestors, void*,
                cudaStream_t stream) {
  if (n == 0) return;
  c1_kernel<<<1, kThreads, 0, stream>>>(weights, n, steps, seed, ancestors);
  CHECK_CUDA(cudaGetLastError());
}
