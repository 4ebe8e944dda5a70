// expect: compile-error
// exercise: block-scan
// tries: Includes CUB under a name that macros put together, below #line, so that no search finds it.
// stopped by: Headers of banned libraries are not there while a submission is compiled, and asking for one
// ends it.
// says: block_scan.cu includes cub/version.cuh: CUB does
#include "block_scan.h"

#define PASTED(start, end) start##end
#define HEADER(library) <library/version.cuh>
#define EXPANDED(library) HEADER(library)
#line 1 "block_scan.h"
#include EXPANDED(PASTED(cu, b))

void block_scan(const int*, int*, int, int, cudaStream_t) {}
