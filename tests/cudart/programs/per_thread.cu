// Built with --default-stream per-thread: every thread has a default stream of its own.
#include <cstdio>
#include <thread>

__global__ void store_kernel(int* to, int value) { *to = value; }

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

int main() {
  int *device, *pinned;
  cudaMalloc(&device, sizeof(int));
  cudaMallocHost(&pinned, 2 * sizeof(int));
  cudaMemset(device, 0, sizeof(int));
  cudaDeviceSynchronize();

  // Another thread's default stream is not this thread's.
  store_kernel<<<1, 1>>>(device, 1);
  std::thread([&] {
    cudaMemcpyAsync(&pinned[0], device, sizeof(int), cudaMemcpyDeviceToHost, nullptr);
    cudaStreamSynchronize(nullptr);
  }).join();
  STEP(1, pinned[0] == 0);
  int seen = -1;
  STEP(2, cudaMemcpy(&seen, device, sizeof(int), cudaMemcpyDeviceToHost) == cudaSuccess && seen == 1);

  // The legacy stream waits for them.
  store_kernel<<<1, 1>>>(device, 2);
  cudaMemcpyAsync(&pinned[1], device, sizeof(int), cudaMemcpyDeviceToHost, cudaStreamLegacy);
  STEP(3, cudaStreamSynchronize(cudaStreamLegacy) == cudaSuccess && pinned[1] == 2);

  unsigned long long own = 0, legacy = 0;
  STEP(4, cudaStreamGetId(nullptr, &own) == cudaSuccess);
  STEP(5, cudaStreamGetId(cudaStreamLegacy, &legacy) == cudaSuccess && own != legacy);
  cudaStream_t stream = nullptr;
  STEP(6, cudaStreamBeginCapture(nullptr, cudaStreamCaptureModeGlobal) == cudaSuccess);
  cudaGraph_t graph;
  STEP(7, cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  std::puts("a stream for each thread");
  return 0;
}
