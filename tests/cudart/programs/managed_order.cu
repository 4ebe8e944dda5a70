// Managed and mapped memory while work waits: the program sees what was there before until it has waited, and
// then what was written. The exit status is the number of the first step that went another way.
#include <cstdio>

__global__ void store_kernel(int* to, int value) { *to = value; }

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

constexpr int kBytes = sizeof(int);

int main() {
  int *managed, *second, *mapped, *device;
  cudaStream_t stream;
  STEP(1, cudaMallocManaged(&managed, kBytes) == cudaSuccess);
  STEP(2, cudaMallocManaged(&second, kBytes) == cudaSuccess);
  STEP(3, cudaHostAlloc(&mapped, kBytes, cudaHostAllocMapped) == cudaSuccess);
  STEP(4, cudaMalloc(&device, kBytes) == cudaSuccess && cudaStreamCreate(&stream) == cudaSuccess);
  *managed = *second = *mapped = 1;

  // Kernels.
  store_kernel<<<1, 1, 0, stream>>>(managed, 2);
  store_kernel<<<1, 1, 0, stream>>>(mapped, 2);
  STEP(10, *managed == 1 && *mapped == 1);
  STEP(11, cudaStreamSynchronize(stream) == cudaSuccess && *managed == 2 && *mapped == 2);
  // Of what the program writes meanwhile in another page, both sides see everything afterwards.
  store_kernel<<<1, 1, 0, stream>>>(managed, 3);
  *second = 3;
  STEP(12, cudaStreamSynchronize(stream) == cudaSuccess && *managed == 3 && *second == 3);

  // Copies and fills in a stream, to managed memory as to the device's.
  STEP(20, cudaMemsetAsync(managed, 0, kBytes, stream) == cudaSuccess && *managed == 3);
  STEP(21, cudaMemcpyAsync(second, managed, kBytes, cudaMemcpyDefault, stream) == cudaSuccess);
  STEP(22, *second == 3 && cudaDeviceSynchronize() == cudaSuccess && *managed == 0 && *second == 0);
  STEP(23, cudaMemsetAsync(mapped, 0, kBytes, stream) == cudaSuccess && *mapped == 2);
  STEP(24, cudaStreamSynchronize(stream) == cudaSuccess && *mapped == 0);
  STEP(25, cudaMemsetAsync(mapped, 0, kBytes + 1, stream) == cudaErrorInvalidValue);
  STEP(26, cudaMemcpyAsync(device, mapped, kBytes + 1, cudaMemcpyDefault) == cudaErrorInvalidValue);

  // The blocking ones are over when they return.
  store_kernel<<<1, 1>>>(device, 4);
  STEP(30, cudaMemcpy(managed, device, kBytes, cudaMemcpyDeviceToDevice) == cudaSuccess && *managed == 4);
  STEP(31, cudaMemset(managed, 0, kBytes) == cudaSuccess && *managed == 0);
  *mapped = 5;
  STEP(32, cudaMemset(mapped, 0, kBytes) == cudaSuccess && *mapped == 0);

  // A prefetch comes in its turn, and brings what was written before.
  cudaMemLocation host{cudaMemLocationTypeHost, 0};
  store_kernel<<<1, 1, 0, stream>>>(managed, 6);
  STEP(40, cudaMemPrefetchAsync(managed, kBytes, host, 0, stream) == cudaSuccess && *managed == 0);
  STEP(41, cudaStreamSynchronize(stream) == cudaSuccess && *managed == 6);

  // A host function uses it after the kernel before it, and the kernel after it sees what it wrote.
  store_kernel<<<1, 1, 0, stream>>>(managed, 7);
  cudaLaunchHostFunc(
      stream, [](void* data) { *static_cast<int*>(data) += 1; }, managed);
  cudaMemcpyAsync(second, managed, kBytes, cudaMemcpyDefault, stream);
  STEP(50, cudaStreamSynchronize(stream) == cudaSuccess && *managed == 8 && *second == 8);

  // A graph's work waits like any other; what announces managed memory is no work of a graph.
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  STEP(60, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  store_kernel<<<1, 1, 0, stream>>>(managed, 9);
  store_kernel<<<1, 1, 0, stream>>>(mapped, 9);
  STEP(61, cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  STEP(62, cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  STEP(63, cudaGraphLaunch(executable, stream) == cudaSuccess && *managed == 8 && *mapped == 0);
  STEP(64, cudaStreamSynchronize(stream) == cudaSuccess && *managed == 9 && *mapped == 9);
  STEP(65, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  STEP(66, cudaMemPrefetchAsync(managed, kBytes, host, 0, stream) == cudaErrorStreamCaptureUnsupported);
  STEP(67, cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  STEP(68, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  STEP(69, cudaStreamAttachMemAsync(stream, managed) == cudaErrorStreamCaptureUnsupported);
  STEP(70, cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);

  // Freeing waits for what uses it.
  store_kernel<<<1, 1, 0, stream>>>(mapped, 10);
  cudaMemcpyAsync(managed, mapped, kBytes, cudaMemcpyDefault, stream);
  STEP(80, cudaFreeHost(mapped) == cudaSuccess && *managed == 10);
  store_kernel<<<1, 1, 0, stream>>>(managed, 11);
  STEP(81, cudaFree(managed) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
  std::puts("seen in turn");
  return 0;
}
