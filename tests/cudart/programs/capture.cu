// Stream capture: what it records, and the errors of what it cannot hold. The exit status is the number of
// the first step that went another way.
#include <cstdio>
#include <thread>

__global__ void store_kernel(int* to, int value) { *to = value; }
__global__ void add_kernel(int* to, const int* from) { *to += *from; }

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

constexpr int kBytes = sizeof(int);

/// Ends a capture that has been invalidated.
bool ends_invalidated(cudaStream_t stream) {
  cudaGraph_t graph;
  const bool invalidated = cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated;
  cudaGetLastError();
  return invalidated && graph == nullptr;
}

int main() {
  int *a, *b, *pinned;
  cudaStream_t stream, second, aside;
  cudaEvent_t fork, join, outside;
  cudaMalloc(&a, kBytes);
  cudaMalloc(&b, kBytes);
  cudaMallocHost(&pinned, kBytes);
  cudaStreamCreate(&stream);
  cudaStreamCreate(&second);
  cudaStreamCreateWithFlags(&aside, cudaStreamNonBlocking);
  cudaEventCreate(&fork);
  cudaEventCreate(&join);
  cudaEventCreate(&outside);
  cudaMemset(a, 0, kBytes);
  cudaMemset(b, 0, kBytes);
  cudaEventRecord(outside);
  cudaDeviceSynchronize();

  // Work is recorded, not done; a second stream joins through an event and is joined again.
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamCaptureStatus status;
  STEP(1, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaSuccess);
  STEP(2, cudaStreamIsCapturing(stream, &status) == cudaSuccess && status == cudaStreamCaptureStatusActive);
  store_kernel<<<1, 1, 0, stream>>>(a, 5);
  STEP(3, cudaEventRecord(fork, stream) == cudaSuccess);
  STEP(4, cudaStreamWaitEvent(second, fork) == cudaSuccess);
  store_kernel<<<1, 1, 0, second>>>(b, 7);
  STEP(5, cudaEventRecord(join, second) == cudaSuccess && cudaStreamWaitEvent(stream, join) == cudaSuccess);
  add_kernel<<<1, 1, 0, stream>>>(a, b);
  unsigned long long id = 0;
  cudaGraph_t open_graph;
  const cudaGraphNode_t* last;
  size_t count = 0;
  STEP(6, cudaStreamGetCaptureInfo(second, &status, &id, &open_graph, &last, nullptr, &count) == cudaSuccess);
  STEP(7, status == cudaStreamCaptureStatusActive && id != 0 && count == 1);
  cudaGraphNodeType type;
  STEP(8, cudaGraphNodeGetType(last[0], &type) == cudaSuccess && type == cudaGraphNodeTypeKernel);
  STEP(9, cudaMemcpyAsync(pinned, a, kBytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  STEP(10, cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph == open_graph);
  STEP(11, cudaStreamIsCapturing(second, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone);
  *pinned = -1;
  STEP(12, cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  STEP(13, cudaDeviceSynchronize() == cudaSuccess && *pinned == -1);
  STEP(14, cudaGraphLaunch(executable, stream) == cudaSuccess && *pinned == -1);
  STEP(15, cudaStreamSynchronize(stream) == cudaSuccess && *pinned == 12);
  size_t nodes = 0, edges = 0, roots = 0;
  STEP(16, cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 4);
  STEP(17, cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges) == cudaSuccess && edges == 4);
  STEP(18, cudaGraphGetRootNodes(graph, nullptr, &roots) == cudaSuccess && roots == 1);

  // A capture of the same shape with other values takes its place.
  cudaGraph_t again;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  store_kernel<<<1, 1, 0, stream>>>(a, 50);
  cudaEventRecord(fork, stream);
  cudaStreamWaitEvent(second, fork);
  store_kernel<<<1, 1, 0, second>>>(b, 70);
  cudaEventRecord(join, second);
  cudaStreamWaitEvent(stream, join);
  add_kernel<<<1, 1, 0, stream>>>(a, b);
  cudaMemcpyAsync(pinned, a, kBytes, cudaMemcpyDeviceToHost, stream);
  STEP(20, cudaStreamEndCapture(stream, &again) == cudaSuccess);
  cudaGraphExecUpdateResultInfo information;
  STEP(21, cudaGraphExecUpdate(executable, again, &information) == cudaSuccess);
  STEP(22, information.result == cudaGraphExecUpdateSuccess);
  STEP(23, cudaGraphLaunch(executable, nullptr) == cudaSuccess);
  STEP(24, cudaStreamSynchronize(nullptr) == cudaSuccess && *pinned == 120);
  // One of another shape does not.
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  store_kernel<<<1, 1, 0, stream>>>(a, 50);
  store_kernel<<<1, 1, 0, stream>>>(a, 51);
  cudaStreamEndCapture(stream, &again);
  STEP(25, cudaGraphExecUpdate(executable, again, &information) == cudaErrorGraphExecUpdateFailure);
  STEP(26, information.result == cudaGraphExecUpdateErrorTopologyChanged);

  // Where a capture may not begin, and how it must end.
  STEP(30, cudaStreamBeginCapture(cudaStreamLegacy, cudaStreamCaptureModeGlobal) ==
               cudaErrorStreamCaptureUnsupported);
  STEP(31, cudaStreamEndCapture(stream, &graph) == cudaErrorIllegalState);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  STEP(32, cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal) == cudaErrorIllegalState);
  cudaEventRecord(fork, stream);
  cudaStreamWaitEvent(second, fork);
  store_kernel<<<1, 1, 0, second>>>(b, 1);
  STEP(33, cudaStreamEndCapture(second, &graph) == cudaErrorStreamCaptureUnmatched);
  STEP(34, ends_invalidated(stream));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaEventRecord(fork, stream);
  cudaStreamWaitEvent(second, fork);
  store_kernel<<<1, 1, 0, second>>>(b, 1);
  STEP(35, cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureUnjoined && graph == nullptr);
  STEP(36, cudaStreamIsCapturing(second, &status) == cudaSuccess && status == cudaStreamCaptureStatusNone);
  cudaError_t from_other_thread = cudaSuccess;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  std::thread([&] { from_other_thread = cudaStreamEndCapture(stream, &graph); }).join();
  STEP(37, from_other_thread == cudaErrorStreamCaptureWrongThread);
  STEP(38, cudaStreamEndCapture(stream, &graph) == cudaSuccess && graph != nullptr);

  // What a capture cannot hold invalidates it.
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  STEP(40, cudaStreamSynchronize(stream) == cudaErrorStreamCaptureUnsupported);
  STEP(41,
       cudaStreamIsCapturing(stream, &status) == cudaSuccess && status == cudaStreamCaptureStatusInvalidated);
  store_kernel<<<1, 1, 0, stream>>>(a, 1);
  STEP(42, cudaGetLastError() == cudaErrorStreamCaptureInvalidated && ends_invalidated(stream));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  STEP(43, cudaStreamQuery(stream) == cudaErrorStreamCaptureUnsupported && ends_invalidated(stream));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  STEP(44, cudaDeviceSynchronize() == cudaErrorStreamCaptureUnsupported && ends_invalidated(stream));
  int* none;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  STEP(45, cudaMalloc(&none, kBytes) == cudaErrorStreamCaptureUnsupported && ends_invalidated(stream));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  STEP(46, cudaMalloc(&none, kBytes) == cudaSuccess && cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaFree(none);
  cudaStreamCaptureMode mode = cudaStreamCaptureModeRelaxed;
  STEP(47, cudaThreadExchangeStreamCaptureMode(&mode) == cudaSuccess && mode == cudaStreamCaptureModeGlobal);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  STEP(48, cudaMalloc(&none, kBytes) == cudaSuccess && cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaThreadExchangeStreamCaptureMode(&mode);
  cudaFree(none);
  // From other threads only what is global forbids.
  cudaError_t elsewhere = cudaSuccess;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal);
  std::thread([&] { elsewhere = cudaMalloc(&none, kBytes); }).join();
  STEP(49, elsewhere == cudaSuccess && cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  std::thread([&] { elsewhere = cudaMalloc(&none, kBytes); }).join();
  STEP(50, elsewhere == cudaErrorStreamCaptureUnsupported && ends_invalidated(stream));

  // The default stream would wait for a capturing stream that blocks it, and not for one that does not.
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  store_kernel<<<1, 1>>>(a, 1);
  STEP(60, cudaGetLastError() == cudaErrorStreamCaptureImplicit && ends_invalidated(stream));
  cudaStreamBeginCapture(aside, cudaStreamCaptureModeGlobal);
  store_kernel<<<1, 1>>>(a, 1);
  STEP(61, cudaGetLastError() == cudaSuccess && cudaStreamEndCapture(aside, &graph) == cudaSuccess);

  // Events belong to one side.
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  STEP(70, cudaStreamWaitEvent(stream, outside) == cudaErrorStreamCaptureIsolation);
  STEP(71, ends_invalidated(stream));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  cudaEventRecord(fork, stream);
  STEP(72, cudaEventQuery(fork) == cudaErrorCapturedEvent && ends_invalidated(stream));
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  cudaStreamBeginCapture(second, cudaStreamCaptureModeRelaxed);
  cudaEventRecord(fork, stream);
  STEP(73, cudaStreamWaitEvent(second, fork) == cudaErrorStreamCaptureMerge);
  STEP(74, ends_invalidated(stream) && ends_invalidated(second));
  // With the flag for it, an event of outside becomes a node.
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed);
  STEP(75, cudaStreamWaitEvent(stream, outside, cudaEventWaitExternal) == cudaSuccess);
  STEP(76, cudaEventRecordWithFlags(join, stream, cudaEventRecordExternal) == cudaSuccess);
  STEP(77, cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  STEP(78, cudaGraphGetNodes(graph, nullptr, &nodes) == cudaSuccess && nodes == 2);

  // A stream that has joined may be destroyed, but not what it did be left alone.
  for (const bool joins : {true, false}) {
    cudaStream_t passing;
    cudaStreamCreateWithFlags(&passing, cudaStreamNonBlocking);
    cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
    cudaEventRecord(fork, stream);
    cudaStreamWaitEvent(passing, fork);
    store_kernel<<<1, 1, 0, passing>>>(b, 8);
    cudaEventRecord(join, passing);
    if (joins) cudaStreamWaitEvent(stream, join);
    STEP(79, cudaStreamDestroy(passing) == cudaSuccess);
    STEP(80, cudaStreamEndCapture(stream, &graph) == (joins ? cudaSuccess : cudaErrorStreamCaptureUnjoined));
  }
  cudaGetLastError();

  // A graph that the program made can be captured into.
  cudaGraphNode_t first;
  cudaGraphCreate(&graph, 0);
  cudaGraphAddEmptyNode(&first, graph, nullptr, 0);
  STEP(81, cudaStreamBeginCaptureToGraph(stream, graph, &first, nullptr, 1, cudaStreamCaptureModeGlobal) ==
               cudaSuccess);
  store_kernel<<<1, 1, 0, stream>>>(a, 9);
  cudaGraph_t ended;
  STEP(82, cudaStreamEndCapture(stream, &ended) == cudaSuccess && ended == graph);
  STEP(83, cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges) == cudaSuccess && edges == 1);
  std::puts("captured");
  return 0;
}
