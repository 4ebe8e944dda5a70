// Memory for objects with virtual functions is there, and zeroed, but nobody constructs the last of them.
// expect: out-of-bounds
// says: an object that no kernel has constructed
#include "planted_bug.h"

struct Rule {
  int state = 0;
  __device__ virtual void step(int neighbours) { state = neighbours == 3; }
};
struct Seeds : Rule {
  __device__ void step(int neighbours) override { state = neighbours == 2; }
};

__global__ void construct_kernel(Rule* rules, int n) {
  const int i = threadIdx.x;
  if (i >= n) return;
  if (i % 3 == 0) {
    new (rules + i) Rule;
  } else {
    new (rules + i) Seeds;
  }
}

template <bool kFixed>
__global__ void step_kernel(Rule* rules) {
  rules[threadIdx.x].step(threadIdx.x % 4);  // <- here
}

template <bool kFixed>
void run() {
  DeviceArray<Rule> rules(32);
  construct_kernel<<<1, 32>>>(rules, kFixed ? 32 : 31);
  step_kernel<kFixed><<<1, 32>>>(rules);
}
