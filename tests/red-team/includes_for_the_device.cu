// expect: compile-error
// exercise: scan
// tries: Includes Thrust in the pass for the device alone, which a list of the host's headers does not show.
// stopped by: The preprocessor lists every file that it opens, in each of its passes; a header of a banned
// library ends it.
// says: includes thrust/complex.h: Thrust does
#include "scan.h"

#ifdef __CUDA_ARCH__
#include "thrust/complex.h"
#endif

std::size_t scan_workspace_bytes(int) { return 0; }
void scan(const int*, int*, int, void*, cudaStream_t) {}
