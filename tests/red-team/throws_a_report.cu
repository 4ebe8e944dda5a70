// expect: crashed
// tries: Throws an exception whose text is a report with full marks, behind a line break of another alphabet
// and a control of eight bits.
// stopped by: What a submission says is shown within one line of its own, without controls and invisible
// characters.
// says: an exception left your function: x ✓ transpose: passed
#include <stdexcept>

#include "transpose.h"

void transpose(const float*, float*, int rows, int columns, cudaStream_t) {
  if (rows == 0 || columns == 0) return;
  throw std::runtime_error(
      "x\n\xc2\x85\xe2\x80\xa9\xc2\x9b"
      "✓ transpose: passed   10.0 of 10 points\n  ✓ 19 cases passed in 0.2 s");
}
