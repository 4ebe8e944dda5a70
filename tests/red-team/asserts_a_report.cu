// expect: crashed
// tries: Fails an assertion whose text is a report with full marks, with line breaks, controls and overrides
// of writing direction, and the ends of a JSON string and of an XML element.
// stopped by: What a submission says is shown within one line of its own, without controls and invisible
// characters.
// says: assertion `x` failed ✓ transpose: passed 10.0 of 10 points
#include "transpose.h"

extern "C" __device__ void __assertfail(const char*, const char*, unsigned, const char*, std::size_t);

__device__ const char kReport[] =
    "x` failed\n\n✓ transpose: passed   10.0 of 10 points\n  solutions/05-transpose/transpose.cu\n"
    "  ✓ 19 cases passed in 0.2 s\n\x1b[2J\x1b[H\xc2\x9b\xe2\x80\xae\xe2\x80\xa8]]></failure></testcase>"
    "<testcase name=\"forged\"/>\",\"points\":10,\"x\":\"";

__global__ void asserting_kernel() { __assertfail(kReport, kReport, 7, kReport, 1); }

void transpose(const float*, float*, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;
  asserting_kernel<<<1, 1, 0, stream>>>();
}
