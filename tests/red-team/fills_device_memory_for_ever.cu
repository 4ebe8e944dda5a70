// expect: time-limit
// tries: Allocates device memory and goes on when there is none left.
// stopped by: The judge's clock ends the call.
// says: no answer within
#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  while (true) {
    void* memory = nullptr;
    cudaMalloc(&memory, std::size_t{64} << 20);
  }
}
