// Streams of two devices: each device has its own, and waits for its own alone. The exit status is the number
// of the first step that went another way.
#include <cstdio>

__device__ int variable = 1;

__global__ void store_kernel(int* to, int value) { *to = value; }
__global__ void store_variable_kernel(int* to) { *to = ++variable; }

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

constexpr int kBytes = sizeof(int);

int main() {
  int *pinned, *memory[2];
  cudaStream_t stream[2];
  cudaEvent_t event[2];
  int number = 9, seen = 0;
  STEP(1, cudaMallocHost(&pinned, kBytes) == cudaSuccess);
  for (int device : {0, 1}) {
    cudaSetDevice(device);
    STEP(2, cudaMalloc(&memory[device], kBytes) == cudaSuccess);
    STEP(3, cudaStreamCreate(&stream[device]) == cudaSuccess);
    STEP(4, cudaEventCreate(&event[device]) == cudaSuccess);
    STEP(5, cudaStreamGetDevice(stream[device], &number) == cudaSuccess && number == device);
    STEP(6, cudaStreamGetDevice(nullptr, &number) == cudaSuccess && number == device);
    STEP(7, cudaMemset(memory[device], 0, kBytes) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
  }

  // Waiting for one device leaves the other's work undone; the default streams too are the devices' own.
  *pinned = 1;
  cudaSetDevice(1);
  store_kernel<<<1, 1, 0, stream[1]>>>(memory[1], 2);
  cudaMemcpyAsync(pinned, memory[1], kBytes, cudaMemcpyDeviceToHost, stream[1]);
  cudaSetDevice(0);
  STEP(10, cudaDeviceSynchronize() == cudaSuccess && *pinned == 1);
  STEP(11, cudaStreamSynchronize(nullptr) == cudaSuccess && *pinned == 1);
  STEP(12, cudaStreamSynchronize(stream[1]) == cudaSuccess && *pinned == 2);

  // A launch needs a stream of the current device, a copy does not.
  store_kernel<<<1, 1, 0, stream[1]>>>(memory[0], 3);
  STEP(20, cudaGetLastError() == cudaErrorInvalidResourceHandle);
  *pinned = 4;
  STEP(21, cudaMemcpyAsync(memory[1], pinned, kBytes, cudaMemcpyHostToDevice, stream[1]) == cudaSuccess);
  // So does recording an event; waiting for one does not.
  STEP(22, cudaEventRecord(event[1], stream[0]) == cudaErrorInvalidResourceHandle);
  STEP(23, cudaEventRecord(event[1], stream[1]) == cudaSuccess);
  STEP(24, cudaStreamWaitEvent(stream[0], event[1]) == cudaSuccess);
  STEP(25, cudaMemcpyPeerAsync(memory[0], 0, memory[1], 1, kBytes, stream[0]) == cudaSuccess);
  cudaMemcpyAsync(pinned, memory[0], kBytes, cudaMemcpyDeviceToHost, stream[0]);
  *pinned = 5;
  STEP(26, cudaStreamSynchronize(stream[0]) == cudaSuccess && *pinned == 5);
  STEP(27, cudaEventRecord(event[0], stream[0]) == cudaSuccess && cudaDeviceSynchronize() == cudaSuccess);
  float milliseconds = 0;
  STEP(28, cudaEventElapsedTime(&milliseconds, event[1], event[0]) == cudaErrorInvalidResourceHandle);

  // Work is done on the device of its stream, whichever the waiting thread has chosen.
  cudaSetDevice(1);
  store_variable_kernel<<<1, 1, 0, stream[1]>>>(memory[1]);
  store_variable_kernel<<<1, 1, 0, stream[1]>>>(memory[1]);
  cudaSetDevice(0);
  store_variable_kernel<<<1, 1, 0, stream[0]>>>(memory[0]);
  STEP(30,
       cudaStreamSynchronize(stream[1]) == cudaSuccess && cudaStreamSynchronize(stream[0]) == cudaSuccess);
  STEP(31, cudaMemcpy(&seen, memory[1], kBytes, cudaMemcpyDefault) == cudaSuccess && seen == 3);
  STEP(32, cudaMemcpy(&seen, memory[0], kBytes, cudaMemcpyDefault) == cudaSuccess && seen == 2);

  // A copy between devices in a default stream waits for both.
  cudaSetDevice(1);
  store_kernel<<<1, 1, 0, stream[1]>>>(memory[1], 6);
  cudaSetDevice(0);
  STEP(40, cudaMemcpyPeer(memory[0], 0, memory[1], 1, kBytes) == cudaSuccess);
  STEP(41, cudaMemcpy(&seen, memory[0], kBytes, cudaMemcpyDefault) == cudaSuccess && seen == 6);

  // Pools.
  cudaMemPool_t pool[2], current;
  cudaPointerAttributes attributes;
  void* allocated;
  STEP(50, cudaDeviceGetDefaultMemPool(&pool[0], 0) == cudaSuccess);
  STEP(51, cudaDeviceGetDefaultMemPool(&pool[1], 1) == cudaSuccess && pool[0] != pool[1]);
  STEP(52, cudaDeviceGetDefaultMemPool(&current, 2) == cudaErrorInvalidDevice);
  STEP(53, cudaDeviceSetMemPool(0, pool[1]) == cudaErrorInvalidValue);
  STEP(54, cudaMallocAsync(&allocated, kBytes, stream[1]) == cudaSuccess);
  STEP(55, cudaPointerGetAttributes(&attributes, allocated) == cudaSuccess && attributes.device == 1);
  STEP(56, cudaFreeAsync(allocated, stream[1]) == cudaSuccess);

  // A graph's kernels run on the device for which they were made.
  cudaSetDevice(1);
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  STEP(60, cudaStreamBeginCapture(stream[1], cudaStreamCaptureModeGlobal) == cudaSuccess);
  store_variable_kernel<<<1, 1, 0, stream[1]>>>(memory[1]);
  STEP(61, cudaStreamEndCapture(stream[1], &graph) == cudaSuccess);
  STEP(62, cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  cudaSetDevice(0);
  STEP(63, cudaGraphLaunch(executable, stream[0]) == cudaSuccess);
  STEP(64, cudaStreamSynchronize(stream[0]) == cudaSuccess);
  STEP(65, cudaMemcpy(&seen, memory[1], kBytes, cudaMemcpyDefault) == cudaSuccess && seen == 4);

  // A reset waits for its device alone.
  *pinned = 7;
  cudaMemcpyAsync(pinned, memory[1], kBytes, cudaMemcpyDeviceToHost, stream[1]);
  STEP(70, cudaDeviceReset() == cudaSuccess && *pinned == 7);
  STEP(71, cudaStreamSynchronize(stream[1]) == cudaSuccess && *pinned == 4);
  std::puts("streams of two devices");
  return 0;
}
