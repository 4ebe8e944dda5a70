// An object with virtual functions is built on the host and copied to the device, with the host's table.
// expect: out-of-bounds
// says: an object that was constructed on the host
#include "planted_bug.h"

struct Shape {
  __host__ __device__ virtual float area(float size) const { return size; }
};
struct Square : Shape {
  __host__ __device__ float area(float size) const override { return size * size; }
};

__global__ void construct_kernel(void* shapes) {
  if (threadIdx.x % 2 == 0) {
    new (static_cast<Shape*>(shapes) + threadIdx.x) Shape;
  } else {
    new (static_cast<Shape*>(shapes) + threadIdx.x) Square;
  }
}

template <bool kFixed>
__global__ void areas_kernel(const Shape* shapes, float* areas) {
  areas[threadIdx.x] = shapes[threadIdx.x].area(3);  // <- here
}

template <bool kFixed>
void run() {
  const std::vector<Square> squares(32);
  DeviceArray<Square> shapes(32);
  DeviceArray<float> areas(32);
  cudaMemcpy(shapes, squares.data(), shapes.bytes(), cudaMemcpyHostToDevice);
  if constexpr (kFixed) construct_kernel<<<1, 32>>>(static_cast<Square*>(shapes));
  areas_kernel<kFixed><<<1, 32>>>(shapes, areas);
}
