// Kernels that stand for what a device spends its time on: arithmetic, tiles, gathers, and banks in conflict.

/// Eight fused multiply-adds for each step, in registers alone.
extern "C" __global__ void arithmetic(float* out, int steps) {
  float a[8];
  for (int k = 0; k < 8; ++k) a[k] = static_cast<float>(threadIdx.x + k);
#pragma unroll 2
  for (int step = 0; step < steps; ++step) {
#pragma unroll
    for (int k = 0; k < 8; ++k) a[k] = fmaf(a[k], 0.5f, 1.0f);
  }
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += a[k];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

/// c = a · b for square matrices of a multiple of 32 rows, by tiles of 32 × 32 in shared memory.
extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
  __shared__ float tile_a[32][32], tile_b[32][32];
  const int x = threadIdx.x, y = threadIdx.y;
  const int row = blockIdx.y * 32 + y, column = blockIdx.x * 32 + x;
  float sum = 0;
  for (int k0 = 0; k0 < n; k0 += 32) {
    tile_a[y][x] = a[row * n + k0 + x];
    tile_b[y][x] = b[(k0 + y) * n + column];
    __syncthreads();
#pragma unroll
    for (int k = 0; k < 32; ++k) sum += tile_a[y][k] * tile_b[k][x];
    __syncthreads();
  }
  c[row * n + column] = sum;
}

/// Every thread reads words of all over a buffer of 2^(32 - shift): the addresses come from a generator, not
/// from memory.
extern "C" __global__ void gather(const unsigned* in, unsigned* out, int steps, int shift) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned state = i * 2654435761u + 1, sum = 0;
  for (int step = 0; step < steps; ++step) {
    state = state * 1664525u + 1013904223u;
    sum += in[state >> shift];
  }
  out[i] = sum;
}

/// Every lane of a warp goes down a column of its own: the 32 words of an access lie in one bank.
extern "C" __global__ void bank_conflicts(unsigned* out, int steps) {
  __shared__ unsigned words[32 * 32];
  const unsigned lane = threadIdx.x;
  for (unsigned k = 0; k < 32; ++k) words[k * 32 + lane] = k + lane;
  __syncwarp();
  unsigned sum = 0;
  for (int step = 0; step < steps; ++step) sum += words[lane * 32 + (step & 31)];
  out[blockIdx.x * 32 + lane] = sum;
}
