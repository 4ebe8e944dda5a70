// expect: memory-limit
// tries: Allocates and uses host memory until the machine has none left.
// stopped by: The sandbox adds up the memory of the whole process tree, and ends it.
// says: more host memory than it may
#include <cstdlib>
#include <cstring>

#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  constexpr std::size_t kBytes = std::size_t{64} << 20;
  while (true) {
    void* memory = std::malloc(kBytes);
    if (memory == nullptr) return;
    std::memset(memory, 1, kBytes);
  }
}
