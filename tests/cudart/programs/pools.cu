// Stream-ordered memory, its pools, and memory that graphs allocate. The exit status is the number of the
// first step that went another way.
#include <cstdint>
#include <cstdio>

__global__ void store_kernel(int* to, int value) { *to = value; }

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

constexpr size_t kBytes = 1 << 20;

std::uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr which) {
  std::uint64_t value = ~0ULL;
  cudaMemPoolGetAttribute(pool, which, &value);
  return value;
}

std::uint64_t attribute(cudaGraphMemAttributeType which) {
  std::uint64_t value = ~0ULL;
  cudaDeviceGetGraphMemAttribute(0, which, &value);
  return value;
}

int main() {
  int *first, *second, *pinned;
  cudaStream_t stream;
  cudaMemPool_t pool;
  cudaStreamCreate(&stream);
  cudaMallocHost(&pinned, sizeof(int));
  STEP(1, cudaDeviceGetDefaultMemPool(&pool, 0) == cudaSuccess);

  // Memory goes back when the stream reaches the call that frees it.
  STEP(2, cudaMallocAsync(&first, kBytes, stream) == cudaSuccess);
  STEP(3, attribute(pool, cudaMemPoolAttrUsedMemCurrent) == kBytes);
  store_kernel<<<1, 1, 0, stream>>>(first, 3);
  cudaMemcpyAsync(pinned, first, sizeof(int), cudaMemcpyDeviceToHost, stream);
  STEP(4, cudaFreeAsync(first, stream) == cudaSuccess);
  STEP(5, cudaFreeAsync(first, stream) == cudaErrorInvalidValue);
  STEP(6, attribute(pool, cudaMemPoolAttrUsedMemCurrent) == kBytes);
  STEP(7, cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 3);
  STEP(8, attribute(pool, cudaMemPoolAttrUsedMemCurrent) == 0);
  STEP(9, attribute(pool, cudaMemPoolAttrUsedMemHigh) == kBytes);
  cudaPointerAttributes attributes;
  STEP(10, cudaPointerGetAttributes(&attributes, first) == cudaErrorInvalidValue);
  // So a copy that comes after it is refused, and not served from memory that is gone.
  STEP(11,
       cudaMemcpyAsync(pinned, first, sizeof(int), cudaMemcpyDeviceToHost, stream) == cudaErrorInvalidValue);
  cudaGetLastError();

  // What waits to be freed is used again before memory runs out.
  size_t free_bytes = 0, total = 0;
  cudaMemGetInfo(&free_bytes, &total);
  for (int i = 0; i < 3; ++i) {
    STEP(20, cudaMallocAsync(&first, free_bytes / 3 * 2, stream) == cudaSuccess);
    STEP(21, cudaFreeAsync(first, stream) == cudaSuccess);
  }
  STEP(22, cudaMallocAsync(&first, 2 * total, stream) == cudaErrorMemoryAllocation);
  cudaDeviceSynchronize();

  // Pools of the program's own.
  cudaMemPool_t own, current;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  STEP(30, cudaMemPoolCreate(&own, &properties) == cudaSuccess);
  std::uint64_t threshold = 12345;
  STEP(31, cudaMemPoolSetAttribute(own, cudaMemPoolAttrReleaseThreshold, &threshold) == cudaSuccess);
  STEP(32, attribute(own, cudaMemPoolAttrReleaseThreshold) == 12345);
  int reuse = 0;
  STEP(33, cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse) == cudaSuccess);
  reuse = 1;
  STEP(34,
       cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse) == cudaSuccess && reuse == 0);
  STEP(35, cudaMallocFromPoolAsync(&first, 100, own, stream) == cudaSuccess);
  STEP(36, cudaDeviceSetMemPool(0, own) == cudaSuccess && cudaDeviceGetMemPool(&current, 0) == cudaSuccess);
  STEP(37, current == own && cudaMallocAsync(&second, 200, stream) == cudaSuccess);
  STEP(38, attribute(own, cudaMemPoolAttrUsedMemCurrent) == 300);
  STEP(39, cudaFree(second) == cudaSuccess && attribute(own, cudaMemPoolAttrUsedMemCurrent) == 100);
  STEP(40, cudaMemPoolTrimTo(own, 0) == cudaSuccess && cudaMemPoolDestroy(own) == cudaSuccess);
  STEP(41, cudaMemPoolDestroy(own) == cudaErrorInvalidValue);
  STEP(42, cudaMemPoolDestroy(pool) == cudaErrorInvalidValue);
  STEP(43, cudaDeviceGetMemPool(&current, 0) == cudaSuccess && current == pool);
  STEP(44, cudaFreeAsync(first, stream) == cudaSuccess && cudaStreamSynchronize(stream) == cudaSuccess);
  cudaGetLastError();

  // A graph that frees what it allocates, captured.
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  STEP(50, cudaMallocAsync(&first, kBytes, stream) == cudaSuccess);
  store_kernel<<<1, 1, 0, stream>>>(first, 5);
  cudaMemcpyAsync(pinned, first, sizeof(int), cudaMemcpyDeviceToHost, stream);
  STEP(51, cudaFreeAsync(first, stream) == cudaSuccess);
  STEP(52, cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  STEP(53, cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  for (int i = 0; i < 2; ++i) {
    *pinned = 0;
    STEP(54, cudaGraphLaunch(executable, stream) == cudaSuccess);
    STEP(55, cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 5);
  }
  STEP(56, attribute(cudaGraphMemAttrUsedMemCurrent) == 0 &&
               attribute(cudaGraphMemAttrReservedMemCurrent) == kBytes);
  cudaGraphExecDestroy(executable);
  cudaGraphDestroy(graph);
  STEP(57, attribute(cudaGraphMemAttrReservedMemCurrent) == 0);

  // One that leaves it to the program: it is launched again only when that has freed it, or if it says so.
  cudaGraphNode_t allocated, stored;
  cudaMemAllocNodeParams wanted{};
  wanted.poolProps = properties;
  wanted.bytesize = kBytes;
  cudaGraphCreate(&graph, 0);
  STEP(60, cudaGraphAddMemAllocNode(&allocated, graph, nullptr, 0, &wanted) == cudaSuccess);
  int seven = 7;
  void* arguments[] = {&wanted.dptr, &seven};
  cudaKernelNodeParams kernel{reinterpret_cast<void*>(store_kernel), dim3(1), dim3(1), 0, arguments, nullptr};
  STEP(61, cudaGraphAddKernelNode(&stored, graph, &allocated, 1, &kernel) == cudaSuccess);
  STEP(62, cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  STEP(63, cudaGraphLaunch(executable, stream) == cudaSuccess);
  STEP(64, cudaGraphLaunch(executable, stream) == cudaErrorInvalidValue);
  cudaMemcpyAsync(pinned, wanted.dptr, sizeof(int), cudaMemcpyDeviceToHost, stream);
  STEP(65, cudaFreeAsync(wanted.dptr, stream) == cudaSuccess);
  STEP(66, cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 7);
  STEP(67, cudaGraphLaunch(executable, stream) == cudaSuccess && cudaFree(wanted.dptr) == cudaSuccess);
  STEP(68, cudaFree(wanted.dptr) == cudaErrorInvalidValue);
  cudaGraphExec_t again;
  STEP(69, cudaGraphInstantiate(&again, graph, cudaGraphInstantiateFlagAutoFreeOnLaunch) == cudaSuccess);
  STEP(70, cudaGraphLaunch(again, stream) == cudaSuccess && cudaGraphLaunch(again, stream) == cudaSuccess);
  STEP(71, cudaStreamSynchronize(stream) == cudaSuccess);
  STEP(72, attribute(cudaGraphMemAttrUsedMemCurrent) == kBytes);
  std::puts("memory in order");
  return 0;
}
