// Copies and kernels that may overlap: an array goes through the device in pieces, alternately in two
// streams, from pinned memory and back, between two events. Lecture 02, First kernels.
#include <algorithm>
#include <cstdio>
#include <exception>

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "lockstep/random.h"

__host__ __device__ int next_state(int state) {  // one step of Marsaglia's xorshift generator
  auto x = static_cast<unsigned>(state);
  x ^= x << 13;
  x ^= x >> 17;
  x ^= x << 5;
  return static_cast<int>(x);
}

__global__ void step_kernel(int* states, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) states[i] = next_state(states[i]);
}

constexpr int kElements = 1'000'003, kPieces = 8, kThreads = 256;

int main() try {
  int *in = nullptr, *out = nullptr, *states = nullptr;
  cudaStream_t streams[2];
  cudaEvent_t start, stop, forked_work_done;
  // [pinned]
  CHECK_CUDA(cudaMallocHost(&in, kElements * sizeof(int)));
  CHECK_CUDA(cudaMallocHost(&out, kElements * sizeof(int)));
  CHECK_CUDA(cudaMalloc(&states, kElements * sizeof(int)));
  for (cudaStream_t& stream : streams) {
    CHECK_CUDA(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  }
  // [pinned]
  for (cudaEvent_t* const event : {&start, &stop, &forked_work_done}) CHECK_CUDA(cudaEventCreate(event));
  lockstep::SplitMix64 random(6);
  for (int i = 0; i < kElements; ++i) in[i] = random.integer(1, 1'000'000'000);

  // [fork]
  CHECK_CUDA(cudaEventRecord(start, streams[0]));
  CHECK_CUDA(cudaStreamWaitEvent(streams[1], start));
  // [fork]
  // [pieces]
  const int per_piece = lockstep::divide_up(kElements, kPieces);
  for (int piece = 0; piece < kPieces; ++piece) {
    const cudaStream_t stream = streams[piece % 2];
    const int first = piece * per_piece, n = std::min(per_piece, kElements - first);
    const std::size_t bytes = n * sizeof(int);
    CHECK_CUDA(cudaMemcpyAsync(states + first, in + first, bytes, cudaMemcpyHostToDevice, stream));
    step_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(states + first, n);
    CHECK_CUDA(cudaGetLastError());
    CHECK_CUDA(cudaMemcpyAsync(out + first, states + first, bytes, cudaMemcpyDeviceToHost, stream));
  }
  // [pieces]
  // [join]
  CHECK_CUDA(cudaEventRecord(forked_work_done, streams[1]));
  CHECK_CUDA(cudaStreamWaitEvent(streams[0], forked_work_done));
  CHECK_CUDA(cudaEventRecord(stop, streams[0]));
  CHECK_CUDA(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CHECK_CUDA(cudaEventElapsedTime(&milliseconds, start, stop));
  // [join]

  int wrong = -1;
  for (int i = 0; i < kElements && wrong < 0; ++i) {
    if (out[i] != next_state(in[i])) wrong = i;
  }
  if (wrong < 0) {
    std::printf("two_streams: %d elements in %d pieces, %.3f ms, all right\n", kElements, kPieces,
                milliseconds);
  } else {
    std::printf("two_streams: element %d is %d, expected %d\n", wrong, out[wrong], next_state(in[wrong]));
  }
  for (const cudaEvent_t event : {start, stop, forked_work_done}) CHECK_CUDA(cudaEventDestroy(event));
  for (const cudaStream_t stream : streams) CHECK_CUDA(cudaStreamDestroy(stream));
  CHECK_CUDA(cudaFree(states));
  CHECK_CUDA(cudaFreeHost(in));
  CHECK_CUDA(cudaFreeHost(out));
  return wrong < 0 ? 0 : 1;
} catch (const std::exception& error) {
  std::printf("two_streams: %s\n", error.what());
  return 1;
}
