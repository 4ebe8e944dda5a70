// What main.cu calls and this file alone defines.
#include "separate.h"

__device__ int scaled(int value, int which) { return value * factors[which]; }

__device__ __noinline__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
