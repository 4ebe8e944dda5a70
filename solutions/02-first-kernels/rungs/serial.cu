// fails: parallelism
// at: limit_kernel<<<1, 1
// fails: idle-lanes
// at: limit_kernel<<<1, 1
// fails: parallelism
// at: blend_kernel<<<1, 1
// fails: idle-lanes
// at: blend_kernel<<<1, 1
// fails: parallelism
// at: look_up_kernel<<<1, 1
// fails: idle-lanes
// at: look_up_kernel<<<1, 1
// fails: parallelism
// at: inverse_kernel<<<1, 1
// fails: idle-lanes
// at: inverse_kernel<<<1, 1
// fails: parallelism
// at: slope_kernel<<<1, 1
// fails: idle-lanes
// at: slope_kernel<<<1, 1
// fails: parallelism
// at: mirror_kernel<<<1, 1
// fails: idle-lanes
// at: mirror_kernel<<<1, 1
// Each kernel is the loop of a CPU, executed by a single thread. Lecture: 02-first-kernels.
// Bound: the latency of one access after the other.
#include "first_kernels.h"

#include "lockstep/check_cuda.h"

__global__ void limit_kernel(const int* in, int* out, int n, int low, int high) {
  for (int i = 0; i < n; ++i) out[i] = min(max(in[i], low), high);
}

__global__ void blend_kernel(const float* a, const float* b, float* out, int n, float weight) {
  for (int i = 0; i < n; ++i) out[i] = (1 - weight) * a[i] + weight * b[i];
}

__global__ void look_up_kernel(const int* table, const int* index, int* out, int n, int entries) {
  for (int i = 0; i < n; ++i) {
    const int at = index[i];
    out[i] = at >= 0 && at < entries ? table[at] : -1;
  }
}

__global__ void inverse_kernel(const int* to, int* out, int n) {
  for (int i = 0; i < n; ++i) out[to[i]] = i;
}

__global__ void slope_kernel(const int* in, int* out, int n) {
  for (int i = 0; i < n; ++i) out[i] = in[min(i + 1, n - 1)] - in[max(i - 1, 0)];
}

__global__ void mirror_kernel(const unsigned char* in, unsigned char* out, int rows, int columns, int pitch) {
  for (int i = 0; i < rows * columns; ++i) {
    const int row = i / columns, column = i % columns;
    out[i] = in[row * pitch + columns - 1 - column];
  }
}

void limit(const int* in, int* out, int n, int low, int high, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  limit_kernel<<<1, 1, 0, stream>>>(in, out, n, low, high);
  CHECK_CUDA(cudaGetLastError());
}

void blend(const float* a, const float* b, float* out, int n, float weight, cudaStream_t stream) {
  if (n == 0) return;
  blend_kernel<<<1, 1, 0, stream>>>(a, b, out, n, weight);
  CHECK_CUDA(cudaGetLastError());
}

void look_up(const int* table, const int* index, int* out, int n, int entries, cudaStream_t stream) {
  if (n == 0) return;
  look_up_kernel<<<1, 1, 0, stream>>>(table, index, out, n, entries);
  CHECK_CUDA(cudaGetLastError());
}

void inverse(const int* to, int* out, int n, cudaStream_t stream) {
  if (n == 0) return;
  inverse_kernel<<<1, 1, 0, stream>>>(to, out, n);
  CHECK_CUDA(cudaGetLastError());
}

void slope(const int* in, int* out, int n, cudaStream_t stream) {
  if (n == 0) return;
  slope_kernel<<<1, 1, 0, stream>>>(in, out, n);
  CHECK_CUDA(cudaGetLastError());
}

void mirror(const unsigned char* in, unsigned char* out, int rows, int columns, int pitch,
            cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  mirror_kernel<<<1, 1, 0, stream>>>(in, out, rows, columns, pitch);
  CHECK_CUDA(cudaGetLastError());
}
