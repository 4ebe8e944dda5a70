// Each half of the arrays in a stream of its own. Lecture: 02-first-kernels.
// Bound: the link between host and device; the first half's way there and the last one's way back are alone.
#include "host_program.h"

#include "lockstep/divide_up.h"

constexpr int kThreads = 256;

cudaError_t host_program(const std::uint32_t* in, std::uint32_t* out, int n) {
  if (n == 0) return cudaSuccess;
  const int middle = lockstep::divide_up(n, 2);
  const int begins[] = {0, middle}, sizes[] = {middle, n - middle};
  cudaStream_t streams[2] = {};
  std::uint32_t* device_in[2] = {};
  std::uint32_t* device_out[2] = {};
  cudaError_t error = cudaSuccess;
  for (int half = 0; half < 2; ++half) {
    if (sizes[half] == 0) continue;
    const std::size_t bytes = sizes[half] * sizeof *in;
    if (error == cudaSuccess) error = cudaStreamCreate(&streams[half]);
    if (error == cudaSuccess) error = cudaMalloc(&device_in[half], bytes);
    if (error == cudaSuccess) error = cudaMalloc(&device_out[half], bytes);
    if (error == cudaSuccess)
      error =
          cudaMemcpyAsync(device_in[half], in + begins[half], bytes, cudaMemcpyHostToDevice, streams[half]);
    if (error == cudaSuccess) {
      mix_kernel<<<lockstep::divide_up(sizes[half], kThreads), kThreads, 0, streams[half]>>>(
          device_in[half], device_out[half], sizes[half]);
      error = cudaGetLastError();
    }
    if (error == cudaSuccess)
      error =
          cudaMemcpyAsync(out + begins[half], device_out[half], bytes, cudaMemcpyDeviceToHost, streams[half]);
  }
  // The first error counts; what is in flight is waited for in any case.
  const cudaError_t waited = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = waited;
  for (int half = 0; half < 2; ++half) {
    cudaFree(device_in[half]);
    cudaFree(device_out[half]);
    if (streams[half] != nullptr) cudaStreamDestroy(streams[half]);
  }
  return error;
}
