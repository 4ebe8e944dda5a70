// Megopolis: all warps shift by the same random distance and read side by side. Lecture: 16-resampling.
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
  // `count` is a constant but for the last steps: no branch comes between four reads.
  const auto take = [&](int first, int count) {
    const int turn = first / 4 % kLanes;
    if (turn == 0) drawn = random_words(seed, Use::shift, 0, first / 4 + lane);
    const Words words = random_words(seed, Use::within, i, first / 4);
    for (int k = 0; k < 4; ++k) {
      if (k >= count) break;
      const unsigned shift = index_of(__shfl_sync(kAllLanes, drawn.word[k], turn), padded);
      const unsigned proposed = shifted(i, shift, padded);
      const float its_weight = proposed < n ? weights[proposed] : -1;  // nobody is there, nobody moves there
      if (uniform_of(words.word[k]) * weight <= its_weight) {
        ancestor = proposed;
        weight = its_weight;
      }
    }
  };
  int first = 0;
  for (; first + 4 <= steps; first += 4) take(first, 4);
  if (first < steps) take(first, steps - first);
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
