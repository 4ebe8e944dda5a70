// expect: inefficient
// One thread adds up a whole segment: right, but the lanes of a warp are a segment apart and share no sector.
#include "block_scan.h"
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 64;

__global__ void block_scan_kernel(const int* in, int* out, int segments, int length) {
  const int segment = blockIdx.x * kThreads + threadIdx.x;
  if (segment >= segments) return;
  int sum = 0;
  for (int i = segment * length; i < (segment + 1) * length; ++i) {
    out[i] = sum;
    sum += in[i];
  }
}

void block_scan(const int* in, int* out, int segments, int length, cudaStream_t stream) {
  if (segments == 0 || length == 0) return;  // a grid without blocks is an error
  block_scan_kernel<<<lockstep::divide_up(segments, kThreads), kThreads, 0, stream>>>(in, out, segments,
                                                                                      length);
  CHECK_CUDA(cudaGetLastError());
}
