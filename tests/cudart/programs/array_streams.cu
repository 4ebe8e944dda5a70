// Copies of CUDA arrays in streams and in graphs: they keep the order of other work there. The exit status is
// the number of the first step that went another way.
#include <cstdio>

// Copies of bytes into arrays are deprecated, and used all the same.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"

#define STEP(number, condition)                       \
  if (!(condition)) {                                 \
    std::printf("step %d: %s\n", number, #condition); \
    return number;                                    \
  }

constexpr int kWidth = 5, kHeight = 4, kTexels = kWidth * kHeight;
constexpr size_t kRow = kWidth * sizeof(int), kBytes = kTexels * sizeof(int);

/// Rows follow each other in `to`, however the array lays them out.
__global__ void fetch_kernel(cudaTextureObject_t texture, int* to) {
  to[threadIdx.y * kWidth + threadIdx.x] = tex2D<int>(texture, threadIdx.x, threadIdx.y);
}

cudaTextureObject_t texture_of(cudaArray_t array) {
  cudaResourceDesc resource{};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc sampling{};
  cudaTextureObject_t texture = 0;
  cudaCreateTextureObject(&texture, &resource, &sampling, nullptr);
  return texture;
}

void count_from(int* values, int first) {
  for (int i = 0; i < kTexels; ++i) values[i] = first + i;
}

bool counts_from(const int* values, int first) {
  for (int i = 0; i < kTexels; ++i) {
    if (values[i] != first + i) return false;
  }
  return true;
}

int main() {
  const cudaChannelFormatDesc channels = cudaCreateChannelDesc<int>();
  const dim3 threads(kWidth, kHeight);
  cudaArray_t array, other;
  int *fetched, *to, *from, pageable[kTexels];
  cudaStream_t stream, second;
  cudaMallocArray(&array, &channels, kWidth, kHeight);
  cudaMallocArray(&other, &channels, kWidth, kHeight);
  cudaMalloc(&fetched, kBytes);
  cudaMallocHost(&to, kBytes);
  cudaMallocHost(&from, kBytes);
  cudaStreamCreate(&stream);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  const cudaTextureObject_t texture = texture_of(array);

  // Pinned memory is read when the copy's turn comes; nothing has happened before the program waits.
  count_from(from, 100);
  count_from(to, 0);
  STEP(1, cudaMemcpy2DToArrayAsync(array, 0, 0, from, kRow, kRow, kHeight, cudaMemcpyHostToDevice, stream) ==
              cudaSuccess);
  fetch_kernel<<<1, threads, 0, stream>>>(texture, fetched);
  STEP(2, cudaMemcpyAsync(to, fetched, kBytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  STEP(3, counts_from(to, 0));
  count_from(from, 200);
  STEP(4, cudaStreamSynchronize(stream) == cudaSuccess && counts_from(to, 200));

  // Other memory is read at the call, in every form, and written before the call ends.
  cudaMemcpy3DParms box{};
  box.srcPtr = make_cudaPitchedPtr(pageable, kRow, kWidth, kHeight);
  box.dstArray = array;
  box.extent = make_cudaExtent(kWidth, kHeight, 1);
  box.kind = cudaMemcpyHostToDevice;
  count_from(pageable, 300);
  STEP(10, cudaMemcpy3DAsync(&box, stream) == cudaSuccess);
  count_from(pageable, 0);
  STEP(11, cudaMemcpy2DFromArrayAsync(pageable, kRow, array, 0, 0, kRow, kHeight, cudaMemcpyDeviceToHost,
                                      stream) == cudaSuccess);
  STEP(12, counts_from(pageable, 300));
  count_from(pageable, 400);
  STEP(13,
       cudaMemcpyToArrayAsync(array, 0, 0, pageable, kBytes, cudaMemcpyHostToDevice, stream) == cudaSuccess);
  count_from(pageable, 0);
  STEP(14, cudaMemcpyFromArrayAsync(to, array, 0, 0, kBytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  STEP(15, counts_from(to, 200));
  STEP(16, cudaStreamSynchronize(stream) == cudaSuccess && counts_from(to, 400));

  // Streams that nothing orders do not wait for each other; a blocking copy waits for those that block it.
  count_from(from, 500);
  cudaMemcpy2DToArrayAsync(array, 0, 0, from, kRow, kRow, kHeight, cudaMemcpyHostToDevice, stream);
  cudaMemcpy2DFromArrayAsync(to, kRow, array, 0, 0, kRow, kHeight, cudaMemcpyDeviceToHost, second);
  STEP(20, cudaStreamSynchronize(second) == cudaSuccess && counts_from(to, 400));
  STEP(21,
       cudaMemcpy2DFromArray(to, kRow, array, 0, 0, kRow, kHeight, cudaMemcpyDeviceToHost) == cudaSuccess &&
           counts_from(to, 500));

  // From array to array within the device the program does not wait, but what comes next does.
  cudaMemcpy2DToArrayAsync(array, 0, 0, from, kRow, kRow, kHeight, cudaMemcpyHostToDevice, stream);
  STEP(22, cudaMemcpy2DArrayToArray(other, 0, 0, array, 0, 0, kRow, kHeight) == cudaSuccess);
  count_from(from, 600);
  STEP(23,
       cudaMemcpy2DFromArray(to, kRow, other, 0, 0, kRow, kHeight, cudaMemcpyDeviceToHost) == cudaSuccess &&
           counts_from(to, 600));

  // Bytes that go on in the next row, between arrays whose rows are not as long.
  cudaArray_t narrow;
  cudaMallocArray(&narrow, &channels, 3, 8);
  STEP(24, cudaMemcpyArrayToArray(narrow, sizeof(int), 0, other, 2 * sizeof(int), 0, 17 * sizeof(int)) ==
               cudaSuccess);
  STEP(25, cudaMemcpyFromArray(to, narrow, sizeof(int), 0, 17 * sizeof(int), cudaMemcpyDeviceToHost) ==
               cudaSuccess);
  for (int i = 0; i < 17; ++i) STEP(26, to[i] == 602 + i);
  STEP(27, cudaMemcpyFromArray(to, narrow, sizeof(int), 0, 24 * sizeof(int), cudaMemcpyDeviceToHost) ==
               cudaErrorInvalidValue);

  // A texture may be destroyed, and its array freed, while the kernel that reads it still waits.
  const cudaTextureObject_t passing = texture_of(other);
  fetch_kernel<<<1, threads, 0, stream>>>(passing, fetched);
  STEP(30, cudaDestroyTextureObject(passing) == cudaSuccess);
  STEP(31, cudaFreeArray(other) == cudaSuccess);
  STEP(32, cudaMemcpy(to, fetched, kBytes, cudaMemcpyDeviceToHost) == cudaSuccess && counts_from(to, 600));

  // Captured copies are nodes, and name the array as the program did.
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  STEP(40, cudaMemcpy2DToArrayAsync(array, 0, 1, from, kRow, kRow, kHeight - 1, cudaMemcpyHostToDevice,
                                    stream) == cudaSuccess);
  fetch_kernel<<<1, threads, 0, stream>>>(texture, fetched);
  STEP(41, cudaMemcpyAsync(to, fetched, kBytes, cudaMemcpyDeviceToHost, stream) == cudaSuccess);
  STEP(42, cudaStreamEndCapture(stream, &graph) == cudaSuccess);
  cudaGraphNode_t nodes[3];
  size_t count = 3;
  STEP(43, cudaGraphGetNodes(graph, nodes, &count) == cudaSuccess && count == 3);
  cudaMemcpy3DParms params;
  STEP(44, cudaGraphMemcpyNodeGetParams(nodes[0], &params) == cudaSuccess);
  STEP(45, params.dstArray == array && params.srcArray == nullptr && params.srcPtr.ptr == from);
  STEP(46, params.dstPos.x == 0 && params.dstPos.y == 1 && params.dstPos.z == 0);
  STEP(47, params.extent.width == kWidth && params.extent.height == kHeight - 1 && params.extent.depth == 1);
  STEP(48, cudaGraphInstantiate(&executable, graph, 0) == cudaSuccess);
  for (const int first : {700, 800}) {
    count_from(from, first);
    STEP(49, cudaGraphLaunch(executable, stream) == cudaSuccess);
    STEP(50, cudaStreamSynchronize(stream) == cudaSuccess);
    for (int i = 0; i < kWidth; ++i) STEP(51, to[i] == 600 + i);
    for (int i = kWidth; i < kTexels; ++i) STEP(52, to[i] == first + i - kWidth);
  }

  // Nodes of the program's own making take arrays too; memory cannot take the place of one.
  cudaGraphNode_t whole;
  box.srcPtr = make_cudaPitchedPtr(from, kRow, kWidth, kHeight);
  STEP(60, cudaGraphMemcpyNodeSetParams(nodes[0], &box) == cudaSuccess);
  STEP(61, cudaGraphAddMemcpyNode(&whole, graph, nodes, 0, &box) == cudaSuccess);
  STEP(62, cudaGraphExecMemcpyNodeSetParams(executable, nodes[0], &box) == cudaSuccess);
  STEP(63, cudaGraphLaunch(executable, stream) == cudaSuccess);
  STEP(64, cudaStreamSynchronize(stream) == cudaSuccess && counts_from(to, 800));
  cudaMemcpy3DParms linear = box;
  linear.dstArray = nullptr;
  linear.dstPtr = make_cudaPitchedPtr(fetched, kRow, kWidth, kHeight);
  linear.extent.width = kRow;
  STEP(65, cudaGraphExecMemcpyNodeSetParams(executable, nodes[0], &linear) == cudaErrorInvalidValue);
  box.dstPos.x = 1;
  STEP(66, cudaGraphMemcpyNodeSetParams(nodes[0], &box) == cudaErrorInvalidValue);

  // As for other memory, a capture allows neither allocation nor a copy for which the program would wait.
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  STEP(70, cudaMallocArray(&other, &channels, kWidth, kHeight) == cudaErrorStreamCaptureUnsupported);
  STEP(71, cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  STEP(72, cudaMemcpy2DFromArray(to, kRow, array, 0, 0, kRow, kHeight, cudaMemcpyDeviceToHost) ==
               cudaErrorStreamCaptureUnsupported);
  STEP(73, cudaStreamEndCapture(stream, &graph) == cudaErrorStreamCaptureInvalidated);
  cudaGetLastError();
  std::puts("arrays in order");
  return 0;
}
