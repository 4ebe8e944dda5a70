// Graphs built node by node, launched, changed and taken apart. The exit status is the number of the first
// step that went another way.
#include <cstdio>

__device__ int symbol;

__global__ void store_kernel(int* to, int value) { *to = value; }
__global__ void add_kernel(int* to, const int* first, const int* second) { *to = *first + *second; }
__global__ void scale_kernel(int* to, int factor) { *to *= factor; }
__global__ void cluster_kernel(int* to) {
  int blocks;
  asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
  if (blockIdx.x == 0) *to = blocks;
}

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

constexpr int kBytes = sizeof(int);

cudaKernelNodeParams kernel(void* function, void** arguments) {
  cudaKernelNodeParams params{};
  params.func = function;
  params.gridDim = params.blockDim = dim3(1);
  params.kernelParams = arguments;
  return params;
}

int main() {
  int *a, *b, *sum, *pinned, *grid;
  cudaStream_t stream;
  cudaMalloc(&a, kBytes);
  cudaMalloc(&b, kBytes);
  cudaMalloc(&sum, kBytes);
  cudaMallocHost(&pinned, kBytes);
  cudaStreamCreate(&stream);
  *pinned = -1;

  // a = 2 and b = 3 in any order, then sum = a + b, then back to the host, then a host function.
  static int calls = 0;
  int two = 2, three = 3;
  void* store_a[] = {&a, &two};
  void* store_b[] = {&b, &three};
  void* add[] = {&sum, &a, &b};
  cudaGraph_t graph;
  cudaGraphNode_t first, second, added, copied, counted;
  STEP(1, cudaGraphCreate(&graph, 0) == cudaSuccess);
  cudaKernelNodeParams params = kernel(reinterpret_cast<void*>(store_kernel), store_a);
  STEP(2, cudaGraphAddKernelNode(&first, graph, nullptr, 0, &params) == cudaSuccess);
  params = kernel(reinterpret_cast<void*>(store_kernel), store_b);
  STEP(3, cudaGraphAddKernelNode(&second, graph, nullptr, 0, &params) == cudaSuccess);
  two = three = 100;  // arguments were copied
  params = kernel(reinterpret_cast<void*>(add_kernel), add);
  const cudaGraphNode_t both[] = {first, second};
  STEP(4, cudaGraphAddKernelNode(&added, graph, both, 2, &params) == cudaSuccess);
  STEP(5, cudaGraphAddMemcpyNode1D(&copied, graph, &added, 1, pinned, sum, kBytes, cudaMemcpyDeviceToHost) ==
              cudaSuccess);
  cudaHostNodeParams host{[](void* count) { ++*static_cast<int*>(count); }, &calls};
  STEP(6, cudaGraphAddHostNode(&counted, graph, &copied, 1, &host) == cudaSuccess);

  cudaGraphExec_t executable;
  STEP(10, cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  STEP(11, cudaGraphLaunch(executable, stream) == cudaSuccess && *pinned == -1 && calls == 0);
  STEP(12, cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 5 && calls == 1);

  // A launch that waits keeps the parameters that it was given.
  int twenty = 20;
  void* store_twenty[] = {&a, &twenty};
  params = kernel(reinterpret_cast<void*>(store_kernel), store_twenty);
  STEP(20, cudaGraphLaunch(executable, stream) == cudaSuccess);
  STEP(21, cudaGraphExecKernelNodeSetParams(executable, first, &params) == cudaSuccess);
  STEP(22, cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 5);
  STEP(23, cudaGraphLaunch(executable, stream) == cudaSuccess);
  STEP(24, cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 23 && calls == 3);
  STEP(25, cudaGraphNodeSetEnabled(executable, first, 0) == cudaSuccess);
  store_kernel<<<1, 1, 0, stream>>>(a, 7);
  STEP(26, cudaGraphLaunch(executable, stream) == cudaSuccess);
  STEP(27, cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 10);
  STEP(28, cudaGraphExecHostNodeSetParams(executable, first, &host) == cudaErrorInvalidValue);

  // Nodes say what they are.
  STEP(30, cudaGraphKernelNodeGetParams(added, &params) == cudaSuccess && params.gridDim.x == 1);
  STEP(31, *static_cast<int**>(params.kernelParams[1]) == a);
  cudaMemcpy3DParms copy_params;
  STEP(32, cudaGraphMemcpyNodeGetParams(copied, &copy_params) == cudaSuccess &&
               copy_params.dstPtr.ptr == pinned && copy_params.extent.width == kBytes);
  cudaGraphNodeType type;
  STEP(33, cudaGraphNodeGetType(counted, &type) == cudaSuccess && type == cudaGraphNodeTypeHost);
  cudaGraphNode_t room[3];
  size_t count = 3;
  STEP(34, cudaGraphNodeGetDependencies(added, room, nullptr, &count) == cudaSuccess && count == 2);
  STEP(35, room[0] == first && room[1] == second && room[2] == nullptr);
  STEP(36, cudaGraphNodeGetDependentNodes(first, nullptr, nullptr, &count) == cudaSuccess && count == 1);

  // A clone is a graph of its own.
  cudaGraph_t clone;
  cudaGraphNode_t cloned;
  STEP(40, cudaGraphClone(&clone, graph) == cudaSuccess);
  STEP(41, cudaGraphNodeFindInClone(&cloned, counted, clone) == cudaSuccess && cloned != counted);
  STEP(42, cudaGraphDestroyNode(cloned) == cudaSuccess);
  STEP(43, cudaGraphGetNodes(clone, nullptr, &count) == cudaSuccess && count == 4);
  STEP(44, cudaGraphGetNodes(graph, nullptr, &count) == cudaSuccess && count == 5);
  STEP(45, cudaGraphDestroy(clone) == cudaSuccess && cudaGraphDestroy(clone) == cudaErrorInvalidValue);

  // What has a cycle cannot be launched; without the edge it can.
  STEP(50, cudaGraphAddDependencies(graph, &added, &first, nullptr, 1) == cudaSuccess);
  cudaGraphExec_t none;
  cudaGraphInstantiateParams instantiation{};
  STEP(51, cudaGraphInstantiateWithParams(&none, graph, &instantiation) != cudaSuccess);
  STEP(52, instantiation.result_out == cudaGraphInstantiateInvalidStructure);
  STEP(53, cudaGraphRemoveDependencies(graph, &added, &first, nullptr, 1) == cudaSuccess);
  STEP(54, cudaGraphInstantiateWithParams(&none, graph, &instantiation) == cudaSuccess);
  STEP(55, cudaGraphExecDestroy(none) == cudaSuccess && cudaGraphExecDestroy(none) == cudaErrorInvalidValue);

  // A dependency that was forgotten shows: the copy does not wait for the kernel.
  cudaGraph_t forgetful;
  cudaGraphExec_t hasty;
  cudaMemset(a, 0, kBytes);
  cudaGraphCreate(&forgetful, 0);
  int one = 1;
  void* store_one[] = {&a, &one};
  params = kernel(reinterpret_cast<void*>(store_kernel), store_one);
  cudaGraphAddKernelNode(&first, forgetful, nullptr, 0, &params);
  cudaGraphAddMemcpyNode1D(&second, forgetful, nullptr, 0, pinned, a, kBytes, cudaMemcpyDeviceToHost);
  cudaGraphInstantiate(&hasty, forgetful, 0);
  STEP(60, cudaGraphLaunch(hasty, stream) == cudaSuccess);
  STEP(61, cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 0);

  // Fills, symbols, a child graph, events.
  cudaGraph_t inner, outer;
  cudaGraphNode_t filled, scaled, child, recorded, from_symbol;
  cudaEvent_t event;
  cudaEventCreate(&event);
  STEP(70, cudaGetSymbolAddress(reinterpret_cast<void**>(&grid), symbol) == cudaSuccess);
  cudaGraphCreate(&inner, 0);
  cudaMemsetParams fill{};
  fill.dst = grid;
  fill.value = 0x0102;
  fill.elementSize = 2;
  fill.width = 2;
  fill.height = 1;
  STEP(71, cudaGraphAddMemsetNode(&filled, inner, nullptr, 0, &fill) == cudaSuccess);
  int factor = 2;
  void* scale[] = {&grid, &factor};
  params = kernel(reinterpret_cast<void*>(scale_kernel), scale);
  STEP(72, cudaGraphAddKernelNode(&scaled, inner, &filled, 1, &params) == cudaSuccess);
  cudaGraphCreate(&outer, 0);
  STEP(73, cudaGraphAddChildGraphNode(&child, outer, nullptr, 0, inner) == cudaSuccess);
  STEP(74, cudaGraphAddEventRecordNode(&recorded, outer, &child, 1, event) == cudaSuccess);
  STEP(75, cudaGraphAddMemcpyNodeFromSymbol(&from_symbol, outer, &recorded, 1, pinned, symbol, kBytes, 0,
                                            cudaMemcpyDeviceToHost) == cudaSuccess);
  STEP(76, cudaGraphInstantiate(&hasty, outer, 0) == cudaSuccess);
  STEP(77, cudaGraphDestroy(inner) == cudaSuccess && cudaGraphDestroy(outer) == cudaSuccess);
  STEP(78, cudaGraphLaunch(hasty, stream) == cudaSuccess && cudaEventQuery(event) == cudaErrorNotReady);
  STEP(79, cudaEventSynchronize(event) == cudaSuccess && *pinned == 2 * 0x01020102);
  cudaGetLastError();

  // The general form, and what is not there.
  cudaGraphNodeParams general{};
  general.type = cudaGraphNodeTypeMemset;
  general.memset.dst = a;
  general.memset.value = 3;
  general.memset.elementSize = 4;
  general.memset.width = general.memset.height = 1;
  cudaGraphCreate(&outer, 0);
  STEP(80, cudaGraphAddNode(&filled, outer, nullptr, nullptr, 0, &general) == cudaSuccess);
  general.memset.value = 4;
  STEP(81, cudaGraphNodeSetParams(filled, &general) == cudaSuccess);
  cudaGraphInstantiate(&hasty, outer, 0);
  general.memset.value = 5;
  STEP(82, cudaGraphLaunch(hasty, nullptr) == cudaSuccess);
  int seen = 0;
  cudaMemcpy(&seen, a, kBytes, cudaMemcpyDeviceToHost);
  STEP(83, seen == 4 && cudaGraphExecNodeSetParams(hasty, filled, &general) == cudaSuccess);
  cudaGraphLaunch(hasty, nullptr);
  cudaMemcpy(&seen, a, kBytes, cudaMemcpyDeviceToHost);
  STEP(84, seen == 5);
  general = {};
  general.type = cudaGraphNodeTypeConditional;
  STEP(85, cudaGraphAddNode(&filled, outer, nullptr, nullptr, 0, &general) == cudaErrorNotSupported);
  STEP(86, cudaGraphDebugDotPrint(outer, "none.dot", 0) == cudaErrorNotSupported);
  STEP(87, cudaGraphAddEmptyNode(&first, outer, &copied, 1) == cudaErrorInvalidValue);
  STEP(88, cudaGraphAddMemcpyNode1D(&first, outer, nullptr, 0, pinned, a, 2 * kBytes,
                                    cudaMemcpyDeviceToHost) == cudaErrorInvalidValue);

  // Clusters are kept by a node, also where it gets another grid.
  cudaGraph_t clustered;
  cudaGraphCreate(&clustered, 0);
  void* cluster_arguments[] = {&a};
  cudaKernelNodeParams launch{
      reinterpret_cast<void*>(cluster_kernel), dim3(4), dim3(32), 0, cluster_arguments, nullptr};
  STEP(90, cudaGraphAddKernelNode(&first, clustered, nullptr, 0, &launch) == cudaSuccess);
  cudaKernelNodeAttrValue attribute{};
  attribute.clusterDim = {2, 1, 1};
  STEP(91, cudaGraphKernelNodeSetAttribute(first, cudaKernelNodeAttributeClusterDimension, &attribute) ==
               cudaSuccess);
  launch.gridDim = dim3(8);
  STEP(92, cudaGraphKernelNodeSetParams(first, &launch) == cudaSuccess);
  attribute = {};
  STEP(93, cudaGraphKernelNodeGetAttribute(first, cudaKernelNodeAttributeClusterDimension, &attribute) ==
                   cudaSuccess &&
               attribute.clusterDim.x == 2);
  STEP(94, cudaGraphInstantiate(&hasty, clustered, 0) == cudaSuccess);
  STEP(95, cudaGraphLaunch(hasty, nullptr) == cudaSuccess);
  STEP(96, cudaMemcpy(&seen, a, kBytes, cudaMemcpyDeviceToHost) == cudaSuccess && seen == 2);
  std::puts("graphs run");
  return 0;
}
