// Compare all frames of a trajectory with each other: the file that you hand in. The task is in README.md,
// the interface in drmsd_matrix.h.
#include "drmsd_matrix.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 16;  // of a block, along either side

__global__ void pairs_kernel(const float* trajectory, float* out, int n, int frames) {
  const int f = blockIdx.y * kThreads + threadIdx.y, g = blockIdx.x * kThreads + threadIdx.x;
  if (f >= g || g >= frames) return;
  // TODO: write the dRMSD of the frames f and g to its place in the condensed matrix. Once that is correct,
  // make it economical: a distance between two atoms of a frame serves more than one pair of frames.
}

void drmsd_matrix(const float* trajectory, float* out, int n, int frames, cudaStream_t stream) {
  if (frames < 2) return;
  const std::size_t distances = std::size_t{1} * frames * (frames - 1) / 2;
  CHECK_CUDA(cudaMemsetAsync(out, 0, distances * sizeof *out, stream));
  const int blocks = lockstep::divide_up(frames, kThreads);
  pairs_kernel<<<dim3(blocks, blocks), dim3(kThreads, kThreads), 0, stream>>>(trajectory, out, n, frames);
  CHECK_CUDA(cudaGetLastError());
}
