// A recursive function goes on below the leaves of a tree.
// expect: stack-overflow
// says: calls deep
#include "planted_bug.h"

template <bool kFixed>
__device__ __noinline__ int tree_sum(const int* values, unsigned node, unsigned n) {
  if (kFixed && node >= n) return 0;
  return values[node % n] + tree_sum<kFixed>(values, 2 * node + 1, n) +  // <- here
         tree_sum<kFixed>(values, 2 * node + 2, n);
}

template <bool kFixed>
__global__ void sum_kernel(const int* values, int* sum, unsigned n) {
  *sum = tree_sum<kFixed>(values, 0, n);
}

template <bool kFixed>
void run() {
  DeviceArray<int> values(15), sum(1);
  sum_kernel<kFixed><<<1, 1>>>(values, sum, 15);
}
