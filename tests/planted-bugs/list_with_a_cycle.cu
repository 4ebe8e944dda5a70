// The last node of a list points back at the first: the kernel never leaves, and writes at every step.
// expect: time-limit
// options: --time-limit 1
// says: stopped at the time limit
#include "planted_bug.h"

struct Node {
  int visits;
  Node* next;
};

template <bool kFixed>
__global__ void visit_kernel(Node* node) {
  for (; node != nullptr; node = node->next) ++node->visits;  // <- here
}

template <bool kFixed>
void run() {
  Node* nodes = nullptr;
  cudaMalloc(&nodes, 2 * sizeof(Node));
  const Node host[2] = {{0, nodes + 1}, {0, kFixed ? nullptr : nodes}};
  cudaMemcpy(nodes, host, sizeof host, cudaMemcpyHostToDevice);
  visit_kernel<kFixed><<<1, 1>>>(nodes);
  cudaFree(nodes);
}
