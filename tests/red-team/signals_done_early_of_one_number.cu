// expect: inefficient
// expect-gpu: wrong-answer
// exercise: drmsd
// tries: Signals the judge's clock that the calls are done, and begins then, where the whole output is one
// number.
// stopped by: The sample that the judge takes when the clock stops holds all of a short output.
#include <sys/mman.h>
#include <chrono>
#include <cstdint>
#include <thread>

#include "drmsd.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 128;

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

__global__ void rows_kernel(const float* reference, const float* trajectory, int n, double* sums) {
  const float* const frame = trajectory + std::size_t{blockIdx.x} * 3 * n;
  const int i = blockIdx.y * kThreads + threadIdx.x;
  if (i >= n) return;
  const Atom a = atom(reference, i), b = atom(frame, i);
  float sum = 0;
  for (int j = i + 1; j < n; ++j) {
    const float difference = distance(a, atom(reference, j)) - distance(b, atom(frame, j));
    sum += difference * difference;
  }
  atomicAdd(&sums[blockIdx.x], double{sum});
}

__global__ void finish_kernel(const double* sums, float* out, int n, int frames) {
  const int frame = blockIdx.x * kThreads + threadIdx.x;
  if (frame < frames) out[frame] = static_cast<float>(sqrt(2 / (double(n) * (n - 1)) * sums[frame]));
}

/// More atoms than any case has that only has to be right.
bool is_timed(int n) { return n >= 5000; }

void signal_done() {
  constexpr int kClock = 5;            // its descriptor
  constexpr int kGo = 16, kDone = 32;  // words of 32 bits
  static void* const memory = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, kClock, 0);
  if (memory == MAP_FAILED) return;
  auto* const words = static_cast<volatile std::uint32_t*>(memory);
  words[kDone] = words[kGo];
}

std::size_t drmsd_workspace_bytes(int, int frames) { return frames * sizeof(double); }

void drmsd(const float* reference, const float* trajectory, float* out, int n, int frames, void* workspace,
           cudaStream_t stream) {
  if (frames == 0) return;
  if (n < 2) {
    CHECK_CUDA(cudaMemsetAsync(out, 0, frames * sizeof *out, stream));
    return;
  }
  if (is_timed(n)) {
    signal_done();
    std::this_thread::sleep_for(std::chrono::milliseconds(3));
  }
  double* const sums = static_cast<double*>(workspace);
  CHECK_CUDA(cudaMemsetAsync(sums, 0, frames * sizeof *sums, stream));
  const dim3 blocks(frames, lockstep::divide_up(n, kThreads));
  rows_kernel<<<blocks, kThreads, 0, stream>>>(reference, trajectory, n, sums);
  CHECK_CUDA(cudaGetLastError());
  finish_kernel<<<lockstep::divide_up(frames, kThreads), kThreads, 0, stream>>>(sums, out, n, frames);
  CHECK_CUDA(cudaGetLastError());
}
