// expect: time-limit
// says: no answer within
// Host code that never returns.
#include "transpose.h"

void transpose(const float*, float*, int, int, cudaStream_t) {
  for (volatile int turn = 0;; turn = 1 - turn) {
  }
}
