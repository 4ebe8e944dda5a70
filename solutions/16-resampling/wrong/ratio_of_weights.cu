// expect: wrong-answer
// says: the weights are divided by each other
// Compares u with a ratio of weights: 0 / 0 is NaN, and NaN never moves.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "resampling.h"

constexpr int kThreads = 256;

__global__ void metropolis_kernel(const float* weights, int n, int steps, unsigned long long seed,
                                  int* ancestors) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  int ancestor = i;
  for (int step = 0; step < steps; ++step) {
    const Words words = random_words(seed, Use::chain, i, step / 2);
    const int proposed = index_of(words.word[step % 2 * 2], n);
    const float u = uniform_of(words.word[step % 2 * 2 + 1]);
    if (u <= weights[proposed] / weights[ancestor]) ancestor = proposed;
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
