// A second stream is drawn into a capture, and the first never waits for it before the capture ends.
// expect: bad-call
// says: cudaStreamEndCapture returned cudaErrorStreamCaptureUnjoined
#include "planted_bug.h"

__global__ void fill_kernel(int* values) { values[threadIdx.x] = 1; }

template <bool kFixed>
void run() {
  DeviceArray<int> values(128);
  cudaStream_t first, second;
  cudaEvent_t forked, joined;
  cudaStreamCreate(&first);
  cudaStreamCreate(&second);
  cudaEventCreate(&forked);
  cudaEventCreate(&joined);
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal);
  cudaEventRecord(forked, first);
  cudaStreamWaitEvent(second, forked);
  fill_kernel<<<1, 64, 0, first>>>(values);
  fill_kernel<<<1, 64, 0, second>>>(values + 64);
  cudaEventRecord(joined, second);
  if constexpr (kFixed) cudaStreamWaitEvent(first, joined);
  cudaStreamEndCapture(first, &graph);
  cudaGetLastError();
  if (graph != nullptr) cudaGraphDestroy(graph);
  cudaEventDestroy(forked);
  cudaEventDestroy(joined);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}
