// expect: out-of-bounds
// says: an object that was constructed on the host; a kernel must construct it
// says: out[i] = order->of(in[i]);
// A virtual function of an object that the host constructed and copied to the device.
#include <cuda_runtime.h>

#include "lockstep/check_cuda.h"
#include "transpose.h"

struct Order {
  __host__ __device__ virtual float of(float value) const { return value; }
};
struct Reversed : Order {
  __host__ __device__ float of(float value) const override { return -value; }
};

__global__ void transpose_kernel(const float* in, float* out, const Order* order) {
  const int i = threadIdx.x;
  out[i] = order->of(in[i]);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  static const Reversed reversed;
  Order* order;
  CHECK_CUDA(cudaMalloc(&order, sizeof reversed));
  CHECK_CUDA(cudaMemcpy(order, &reversed, sizeof reversed, cudaMemcpyHostToDevice));
  transpose_kernel<<<1, 1, 0, stream>>>(in, out, order);
  CHECK_CUDA(cudaGetLastError());
}
