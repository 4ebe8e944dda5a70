// A list on the device keeps a pointer to a node that the host has freed.
// expect: out-of-bounds
// says: after it was freed
#include "planted_bug.h"

struct Node {
  int value;
  Node* next;
};

template <bool kFixed>
__global__ void sum_kernel(const Node* node, int* sum) {
  int total = 0;
  for (; node != nullptr; node = node->next) total += node->value;  // <- here
  *sum = total;
}

template <bool kFixed>
void run() {
  Node *first = nullptr, *second = nullptr;
  cudaMalloc(&first, sizeof(Node));
  cudaMalloc(&second, sizeof(Node));
  const Node nodes[2] = {{1, second}, {2, nullptr}};
  cudaMemcpy(first, &nodes[0], sizeof(Node), cudaMemcpyHostToDevice);
  cudaMemcpy(second, &nodes[1], sizeof(Node), cudaMemcpyHostToDevice);
  DeviceArray<int> sum(1);
  if constexpr (!kFixed) cudaFree(second);
  sum_kernel<kFixed><<<1, 1>>>(first, sum);
  if constexpr (kFixed) cudaFree(second);
  cudaFree(first);
}
