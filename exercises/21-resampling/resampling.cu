// Draw ancestors in proportion to weights: the file that you hand in. The task is in README.md, the interface
// in resampling.h.
#include "resampling.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

/// One thread per particle: its chain begins with itself.
__global__ void metropolis_kernel(const float* weights, int n, int steps, unsigned long long seed,
                                  int* ancestors) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  int ancestor = i;
  for (int step = 0; step < steps; ++step) {
    const Words words = random_words(seed, Use::chain, i, step / 2);
    // TODO: the words of an even step are words.word[0] and [1], of an odd one [2] and [3]. The first tells
    // the particle that the step proposes, the second whether the chain moves to it; README.md says how.
  }
  ancestors[i] = ancestor;
}

std::size_t resampling_workspace_bytes(int) { return 0; }

void resampling(const float* weights, int n, int steps, unsigned long long seed, int* ancestors, void*,
                cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  metropolis_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(weights, n, steps, seed,
                                                                               ancestors);
  CHECK_CUDA(cudaGetLastError());
}
