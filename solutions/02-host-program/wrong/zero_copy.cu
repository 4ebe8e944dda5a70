// expect: inefficient
// fails: overlap
// The kernel uses the arrays where they are, in the memory of the host, so that no copies overlap.
#include "host_program.h"
#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

/// The address under which kernels reach pinned memory of the host.
cudaError_t find_on_device(const std::uint32_t* host, std::uint32_t** device) {
  return cudaHostGetDevicePointer(reinterpret_cast<void**>(device), const_cast<std::uint32_t*>(host), 0);
}

cudaError_t host_program(const std::uint32_t* in, std::uint32_t* out, int n) {
  if (n == 0) return cudaSuccess;
  std::uint32_t *device_in = nullptr, *device_out = nullptr;
  cudaError_t error = find_on_device(in, &device_in);
  if (error == cudaSuccess) error = find_on_device(out, &device_out);
  if (error != cudaSuccess) return error;
  mix_kernel<<<lockstep::divide_up(n, kThreads), kThreads>>>(device_in, device_out, n);
  error = cudaGetLastError();
  const cudaError_t waited = cudaStreamSynchronize(nullptr);
  // Also after an error: the kernel uses the arrays of the caller.
  if (waited != cudaSuccess) cudaDeviceSynchronize();
  return error == cudaSuccess ? waited : error;
}
