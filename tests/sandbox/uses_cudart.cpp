// A submission that uses the runtime and defines a function of the runtime's own to mislead the runner.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <thread>

#include "misbehaviours.h"

extern "C" int cudaGetLastError();
extern "C" int cudaImitatedKernel(int milliseconds);
extern "C" int cudaStreamSynchronize(void* stream);
extern "C" int cudaDeviceSynchronize() {
  std::puts("nothing to wait for");
  return 0;
}

void print_a_line() {
  if (cudaGetLastError() == 0) std::puts("a line");
}

void print_the_stream(CUstream_st* stream) {
  std::printf("given stream %d\n", static_cast<int>(*reinterpret_cast<std::uint64_t*>(stream)));
}

void launch_slowly(int host_milliseconds, int kernel_milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(host_milliseconds));
  cudaImitatedKernel(kernel_milliseconds);
}

void launch_and_wait(int kernel_milliseconds) {
  cudaImitatedKernel(kernel_milliseconds);
  cudaStreamSynchronize(nullptr);
}
