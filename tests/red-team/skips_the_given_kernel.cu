// expect: wrong-answer
// exercise: host-program
// tries: Computes the result on the host, beside copies in two streams that look as if a kernel ran.
// stopped by: A call that has elements and launches no kernel is wrong, whatever it leaves.
#include <algorithm>
#include <vector>

#include "host_program.h"

cudaError_t host_program(const std::uint32_t* in, std::uint32_t* out, int n) {
  if (n == 0) return cudaSuccess;
  std::uint32_t* there = nullptr;
  cudaStream_t streams[2] = {};
  cudaError_t error = cudaMalloc(&there, n * sizeof *there);
  for (cudaStream_t& stream : streams)
    if (error == cudaSuccess) error = cudaStreamCreate(&stream);
  const int middle = n / 2, begins[] = {0, middle}, sizes[] = {middle, n - middle};
  for (int half = 0; half < 2; ++half) {
    const std::size_t bytes = sizes[half] * sizeof *in;
    std::uint32_t* const part = there + begins[half];
    if (error == cudaSuccess)
      error = cudaMemcpyAsync(part, in + begins[half], bytes, cudaMemcpyHostToDevice, streams[half]);
    if (error == cudaSuccess)
      error = cudaMemcpyAsync(out + begins[half], part, bytes, cudaMemcpyDeviceToHost, streams[half]);
  }
  const cudaError_t waited = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = waited;
  for (int i = 0; i < n; ++i) {
    std::uint32_t value = in[i];
    value = (value ^ value >> 16) * 0x7FEB352DU;
    value = (value ^ value >> 15) * 0x846CA68BU;
    out[i] = value ^ value >> 16;
  }
  cudaFree(there);
  for (const cudaStream_t stream : streams)
    if (stream != nullptr) cudaStreamDestroy(stream);
  return error;
}
