// Two nodes of a graph, of which the second needs what the first writes, and no edge between them.
// expect: uninitialised-read
// says: which nothing has written
#include "planted_bug.h"

__global__ void produce_kernel(int* values) { values[threadIdx.x] = static_cast<int>(threadIdx.x); }

__global__ void consume_kernel(const int* values, int* sums) {
  sums[threadIdx.x] += values[threadIdx.x];  // <- here
}

template <bool kFixed>
void run() {
  int* values = nullptr;
  cudaMalloc(&values, 64 * sizeof(int));
  DeviceArray<int> sums(64);
  int* pointer = sums;
  void* produced[] = {&values};
  void* consumed[] = {&values, &pointer};
  cudaKernelNodeParams producer{}, consumer{};
  producer.func = reinterpret_cast<void*>(produce_kernel);
  consumer.func = reinterpret_cast<void*>(consume_kernel);
  producer.gridDim = consumer.gridDim = dim3(1);
  producer.blockDim = consumer.blockDim = dim3(64);
  producer.kernelParams = produced;
  consumer.kernelParams = consumed;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t first, second;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &producer);
  cudaGraphAddKernelNode(&second, graph, &first, kFixed ? 1 : 0, &consumer);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, nullptr);
  cudaDeviceSynchronize();
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  cudaFree(values);
}
