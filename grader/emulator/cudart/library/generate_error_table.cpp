// Build tool: prints the names and sentences of all errors that the toolkit's own runtime knows, for
// runtime_names.cpp.
//
// Asking the library gives what programs print on hardware; the headers have the names only. No GPU is
// needed.
#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstring>

int main() {
  constexpr int kLargestCode = 10'000;  // cudaErrorApiFailureBase
  for (int code = 0; code <= kLargestCode; ++code) {
    const char* name = cudaGetErrorName(static_cast<cudaError_t>(code));
    if (std::strncmp(name, "cuda", 4) != 0) continue;
    std::printf("{%d, \"%s\", \"%s\"},\n", code, name, cudaGetErrorString(static_cast<cudaError_t>(code)));
  }
}
