// The kernels that predictions.txt asks about. Read them; there is nothing to edit here. The grader calls
// each function with the sizes that predictions.h names, and counts on the emulated device.
#include "predictions.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;  // eight warps

__device__ int this_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

// --- global memory: sectors of 32 bytes, an int has 4 ---

__global__ void shifted_kernel(const int* in, int* out) {
  const int i = this_thread();
  out[i] = in[i + 1];
}

__global__ void apart_kernel(const int* in, int* out) {
  const int i = this_thread();
  out[i] = in[8 * i];
}

__global__ void thirds_kernel(const int* in, int* out) {
  const int i = this_thread();
  out[i] = in[3 * i];
}

// --- shared memory: 32 banks of 4 bytes, a block of 32 x 32 threads whose rows are warps ---

__global__ void columns_kernel(const int* in, int* out) {
  __shared__ int tile[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[32 * y + x];
  __syncthreads();  // other warps wrote what this one reads
  out[32 * y + x] = tile[x][y];
}

__global__ void padded_kernel(const int* in, int* out) {
  __shared__ int tile[32][34];
  const int x = threadIdx.x, y = threadIdx.y;
  tile[y][x] = in[32 * y + x];
  __syncthreads();
  out[32 * y + x] = tile[x][y];
}

// --- lanes and branches ---

__global__ void fourths_kernel(const int* in, int* out) {
  const int i = this_thread();
  if (i % 4 == 0) out[i] = in[i];
}

__global__ void guarded_kernel(const int* in, int* out, int n) {
  const int i = this_thread();
  if (i < n) out[i] = 2 * in[i];
}

__global__ void rounds_kernel(const int* in, int* out) {
  const int i = this_thread();
  int sum = 0;
#pragma unroll 1  // one load in each round
  for (int k = 0; k < i % 32; ++k) sum += in[k];
  out[i] = sum;
}

// --- occupancy ---

__global__ void resident_kernel(const int* in, int* out, int n) {
  const int i = this_thread();
  if (i < n) out[i] = 2 * in[i];
}

// --- their launches ---

void shifted(const int* in, int* out, int n, cudaStream_t stream) {
  shifted_kernel<<<n / kThreads, kThreads, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}

void apart(const int* in, int* out, int n, cudaStream_t stream) {
  apart_kernel<<<n / kThreads, kThreads, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}

void thirds(const int* in, int* out, int n, cudaStream_t stream) {
  thirds_kernel<<<n / kThreads, kThreads, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}

void columns(const int* in, int* out, cudaStream_t stream) {
  columns_kernel<<<1, dim3(32, 32), 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}

void padded(const int* in, int* out, cudaStream_t stream) {
  padded_kernel<<<1, dim3(32, 32), 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}

void fourths(const int* in, int* out, int n, cudaStream_t stream) {
  CHECK_CUDA(cudaMemsetAsync(out, 0, n * sizeof(int), stream));  // fills with zeros
  fourths_kernel<<<n / kThreads, kThreads, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}

void guarded(const int* in, int* out, int n, cudaStream_t stream) {
  guarded_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(in, out, n);
  CHECK_CUDA(cudaGetLastError());
}

void rounds(const int* in, int* out, int n, cudaStream_t stream) {
  rounds_kernel<<<n / kThreads, kThreads, 0, stream>>>(in, out);
  CHECK_CUDA(cudaGetLastError());
}

void resident(const int* in, int* out, int n, cudaStream_t stream) {
  constexpr int kSharedBytes = 46000;  // of each block
  int blocks = 0;
  CHECK_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, resident_kernel, kThreads, kSharedBytes));
  resident_kernel<<<blocks, kThreads, kSharedBytes, stream>>>(in, out, n);
  CHECK_CUDA(cudaGetLastError());
}
