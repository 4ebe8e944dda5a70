// expect: inefficient
// exercise: first-kernels
// tries: Solves every puzzle of an exercise on the host, between a copy from the device and one to it, behind
// a kernel that looks as if it did the work.
// stopped by: Each puzzle is judged by itself, also by what it copies: `host-copies`.
#include <algorithm>
#include <vector>

#include "first_kernels.h"

template <class T>
std::vector<T> copy_of(const T* in, int n) {
  std::vector<T> values(static_cast<std::size_t>(n));
  cudaMemcpy(values.data(), in, n * sizeof(T), cudaMemcpyDeviceToHost);
  return values;
}

template <class T>
__global__ void move_kernel(const T* in, T* out, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[i];
}

/// By way of a kernel, and of memory whose contents came from the host.
template <class T>
void put(const std::vector<T>& values, T* out, cudaStream_t stream) {
  if (values.empty()) return;
  T* made = nullptr;
  const int n = static_cast<int>(values.size());
  cudaMallocAsync(&made, n * sizeof(T), stream);
  cudaMemcpyAsync(made, values.data(), n * sizeof(T), cudaMemcpyHostToDevice, stream);
  move_kernel<<<(n + 255) / 256, 256, 0, stream>>>(made, out, n);
  cudaFreeAsync(made, stream);
}

void limit(const int* in, int* out, int n, int low, int high, cudaStream_t stream) {
  std::vector<int> values = copy_of(in, n);
  for (int& value : values) value = std::clamp(value, low, high);
  put(values, out, stream);
}

void blend(const float* a, const float* b, float* out, int n, float weight, cudaStream_t stream) {
  std::vector<float> values = copy_of(a, n);
  const std::vector<float> others = copy_of(b, n);
  for (int i = 0; i < n; ++i) values[i] = (1 - weight) * values[i] + weight * others[i];
  put(values, out, stream);
}

void look_up(const int* table, const int* index, int* out, int n, int entries, cudaStream_t stream) {
  const std::vector<int> read = copy_of(table, entries);
  std::vector<int> values = copy_of(index, n);
  for (int& value : values) value = value >= 0 && value < entries ? read[value] : -1;
  put(values, out, stream);
}

void inverse(const int* to, int* out, int n, cudaStream_t stream) {
  const std::vector<int> read = copy_of(to, n);
  std::vector<int> values(read.size());
  for (int i = 0; i < n; ++i) values[read[i]] = i;
  put(values, out, stream);
}

void slope(const int* in, int* out, int n, cudaStream_t stream) {
  const std::vector<int> read = copy_of(in, n);
  std::vector<int> values(read.size());
  for (int i = 0; i < n; ++i) values[i] = read[std::min(i + 1, n - 1)] - read[std::max(i - 1, 0)];
  put(values, out, stream);
}

void mirror(const unsigned char* in, unsigned char* out, int rows, int columns, int pitch,
            cudaStream_t stream) {
  const std::vector<unsigned char> read = copy_of(in, rows * pitch);
  std::vector<unsigned char> values;
  for (int row = 0; row < rows; ++row)
    for (int column = columns; column-- > 0;) values.push_back(read[row * pitch + column]);
  put(values, out, stream);
}
