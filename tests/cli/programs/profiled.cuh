// A device function in a file of its own: inlined into a kernel, it counts for the line that calls it.
#pragma once

__device__ inline int collatz_steps(int n) {
  int steps = 0;
#pragma unroll 1
  while (n != 1) {
    n = n % 2 == 0 ? n / 2 : 3 * n + 1;
    ++steps;
  }
  return steps;
}
