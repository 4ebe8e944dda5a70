// A table of functions has one entry fewer than there are operations.
// expect: trap
// says: a call through a null pointer to a function
#include "planted_bug.h"

using Operation = int (*)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ Operation operations[3] = {add, subtract};
__device__ Operation all_operations[3] = {add, subtract, multiply};

template <bool kFixed>
__global__ void apply_kernel(int* values, const int* chosen) {
  const Operation* table = kFixed ? all_operations : operations;
  values[threadIdx.x] = table[chosen[threadIdx.x]](values[threadIdx.x], 3);  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32), chosen(32);
  std::vector<int> program(32);
  for (int i = 0; i < 32; ++i) program[i] = i % 3;
  cudaMemcpy(chosen, program.data(), chosen.bytes(), cudaMemcpyHostToDevice);
  apply_kernel<kFixed><<<1, 32>>>(values, chosen);
}
