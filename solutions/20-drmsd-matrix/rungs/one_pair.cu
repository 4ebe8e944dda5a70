// fails: bytes-per-element
// at: return {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
// fails: lane-instructions
// at: return {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
// All dRMSDs of a trajectory with a thread for each pair of frames, which goes over all pairs of atoms.
// Lecture: 20-drmsd. Bound: requests, whose lanes read from frames that lie apart.
#include "drmsd_matrix.h"

#include <cstdint>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kSide = 16;  // of a block, in frames

struct Atom {
  float x, y, z;
};

__device__ Atom atom(const float* positions, int i) {
  return {positions[3 * i], positions[3 * i + 1], positions[3 * i + 2]};
}

__device__ float distance(Atom a, Atom b) {
  const float x = a.x - b.x, y = a.y - b.y, z = a.z - b.z;
  return sqrtf(x * x + y * y + z * z);
}

/// Where the matrix holds the dRMSD of frames f < g: behind the rows before, and the frames up to f.
__device__ std::int64_t place(int f, int g, int frames) {
  return std::int64_t{f} * (2 * std::int64_t{frames} - f - 1) / 2 + g - f - 1;
}

__global__ void pairs_kernel(const float* trajectory, float* out, int n, int frames) {
  const int f = blockIdx.y * kSide + threadIdx.y, g = blockIdx.x * kSide + threadIdx.x;
  if (f >= g || g >= frames) return;
  const float* const one = trajectory + std::int64_t{3} * n * f;
  const float* const other = trajectory + std::int64_t{3} * n * g;
  double sum = 0;
  for (int i = 0; i < n; ++i) {
    const Atom a = atom(one, i), b = atom(other, i);
    float row = 0;
    for (int j = i + 1; j < n; ++j) {
      const float difference = distance(a, atom(one, j)) - distance(b, atom(other, j));
      row += difference * difference;
    }
    sum += row;
  }
  const double pairs = double(n) * (n - 1) / 2;
  out[place(f, g, frames)] = n < 2 ? 0 : static_cast<float>(sqrt(sum / pairs));
}

void drmsd_matrix(const float* trajectory, float* out, int n, int frames, cudaStream_t stream) {
  if (frames < 2) return;
  const int blocks = lockstep::divide_up(frames, kSide);
  pairs_kernel<<<dim3(blocks, blocks), dim3(kSide, kSide), 0, stream>>>(trajectory, out, n, frames);
  CHECK_CUDA(cudaGetLastError());
}
