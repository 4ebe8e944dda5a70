// expect: compile-error
// exercise: block-scan
// tries: Makes a directive that the preprocessor does not take for one, so that the front end behind it opens
// CUB and no list shows that.
// stopped by: Headers of banned libraries are not there while a submission is compiled, and asking for one
// ends it.
// says: block_scan.cu includes cub/version.cuh: CUB does
#include "block_scan.h"

void block_scan(const int*, int*, int, int, cudaStream_t) {}

#define HASH #
#define HEADER <cub/version.cuh>
HASH include HEADER
