// fails: bytes-per-step
// at: if (u * weights[ancestor] <= weights[proposed]) ancestor = proposed;
// Metropolis resampling as it was published: each step reads two weights, anywhere. Lecture: 21-resampling.
// Bound: random reads. A warp's 32 lanes ask for 32 sectors at every step, and use 4 bytes of each.
// Source: Murray, Lee and Jacob, "Parallel resampling in the particle filter", 2016, code 2.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "resampling.h"

constexpr int kThreads = 256;

// [metropolis-chain]
__global__ void metropolis_kernel(const float* weights, int n, int steps, unsigned long long seed,
                                  int* ancestors) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  int ancestor = i;
  for (int step = 0; step < steps; ++step) {
    const Words words = random_words(seed, Use::chain, i, step / 2);
    const int proposed = index_of(words.word[step % 2 * 2], n);
    const float u = uniform_of(words.word[step % 2 * 2 + 1]);
    // A product, not a ratio: 0 / 0 would be NaN, and NaN never moves.
    if (u * weights[ancestor] <= weights[proposed]) ancestor = proposed;
  }
  ancestors[i] = ancestor;
}
// [metropolis-chain]

std::size_t resampling_workspace_bytes(int) { return 0; }

void resampling(const float* weights, int n, int steps, unsigned long long seed, int* ancestors, void*,
                cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  metropolis_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(weights, n, steps, seed,
                                                                               ancestors);
  CHECK_CUDA(cudaGetLastError());
}
