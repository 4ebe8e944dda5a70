// A thread for each element, and a guard for the threads that have none. Lecture: 02-first-kernels.
// Bound: the memory that is read and written.
#include "first_kernels.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

__device__ int this_thread() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void limit_kernel(const int* in, int* out, int n, int low, int high) {
  const int i = this_thread();
  if (i < n) out[i] = min(max(in[i], low), high);
}

__global__ void blend_kernel(const float* a, const float* b, float* out, int n, float weight) {
  const int i = this_thread();
  if (i < n) out[i] = (1 - weight) * a[i] + weight * b[i];
}

__global__ void look_up_kernel(const int* table, const int* index, int* out, int n, int entries) {
  const int i = this_thread();
  if (i >= n) return;
  const int at = index[i];
  out[i] = at >= 0 && at < entries ? table[at] : -1;
}

__global__ void inverse_kernel(const int* to, int* out, int n) {
  const int i = this_thread();
  if (i < n) out[to[i]] = i;
}

__global__ void slope_kernel(const int* in, int* out, int n) {
  const int i = this_thread();
  if (i < n) out[i] = in[min(i + 1, n - 1)] - in[max(i - 1, 0)];
}

__global__ void mirror_kernel(const unsigned char* in, unsigned char* out, int rows, int columns, int pitch) {
  const int column = blockIdx.x * blockDim.x + threadIdx.x;
  const int row = blockIdx.y * blockDim.y + threadIdx.y;
  if (row < rows && column < columns) out[row * columns + column] = in[row * pitch + columns - 1 - column];
}

void limit(const int* in, int* out, int n, int low, int high, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  limit_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(in, out, n, low, high);
  CHECK_CUDA(cudaGetLastError());
}

void blend(const float* a, const float* b, float* out, int n, float weight, cudaStream_t stream) {
  if (n == 0) return;
  blend_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(a, b, out, n, weight);
  CHECK_CUDA(cudaGetLastError());
}

void look_up(const int* table, const int* index, int* out, int n, int entries, cudaStream_t stream) {
  if (n == 0) return;
  look_up_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(table, index, out, n, entries);
  CHECK_CUDA(cudaGetLastError());
}

void inverse(const int* to, int* out, int n, cudaStream_t stream) {
  if (n == 0) return;
  inverse_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(to, out, n);
  CHECK_CUDA(cudaGetLastError());
}

void slope(const int* in, int* out, int n, cudaStream_t stream) {
  if (n == 0) return;
  slope_kernel<<<lockstep::divide_up(n, kThreads), kThreads, 0, stream>>>(in, out, n);
  CHECK_CUDA(cudaGetLastError());
}

void mirror(const unsigned char* in, unsigned char* out, int rows, int columns, int pitch,
            cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  const dim3 threads(32, 8);
  const dim3 blocks(lockstep::divide_up(columns, threads.x), lockstep::divide_up(rows, threads.y));
  mirror_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns, pitch);
  CHECK_CUDA(cudaGetLastError());
}
