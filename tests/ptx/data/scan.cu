// A single-pass scan of three blocks' worth of loops and barriers: enough text for compression to bite.
__global__ void scan_kernel(const int* in, int* out, volatile int* flags, volatile int* totals, int n) {
  __shared__ int partial[256];
  __shared__ int before;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  partial[threadIdx.x] = i < n ? in[i] : 0;
  __syncthreads();
  for (int distance = 1; distance < 256; distance *= 2) {
    const int left = threadIdx.x >= distance ? partial[threadIdx.x - distance] : 0;
    __syncthreads();
    partial[threadIdx.x] += left;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    int sum = 0;
    if (blockIdx.x > 0) {
      while (flags[blockIdx.x - 1] == 0) {
      }
      __threadfence();
      sum = totals[blockIdx.x - 1];
    }
    totals[blockIdx.x] = sum + partial[255];
    __threadfence();
    flags[blockIdx.x] = 1;
    before = sum;
  }
  __syncthreads();
  if (i < n) out[i] = before + partial[threadIdx.x];
}
