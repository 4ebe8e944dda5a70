// expect: crashed
// exercise: host-program
// tries: Has no call of the runtime fail, by the function that the runner uses, and looks at no error.
// stopped by: The device wants one note of a beginning and one of an end in a call.
#include "host_program.h"

extern "C" __attribute__((weak)) void lockstep_begin_host_program(unsigned failing_call, int);

cudaError_t host_program(const std::uint32_t* in, std::uint32_t* out, int n) {
  if (lockstep_begin_host_program != nullptr) lockstep_begin_host_program(0, 0);
  if (n == 0) return cudaSuccess;
  const std::size_t bytes = n * sizeof *in;
  std::uint32_t *device_in = nullptr, *device_out = nullptr;
  cudaMalloc(&device_in, bytes);
  cudaMalloc(&device_out, bytes);
  cudaMemcpy(device_in, in, bytes, cudaMemcpyHostToDevice);
  mix_kernel<<<(n + 255) / 256, 256>>>(device_in, device_out, n);
  cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_in);
  cudaFree(device_out);
  return cudaSuccess;
}
