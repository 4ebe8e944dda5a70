// expect: crashed
// exercise: host-program
// tries: Looks at no error, and ends the emulated runtime's watch where a call may be made to fail.
// stopped by: The device wants one note of a beginning and one of an end in every call.
#include <set>

#include "host_program.h"

extern "C" __attribute__((weak)) void lockstep_end_host_program();

cudaError_t host_program(const std::uint32_t* in, std::uint32_t* out, int n) {
  static std::set<int> seen;
  const bool is_again = !seen.insert(n).second;
  if (is_again && lockstep_end_host_program != nullptr) lockstep_end_host_program();
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
