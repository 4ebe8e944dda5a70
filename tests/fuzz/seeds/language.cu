// A little of everything that kernels have, for the fuzzers to begin with.
#include <cstdio>

__device__ int counter;
__constant__ float table[4] = {1, 2, 3, 4};

__device__ __noinline__ int depth(int n) { return n <= 0 ? 0 : 1 + depth(n - 1); }

__global__ void mixed(int* out, const float* in, int n) {
  extern __shared__ int words[];
  const int i = static_cast<int>(threadIdx.x);
  words[i % 32] = i;
  __syncthreads();
  int value = words[(i + 1) % 32] + depth(i % 3);
  switch (n % 7) {
    case 0:
      value += 3;
      break;
    case 1:
      value *= 5;
      break;
    case 2:
      value ^= 7;
      break;
    case 3:
      value -= 9;
      break;
    case 4:
      value |= 11;
      break;
    default:
      value = -value;
  }
  value += __shfl_down_sync(0xFFFFFFFF, value, 1) + __popc(__ballot_sync(0xFFFFFFFF, value > 3));
  value += static_cast<int>(in[i] * table[i % 4] + __sinf(in[i]) / sqrtf(2.0f + i));
  value += static_cast<int>(__dadd_rd(1.5, i) * rsqrt(3.0));
  if (i == 5) printf("%d %f\n", value, 1.5);
  atomicAdd(&counter, value);
  atomicCAS(out + 1, 1, value);
  __threadfence();
  for (int k = 0; k < n; ++k) value = value * 3 + k;
  reinterpret_cast<int4*>(out)[i % 8] = make_int4(value, 1, 2, 3);
}
