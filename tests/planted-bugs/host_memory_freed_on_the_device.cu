// Memory of the host is given to cudaFree.
// expect: bad-call
// says: cudaFree returned cudaErrorInvalidValue
#include "planted_bug.h"

template <bool kFixed>
void run() {
  void* values = std::malloc(256);
  if constexpr (!kFixed) cudaFree(values);
  std::free(values);
}
