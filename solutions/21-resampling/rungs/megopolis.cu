// Megopolis: all warps shift by the same random distance and read side by side. Lecture: 21-resampling.
// Bound: four sectors a warp and step from L2, and the instructions for random words; a word a step is
// enough. Source: Chesser, van Nguyen and Ranasinghe, "The Megopolis Resampler: Memory Coalesced Resampling
// on GPUs", 2021.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "resampling.h"

constexpr unsigned kLanes = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kThreads = 256;

// [shifted-warp]
/// What lane i proposes when the particles are shifted: the warp keeps to 32 neighbours that begin at a
/// multiple of 32, turned among themselves. `padded` is n, up to a multiple of 32.
__device__ unsigned shifted(unsigned i, unsigned shift, unsigned padded) {
  unsigned first = i / kLanes * kLanes + shift / kLanes * kLanes;
  if (first >= padded) first -= padded;
  return first + (i + shift) % kLanes;
}
// [shifted-warp]

__global__ void megopolis_kernel(const float* __restrict__ weights, unsigned n, int steps,
                                 unsigned long long seed, int* __restrict__ ancestors) {
  const unsigned i = blockIdx.x * kThreads + threadIdx.x, lane = threadIdx.x % kLanes;
  const unsigned padded = (n + kLanes - 1) / kLanes * kLanes;
  unsigned ancestor = i;
  float weight = i < n ? weights[i] : 0;
  Words drawn;  // by each lane, for four steps that follow one another
  const auto step_to = [&](unsigned proposed, float its_weight, unsigned word) {
    if (!(uniform_of(word) * weight <= its_weight)) return;
    ancestor = proposed;
    weight = its_weight;
  };
  int step = 0;
  for (; step + 4 <= steps; step += 4) {  // without a branch between four reads
    const int turn = step / 4 % kLanes;
    if (turn == 0) drawn = random_words(seed, Use::shift, 0, step / 4 + lane);
    const Words words = random_words(seed, Use::within, i, step / 4);
    for (int k = 0; k < 4; ++k) {
      const unsigned shift = index_of(__shfl_sync(kAllLanes, drawn.word[k], turn), padded);
      const unsigned proposed = shifted(i, shift, padded);
      // Where nobody is, nobody moves.
      step_to(proposed, proposed < n ? weights[proposed] : -1, words.word[k]);
    }
  }
  for (; step < steps; ++step) {
    const unsigned shift = index_of(random_words(seed, Use::shift, 0, step / 4).word[step % 4], padded);
    const unsigned proposed = shifted(i, shift, padded);
    const unsigned word = random_words(seed, Use::within, i, step / 4).word[step % 4];
    step_to(proposed, proposed < n ? weights[proposed] : -1, word);
  }
  if (i < n) ancestors[i] = static_cast<int>(ancestor);
}

std::size_t resampling_workspace_bytes(int) { return 0; }

void resampling(const float* weights, int n, int steps, unsigned long long seed, int* ancestors, void*,
                cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  megopolis_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(weights, n, steps, seed,
                                                                              ancestors);
  CHECK_CUDA(cudaGetLastError());
}
