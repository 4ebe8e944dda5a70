// expect: compile-error
// exercise: scan
// tries: Includes Thrust in the pass for the device alone, which a list of the host's headers does not show.
// stopped by: Headers of banned libraries are not there while a submission is compiled, and asking for one
// ends it.
// says: includes thrust/complex.h: Thrust does
#include "scan.h"

#ifdef __CUDA_ARCH__
#include "thrust/complex.h"
#endif

std::size_t scan_workspace_bytes(int) { return 0; }
void scan(const int*, int*, int, void*, cudaStream_t) {}
