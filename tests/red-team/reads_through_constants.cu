// expect: inefficient
// exercise: drmsd
// tries: Copies all atoms into constant memory, where each thread reads them for all of its pairs: traffic
// that is not global memory's.
// stopped by: Loads of constants are counted in sectors, and the gate on bytes adds them.
// says: loads of constants move
#include "drmsd.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 128, kMaxAtoms = 2700;

__constant__ float constant_atoms[2][3 * kMaxAtoms];

__device__ float distance(const float* atoms, int i, int j) {
  const float x = atoms[3 * i] - atoms[3 * j], y = atoms[3 * i + 1] - atoms[3 * j + 1],
              z = atoms[3 * i + 2] - atoms[3 * j + 2];
  return sqrtf(x * x + y * y + z * z);
}

template <bool kConstant>
__global__ void rows_kernel(const float* reference, const float* frame, int n, double* sum) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  if (i >= n) return;
  double mine = 0;
  for (int j = 0; j < n; ++j) {  // the same for all lanes
    const float difference = kConstant ? distance(constant_atoms[0], i, j) - distance(constant_atoms[1], i, j)
                                       : distance(reference, i, j) - distance(frame, i, j);
    mine += j > i ? difference * difference : 0;
  }
  atomicAdd(sum, mine);
}

__global__ void finish_kernel(const double* sums, float* out, int n, int frames) {
  const int frame = blockIdx.x * kThreads + threadIdx.x;
  if (frame < frames) out[frame] = sqrt(2 / (double(n) * (n - 1)) * sums[frame]);
}

std::size_t drmsd_workspace_bytes(int, int frames) { return frames * sizeof(double); }

void drmsd(const float* reference, const float* trajectory, float* out, int n, int frames, void* workspace,
           cudaStream_t stream) {
  if (frames == 0) return;
  if (n < 2) {
    cudaMemsetAsync(out, 0, frames * sizeof *out, stream);
    return;
  }
  double* const sums = static_cast<double*>(workspace);
  cudaMemsetAsync(sums, 0, frames * sizeof *sums, stream);
  const std::size_t bytes = sizeof(float) * 3 * n;
  for (int f = 0; f < frames; ++f) {
    const float* const frame = trajectory + std::size_t{3} * n * f;
    const int blocks = lockstep::divide_up(n, kThreads);
    if (n > kMaxAtoms) {
      rows_kernel<false><<<blocks, kThreads, 0, stream>>>(reference, frame, n, &sums[f]);
      continue;
    }
    cudaMemcpyToSymbolAsync(constant_atoms, reference, bytes, 0, cudaMemcpyDeviceToDevice, stream);
    cudaMemcpyToSymbolAsync(constant_atoms, frame, bytes, sizeof constant_atoms[0], cudaMemcpyDeviceToDevice,
                            stream);
    rows_kernel<true><<<blocks, kThreads, 0, stream>>>(reference, frame, n, &sums[f]);
  }
  finish_kernel<<<lockstep::divide_up(frames, kThreads), kThreads, 0, stream>>>(sums, out, n, frames);
}
