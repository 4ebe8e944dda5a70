// One kernel, launched by a graph and by a stream that nobody waits for.
#include <cstdio>

__global__ void count_kernel(int* total) {
  atomicAdd(total, 1);  // all lanes at one address
}

int main() {
  int* total;
  cudaStream_t stream;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaMalloc(&total, sizeof(int));
  cudaMemset(total, 0, sizeof(int));
  cudaStreamCreate(&stream);
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  count_kernel<<<1, 32, 0, stream>>>(total);
  count_kernel<<<2, 32, 0, stream>>>(total);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 3; ++i) cudaGraphLaunch(executable, stream);
  std::printf("%s\n", cudaGetErrorString(cudaStreamSynchronize(stream)));
  count_kernel<<<1, 32, 0, stream>>>(total);
  return 0;
}
