// expect: inefficient
// exercise: host-program
// tries: Hides blocking copies beside as many in another stream, to memory that nobody needs.
// stopped by: `overlap` divides the bytes that the task has, not those that were copied.
#include "host_program.h"

cudaError_t host_program(const std::uint32_t* in, std::uint32_t* out, int n) {
  if (n == 0) return cudaSuccess;
  const std::size_t bytes = n * sizeof *in;
  std::uint32_t *device_in = nullptr, *device_out = nullptr, *idle = nullptr;
  cudaStream_t stream = nullptr;
  cudaError_t error = cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
  for (std::uint32_t** memory : {&device_in, &device_out, &idle})
    if (error == cudaSuccess) error = cudaMalloc(memory, bytes);
  for (int i = 0; i < 2; ++i)
    if (error == cudaSuccess) error = cudaMemcpyAsync(idle, in, bytes, cudaMemcpyHostToDevice, stream);
  if (error == cudaSuccess) error = cudaMemcpy(device_in, in, bytes, cudaMemcpyHostToDevice);
  if (error == cudaSuccess) {
    mix_kernel<<<(n + 255) / 256, 256>>>(device_in, device_out, n);
    error = cudaGetLastError();
  }
  if (error == cudaSuccess) error = cudaMemcpy(out, device_out, bytes, cudaMemcpyDeviceToHost);
  const cudaError_t waited = cudaDeviceSynchronize();
  if (error == cudaSuccess) error = waited;
  for (std::uint32_t* memory : {device_in, device_out, idle}) cudaFree(memory);
  if (stream != nullptr) cudaStreamDestroy(stream);
  return error;
}
