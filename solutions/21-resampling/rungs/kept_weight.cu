// fails: bytes-per-step
// at: const float first_weight = weights[first], second_weight = weights[second];
// Metropolis resampling that keeps the weight it has, and asks for several at a time. Lecture: 21-resampling.
// Bound: random reads, one sector a step, as many as the card can answer: what is proposed depends on nothing
// that is read, so the next steps' weights are on their way while this one is decided.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "resampling.h"

constexpr int kThreads = 256;

/// Where a chain is, and the weight there.
struct Chain {
  int ancestor;
  float weight;

  __device__ void step(unsigned proposed, float its_weight, unsigned word) {
    if (uniform_of(word) * weight <= its_weight) {
      ancestor = static_cast<int>(proposed);
      weight = its_weight;
    }
  }
};

// [reads-ahead]
__global__ void metropolis_kernel(const float* __restrict__ weights, int n, int steps,
                                  unsigned long long seed, int* __restrict__ ancestors) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  Chain chain{i, weights[i]};
  const int pairs = steps / 2;
#pragma unroll 4
  for (int pair = 0; pair < pairs; ++pair) {
    const Words words = random_words(seed, Use::chain, i, pair);
    const unsigned first = index_of(words.word[0], n), second = index_of(words.word[2], n);
    const float first_weight = weights[first], second_weight = weights[second];
    chain.step(first, first_weight, words.word[1]);
    chain.step(second, second_weight, words.word[3]);
  }
  // [reads-ahead]
  if (steps % 2 != 0) {
    const Words words = random_words(seed, Use::chain, i, pairs);
    const unsigned last = index_of(words.word[0], n);
    chain.step(last, weights[last], words.word[1]);
  }
  ancestors[i] = chain.ancestor;
}

std::size_t resampling_workspace_bytes(int) { return 0; }

void resampling(const float* weights, int n, int steps, unsigned long long seed, int* ancestors, void*,
                cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  metropolis_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(weights, n, steps, seed,
                                                                               ancestors);
  CHECK_CUDA(cudaGetLastError());
}
