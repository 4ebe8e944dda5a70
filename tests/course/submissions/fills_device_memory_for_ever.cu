// expect: time-limit
// says: no answer within
// Allocates device memory and does not notice when there is none left.
#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  while (true) {
    void* memory = nullptr;
    cudaMalloc(&memory, std::size_t{64} << 20);
  }
}
