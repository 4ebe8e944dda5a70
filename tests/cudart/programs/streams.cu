// Streams, events, host functions, and asynchronous copies.
#include <cstdio>

__global__ void scale_kernel(float* values, float factor, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[i] *= factor;
}

int main() {
  constexpr int n = 1000;
  float *host, *device;
  cudaStream_t stream, other;
  cudaEvent_t start, stop, untimed;
  if (cudaMallocHost(&host, n * sizeof(float)) != cudaSuccess) return 1;
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i);
  if (cudaStreamCreate(&stream) != cudaSuccess) return 2;
  if (cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking) != cudaSuccess) return 3;
  cudaEventCreate(&start);
  cudaEventCreate(&stop);
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  if (cudaMallocAsync(&device, n * sizeof(float), stream) != cudaSuccess) return 4;

  float milliseconds = -1;
  if (cudaEventElapsedTime(&milliseconds, start, stop) != cudaErrorInvalidResourceHandle) return 5;
  cudaEventRecord(start, stream);
  cudaMemcpyAsync(device, host, n * sizeof(float), cudaMemcpyHostToDevice, stream);
  scale_kernel<<<4, 256, 0, stream>>>(device, 3.0F, n);
  cudaEventRecord(stop, stream);
  cudaEventRecord(untimed, stream);
  cudaStreamWaitEvent(other, untimed);
  cudaMemcpyAsync(host, device, n * sizeof(float), cudaMemcpyDeviceToHost, other);
  int calls = 0;
  cudaLaunchHostFunc(
      other, [](void* count) { ++*static_cast<int*>(count); }, &calls);
  if (cudaStreamSynchronize(other) != cudaSuccess || calls != 1) return 6;
  if (cudaStreamQuery(stream) != cudaSuccess || cudaEventQuery(stop) != cudaSuccess) return 7;
  for (int i = 0; i < n; ++i) {
    if (!(host[i] == 3.0F * static_cast<float>(i))) return 8;
  }
  if (cudaEventElapsedTime(&milliseconds, start, stop) != cudaSuccess || !(milliseconds > 0)) return 9;
  if (cudaEventElapsedTime(&milliseconds, start, untimed) != cudaErrorInvalidResourceHandle) return 10;
  cudaStreamDestroy(stream);
  if (cudaStreamSynchronize(stream) != cudaErrorInvalidResourceHandle) return 11;
  if (cudaFreeAsync(device, other) != cudaSuccess || cudaFreeHost(host) != cudaSuccess) return 12;
  std::puts("streams in order");
  return 0;
}
