// fails: overlap
// at: if (error == cudaSuccess) error = cudaMemcpy(device_in
// One copy to the device, one kernel, one copy back. Lecture: 02-first-kernels.
// Bound: the link between host and device, one way at a time.
#include "host_program.h"

#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

cudaError_t host_program(const std::uint32_t* in, std::uint32_t* out, int n) {
  if (n == 0) return cudaSuccess;
  const std::size_t bytes = n * sizeof *in;
  std::uint32_t *device_in = nullptr, *device_out = nullptr;
  cudaError_t error = cudaMalloc(&device_in, bytes);
  if (error == cudaSuccess) error = cudaMalloc(&device_out, bytes);
  if (error == cudaSuccess) error = cudaMemcpy(device_in, in, bytes, cudaMemcpyHostToDevice);
  if (error == cudaSuccess) {
    mix_kernel<<<lockstep::divide_up(n, kThreads), kThreads>>>(device_in, device_out, n);
    error = cudaGetLastError();
  }
  if (error == cudaSuccess) error = cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost);
  cudaFree(device_in);
  cudaFree(device_out);
  return error;
}
