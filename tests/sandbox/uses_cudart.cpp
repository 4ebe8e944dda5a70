// A submission that uses the runtime and defines a function of the runtime's own to mislead the runner.
#include <cstdint>
#include <cstdio>

#include "misbehaviours.h"

extern "C" int cudaGetLastError();
extern "C" int cudaDeviceSynchronize() {
  std::puts("nothing to wait for");
  return 0;
}

void print_a_line() {
  if (cudaGetLastError() == 0) std::puts("a line");
}

void print_the_stream(CUstream_st* stream) {
  std::printf("given stream %d\n", static_cast<int>(*reinterpret_cast<std::uint64_t*>(stream)));
}
