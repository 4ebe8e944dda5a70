// The largest element and its place by a tree in shared memory for every 256 elements. Lecture: 06-reduction.
// Bound: instructions and waiting. A thread combines one pair, and all wait for each other eight times.
#include <algorithm>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "reduction_arg_max.h"

constexpr int kThreads = 256;  // of a block, each with one element

/// Whether a pair of a value and a place comes before another: the larger value, of equals the lower place.
/// The place of no element, -1, is the highest as an unsigned number.
__device__ bool is_better(float value, int place, float other, int other_place) {
  return value > other ||
         (value == other && static_cast<unsigned>(place) < static_cast<unsigned>(other_place));
}

/// Of elements, whose places are their numbers, or of the pairs that blocks before have left.
__global__ void best_of_block_kernel(const float* in, const int* places, int n, float* values_out,
                                     int* places_out) {
  __shared__ float values[kThreads];
  __shared__ int own_places[kThreads];
  const int thread = threadIdx.x, i = blockIdx.x * kThreads + thread;
  values[thread] = i < n ? in[i] : -INFINITY;
  own_places[thread] = i < n ? (places ? places[i] : i) : -1;
  __syncthreads();
  for (int half = kThreads / 2; half > 0; half /= 2) {
    if (thread < half) {
      const float other = values[thread + half];
      const int other_place = own_places[thread + half];
      if (is_better(other, other_place, values[thread], own_places[thread])) {
        values[thread] = other;
        own_places[thread] = other_place;
      }
    }
    __syncthreads();
  }
  if (thread > 0) return;
  values_out[blockIdx.x] = values[0];
  places_out[blockIdx.x] = own_places[0];
}

/// Of n elements, or of so many pairs: at least one, since a block writes what there is of no elements.
int blocks_for(int n) { return std::max(lockstep::divide_up(n, kThreads), 1); }

std::size_t reduction_arg_max_workspace_bytes(int n) {
  std::size_t pairs = 0;
  for (int blocks = blocks_for(n); blocks > 1; blocks = blocks_for(blocks)) pairs += blocks;
  return pairs * (sizeof(float) + sizeof(int));
}

void reduction_arg_max(const float* in, int n, float* largest, int* place, void* workspace,
                       cudaStream_t stream) {
  auto* next = static_cast<float*>(workspace);
  const int* places = nullptr;
  for (int blocks = blocks_for(n);; blocks = blocks_for(n)) {
    const bool is_last = blocks == 1;
    auto* const values_out = is_last ? largest : next;
    auto* const places_out = is_last ? place : reinterpret_cast<int*>(next + blocks);
    best_of_block_kernel<<<blocks, kThreads, 0, stream>>>(in, places, n, values_out, places_out);
    CHECK_CUDA(cudaGetLastError());
    if (is_last) return;
    in = values_out;
    places = places_out;
    n = blocks;
    next += 2 * blocks;
  }
}
