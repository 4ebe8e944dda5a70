// The kernel stops itself when it meets an operation that it does not know.
// expect: trap
// says: executed a trap instruction
#include "planted_bug.h"

template <bool kFixed>
__global__ void apply_kernel(int* values, const char* operations) {
  switch (operations[threadIdx.x]) {
    case '+':
      values[threadIdx.x] += 1;
      break;
    case '-':
      values[threadIdx.x] -= 1;
      break;
    default:
      __trap();  // <- here
  }
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(32);
  DeviceArray<char> operations(32);
  std::vector<char> program(32, '+');
  if constexpr (!kFixed) program[17] = '*';
  cudaMemcpy(operations, program.data(), operations.bytes(), cudaMemcpyHostToDevice);
  apply_kernel<kFixed><<<1, 32>>>(values, operations);
}
