// What a program ordered it sees, and what it did not order it does not. The exit status is the number of the
// first step that went another way.
#include <atomic>
#include <cstdio>

__global__ void store_kernel(int* to, int value) { *to = value; }
__global__ void add_kernel(int* to, int value) { *to += value; }
__global__ void move_kernel(int* to, const int* from) { *to = *from; }

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

constexpr int kBytes = sizeof(int);

int main() {
  int *device, *other, *pinned;
  cudaStream_t stream, second, aside;
  cudaEvent_t event, start;
  STEP(1, cudaMalloc(&device, kBytes) == cudaSuccess && cudaMalloc(&other, kBytes) == cudaSuccess);
  STEP(2, cudaMallocHost(&pinned, 2 * kBytes) == cudaSuccess);
  STEP(3, cudaStreamCreate(&stream) == cudaSuccess && cudaStreamCreate(&second) == cudaSuccess);
  STEP(4, cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking) == cudaSuccess);
  STEP(5, cudaEventCreate(&event) == cudaSuccess && cudaEventCreate(&start) == cudaSuccess);
  cudaMemset(device, 0, kBytes);
  cudaMemset(other, 0, kBytes);
  cudaDeviceSynchronize();

  // Pinned memory holds its old value until the stream is waited for.
  *pinned = -1;
  store_kernel<<<1, 1, 0, stream>>>(device, 1);
  cudaMemcpyAsync(pinned, device, kBytes, cudaMemcpyDeviceToHost, stream);
  STEP(10, *pinned == -1);
  STEP(11, cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 1);

  // A stream that does not wait for another's event reads what was there before.
  store_kernel<<<1, 1, 0, stream>>>(device, 2);
  cudaEventRecord(event, stream);
  cudaMemcpyAsync(pinned, device, kBytes, cudaMemcpyDeviceToHost, second);
  STEP(20, cudaStreamSynchronize(second) == cudaSuccess && *pinned == 1);
  cudaStreamWaitEvent(second, event);
  cudaMemcpyAsync(pinned, device, kBytes, cudaMemcpyDeviceToHost, second);
  STEP(21, cudaStreamSynchronize(second) == cudaSuccess && *pinned == 2);
  // Nor does waiting for the whole device put the streams in order.
  store_kernel<<<1, 1, 0, stream>>>(device, 3);
  cudaMemcpyAsync(pinned, device, kBytes, cudaMemcpyDeviceToHost, second);
  STEP(22, cudaDeviceSynchronize() == cudaSuccess && *pinned == 2);
  // An event stands for what was recorded last when the wait was asked for.
  store_kernel<<<1, 1, 0, stream>>>(device, 4);
  cudaEventRecord(event, stream);
  cudaStreamWaitEvent(second, event);
  cudaEventRecord(event, second);
  cudaMemcpyAsync(pinned, device, kBytes, cudaMemcpyDeviceToHost, second);
  STEP(23, cudaEventSynchronize(event) == cudaSuccess && *pinned == 2);
  STEP(24, cudaStreamSynchronize(second) == cudaSuccess && *pinned == 4);

  // Arguments are those of the call; so is memory that is not pinned. Pinned memory is read when the turn
  // comes.
  int value = 5;
  store_kernel<<<1, 1, 0, stream>>>(device, value);
  value = 6;
  cudaMemcpyAsync(other, &value, kBytes, cudaMemcpyHostToDevice, stream);
  value = 7;
  int seen[2] = {};
  cudaMemcpyAsync(&seen[0], device, kBytes, cudaMemcpyDeviceToHost, stream);
  STEP(30, seen[0] == 5);
  cudaMemcpyAsync(&seen[1], other, kBytes, cudaMemcpyDeviceToHost, stream);
  STEP(31, seen[1] == 6);
  *pinned = 8;
  cudaMemcpyAsync(device, pinned, kBytes, cudaMemcpyHostToDevice, stream);
  *pinned = 9;
  cudaMemcpyAsync(&seen[0], device, kBytes, cudaMemcpyDeviceToHost, stream);
  STEP(32, seen[0] == 9);

  // The default stream waits for the others, and they for it, but not for one that does not block.
  store_kernel<<<1, 1, 0, stream>>>(device, 10);
  STEP(40, cudaMemcpy(seen, device, kBytes, cudaMemcpyDeviceToHost) == cudaSuccess && seen[0] == 10);
  store_kernel<<<1, 1, 0, aside>>>(device, 11);
  STEP(41, cudaMemcpy(seen, device, kBytes, cudaMemcpyDeviceToHost) == cudaSuccess && seen[0] == 10);
  STEP(42, cudaStreamSynchronize(aside) == cudaSuccess);
  STEP(43, cudaMemcpy(seen, device, kBytes, cudaMemcpyDeviceToHost) == cudaSuccess && seen[0] == 11);
  store_kernel<<<1, 1>>>(device, 12);
  cudaMemcpyAsync(&pinned[0], device, kBytes, cudaMemcpyDeviceToHost, aside);
  cudaMemcpyAsync(&pinned[1], device, kBytes, cudaMemcpyDeviceToHost, stream);
  STEP(44, cudaStreamSynchronize(aside) == cudaSuccess && pinned[0] == 11);
  STEP(45, cudaStreamSynchronize(stream) == cudaSuccess && pinned[1] == 12);
  // A fill does not wait either.
  cudaMemset(device, 0, kBytes);
  cudaMemcpyAsync(&pinned[0], device, kBytes, cudaMemcpyDeviceToHost, aside);
  STEP(46, cudaStreamSynchronize(aside) == cudaSuccess && pinned[0] == 12);

  // Asking makes progress, a piece of work at a time.
  cudaEventRecord(start, stream);
  store_kernel<<<1, 1, 0, stream>>>(device, 13);
  cudaEventRecord(event, stream);
  float milliseconds = -1;
  STEP(50, cudaEventElapsedTime(&milliseconds, start, event) == cudaErrorNotReady);
  STEP(51, cudaStreamQuery(stream) == cudaErrorNotReady && cudaEventQuery(event) == cudaErrorNotReady);
  int questions = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady) ++questions;
  STEP(52, questions < 10 && cudaStreamQuery(stream) == cudaSuccess);
  STEP(53, cudaEventElapsedTime(&milliseconds, start, event) == cudaSuccess && milliseconds > 0);
  cudaGetLastError();

  // Freeing memory waits for the device.
  int* third;
  cudaMalloc(&third, kBytes);
  store_kernel<<<1, 1, 0, aside>>>(third, 14);
  cudaMemcpyAsync(pinned, third, kBytes, cudaMemcpyDeviceToHost, aside);
  STEP(60, cudaFree(third) == cudaSuccess && *pinned == 14);

  // What is in a stream that is destroyed is still done.
  cudaStream_t gone;
  cudaStreamCreate(&gone);
  store_kernel<<<1, 1, 0, gone>>>(device, 15);
  STEP(61, cudaStreamDestroy(gone) == cudaSuccess && cudaStreamQuery(gone) == cudaErrorInvalidResourceHandle);
  STEP(62, cudaMemcpy(seen, device, kBytes, cudaMemcpyDeviceToHost) == cudaSuccess && seen[0] == 15);

  // Many launches: no queue grows without end, and none is lost.
  cudaMemset(device, 0, kBytes);
  for (int i = 0; i < 5000; ++i) add_kernel<<<1, 1>>>(device, 1);
  STEP(70, cudaMemcpy(seen, device, kBytes, cudaMemcpyDeviceToHost) == cudaSuccess && seen[0] == 5000);
  // Nor do two streams that wait for each other in turn.
  cudaMemset(device, 0, kBytes);
  for (int i = 0; i < 3000; ++i) {
    cudaStream_t turn = i % 2 == 0 ? stream : second;
    add_kernel<<<1, 1, 0, turn>>>(device, 1);
    cudaEventRecord(event, turn);
    cudaStreamWaitEvent(i % 2 == 0 ? second : stream, event);
  }
  STEP(71, cudaStreamSynchronize(stream) == cudaSuccess && cudaStreamSynchronize(second) == cudaSuccess);
  STEP(72, cudaMemcpy(seen, device, kBytes, cudaMemcpyDeviceToHost) == cudaSuccess && seen[0] == 3000);

  // A host function comes in its turn, may not use the API, and is called though the program only looks.
  static std::atomic<int> called = 0;
  store_kernel<<<1, 1, 0, aside>>>(device, 16);
  cudaLaunchHostFunc(
      aside,
      [](void*) {
        void* none = nullptr;
        called = cudaMalloc(&none, 4) == cudaErrorNotPermitted ? 1 : 2;
      },
      nullptr);
  STEP(80, called == 0);
  while (called == 0) {
  }
  STEP(81, called == 1);
  cudaStreamAddCallback(
      stream, [](cudaStream_t, cudaError_t status, void*) { called = status == cudaSuccess ? 3 : 4; },
      nullptr, 0);
  STEP(82, called == 1 && cudaStreamSynchronize(stream) == cudaSuccess && called == 3);

  // Launches that hardware refuses are refused at the call, in any stream.
  store_kernel<<<1, 2048, 0, stream>>>(device, 17);
  STEP(90, cudaGetLastError() == cudaErrorInvalidConfiguration);
  STEP(91,
       cudaMemcpyAsync(pinned, device, 2 * kBytes, cudaMemcpyDeviceToHost, stream) == cudaErrorInvalidValue);
  STEP(92, cudaDeviceSynchronize() == cudaSuccess);
  cudaGetLastError();

  // Events that were never recorded have happened; those without a time have none.
  cudaEvent_t unrecorded, untimed, shared;
  cudaEventCreate(&unrecorded);
  cudaEventCreateWithFlags(&untimed, cudaEventDisableTiming);
  STEP(100, cudaEventQuery(unrecorded) == cudaSuccess && cudaEventSynchronize(unrecorded) == cudaSuccess);
  STEP(101, cudaStreamWaitEvent(stream, unrecorded) == cudaSuccess);
  STEP(102, cudaEventElapsedTime(&milliseconds, start, unrecorded) == cudaErrorInvalidResourceHandle);
  cudaEventRecord(untimed);
  cudaDeviceSynchronize();
  STEP(103, cudaEventElapsedTime(&milliseconds, start, untimed) == cudaErrorInvalidResourceHandle);
  STEP(104, cudaEventRecordWithFlags(event, stream, 8) == cudaErrorInvalidValue);
  STEP(105, cudaEventCreateWithFlags(&shared, cudaEventInterprocess | cudaEventDisableTiming) ==
                cudaErrorNotSupported);
  STEP(106, cudaStreamDestroy(nullptr) == cudaErrorInvalidResourceHandle);
  std::puts("in order");
  return 0;
}
