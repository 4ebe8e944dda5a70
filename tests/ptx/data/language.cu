// What nvcc turns into every form of PTX that needs no library: initialisers, addresses, calls, inline
// assembly.
#include <cstdio>

__device__ int counter = 5;
__constant__ float weights[4] = {1.5f, -2.0f, 3.0f, 4.0f};
__device__ double table[2][2] = {{1.0, 2.0}, {3.0, -4.0}};
__device__ int target[10];
__device__ int* pointer = &target[3];
__device__ const char* message = "hello\n";
__device__ const char* messages[3] = {"one", "two", "three"};
__managed__ int managed_value = 7;
extern __shared__ float dynamic_shared[];

struct Mixed {
  char letter;
  int* address;
  short number;
};
__device__ Mixed mixed = {'a', target + 1, -3};

__device__ __noinline__ int twice(int x) { return x * 2; }
__device__ __noinline__ int thrice(int x) { return x * 3 + counter; }
using Function = int (*)(int);
__device__ Function functions[2] = {twice, thrice};

struct __attribute__((packed)) Packed {
  char letter;
  int* address;
  short number;
  Function function;
};
__device__ Packed packed = {'p', target + 2, -3, thrice};

__global__ void transpose_kernel(const float* in, float* out, int n) {
  __shared__ float tile[32][33];
  tile[threadIdx.y][threadIdx.x] = in[(blockIdx.y * 32 + threadIdx.y) * n + blockIdx.x * 32 + threadIdx.x];
  __syncthreads();
  out[(blockIdx.x * 32 + threadIdx.y) * n + blockIdx.y * 32 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}

__global__ void __launch_bounds__(256, 2) calls_kernel(int* values, int n) {
  int x = values[threadIdx.x];
  switch (n) {
    case 0:
      x = x * 3;
      break;
    case 1:
      x = __popc(x);
      break;
    case 2:
      x = static_cast<int>(sinf(static_cast<float>(x)));
      break;
    case 3:
      x ^= 5;
      break;
    case 4:
      x = x / n;
      break;
    case 5:
      x = __clz(x) * 77;
      break;
    case 6:
      x = atomicAdd(values + 4, x);
      break;
    case 7:
      x = twice(x);
      break;
    default:
      x = functions[n & 1](x);
  }
  if (n > 3) printf("%d %s %s\n", n, message, messages[n & 1]);
  values[threadIdx.x] = x + packed.number + static_cast<int>(weights[n & 3]) + managed_value + *pointer;
  if (mixed.number == n) values[n] = packed.function(packed.letter) + packed.address[0] + mixed.address[0];
}

__global__ void maths_kernel(double* values, float4* vectors, int n) {
  const unsigned i = threadIdx.x;
  values[i] = sin(values[i]) * exp(values[i]) + pow(values[i], 2.5) + table[n & 1][i & 1];
  dynamic_shared[i] = static_cast<float>(values[i]);
  float4 v = vectors[i];
  v.x += __shfl_xor_sync(0xFFFFFFFFu, v.y, 1);
  v.z = __ballot_sync(0xFFFFFFFFu, v.w > 0) + dynamic_shared[i ^ 1];
  vectors[i] = v;
}

__global__ void assembly_kernel(int* values) {
  asm volatile(
      "{ .reg .pred p; .reg .u32 %%r1; setp.ne.u32 p, %1, 0; @!p mov.u32 %%r1, 077; @p mov.u32 %%r1, "
      "0b101U;\n"
      " add.u32 %0, %%r1, WARP_SZ; }"
      : "=r"(values[0])
      : "r"(values[1]));
  asm volatile(
      "{ .reg .pred p; AGAIN: setp.ne.u32 p, %0, 0; @p bra DONE; bra AGAIN; DONE: }" ::"r"(values[2]));
  asm volatile(
      "{ .reg .pred p; AGAIN: setp.eq.u32 p, %0, 9; @p bra DONE; bra AGAIN; DONE: }" ::"r"(values[2]));
  asm volatile(
      "{ targets: .branchtargets A, B; brx.idx %0, targets; A: membar.gl; B: membar.cta; }" ::"r"(values[3]));
}
