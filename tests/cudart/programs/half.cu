// Operators and intrinsics of cuda_fp16.h, cuda_bf16.h and cuda_fp8.h. The same headers compute on the host,
// in code of their own: both must agree to the bit.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <climits>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

/// Nothing here is a product that a compiler may join with a sum.
template <class T>
__host__ __device__ T combination(T a, T b, T c, T three, T quarter) {
  return (c - b) * a / (b + three) - quarter;
}

// The headers have these for the device alone. A double holds what the host needs of the inputs below.
__host__ __device__ __half fused(__half a, __half b, __half c) {
#ifdef __CUDA_ARCH__
  return __hfma(a, b, c);
#else
  return __double2half(static_cast<double>(__half2float(a)) * __half2float(b) + __half2float(c));
#endif
}
__host__ __device__ __nv_bfloat16 fused(__nv_bfloat16 a, __nv_bfloat16 b, __nv_bfloat16 c) {
#ifdef __CUDA_ARCH__
  return __hfma(a, b, c);
#else
  return __double2bfloat16(static_cast<double>(__bfloat162float(a)) * __bfloat162float(b) +
                           __bfloat162float(c));
#endif
}
__host__ __device__ __nv_bfloat162 fused(__nv_bfloat162 a, __nv_bfloat162 b, __nv_bfloat162 c) {
#ifdef __CUDA_ARCH__
  return __hfma2(a, b, c);
#else
  return __halves2bfloat162(fused(a.x, b.x, c.x), fused(a.y, b.y, c.y));
#endif
}
__host__ __device__ int down(__half a) {
#ifdef __CUDA_ARCH__
  return __half2int_rd(a);
#else
  return std::isinf(__half2float(a)) ? INT_MAX : static_cast<int>(std::floor(__half2float(a)));
#endif
}

template <class T>
__host__ __device__ unsigned relations(T a, T b) {
  return (a < b) | (a <= b) << 1 | (a == b) << 2 | (a != b) << 3 | __hgtu(a, b) << 4 | __hisnan(a) << 5 |
         (__hmax(a, b) == a) << 6 | (__hmin_nan(a, b) == b) << 7;
}

struct Results {
  __half scalar, fused, saturated;
  __half2 pair;
  __nv_bfloat16 brain, brain_fused;
  __nv_bfloat162 brain_pair;
  __nv_fp8x2_storage_t e4m3, e5m2;
  __half2_raw from_e4m3;
  unsigned relations, brain_relations;
  int down;
};

__host__ __device__ Results compute(float x, float y, float z) {
  Results r;
  const __half a = __float2half(x), b = __float2half(y), c = __float2half(z);
  const __nv_bfloat16 d = __float2bfloat16(x), e = __float2bfloat16(y), f = __float2bfloat16(z);
  r.scalar = combination(a, b, c, __float2half(3.0F), __float2half(0.25F));
  r.fused = fused(a, b, c);
  r.saturated = __hadd_sat(a, b);
  r.pair = combination(__floats2half2_rn(x, y), __floats2half2_rn(y, z), __floats2half2_rn(z, x),
                       __float2half2_rn(3.0F), __float2half2_rn(0.25F));
  r.brain = combination(d, e, f, __float2bfloat16(3.0F), __float2bfloat16(0.25F));
  r.brain_fused = fused(d, e, f);
  r.brain_pair = fused(__floats2bfloat162_rn(x, y), __floats2bfloat162_rn(y, z), __floats2bfloat162_rn(z, x));
  r.e4m3 = __nv_cvt_float2_to_fp8x2(make_float2(x, y), __NV_SATFINITE, __NV_E4M3);
  r.e5m2 = __nv_cvt_halfraw2_to_fp8x2(__halves2half2(b, c), __NV_SATFINITE, __NV_E5M2);
  r.from_e4m3 = __nv_cvt_fp8x2_to_halfraw2(r.e4m3, __NV_E4M3);
  r.relations = relations(a, b);
  r.brain_relations = relations(d, e);
  r.down = down(a);
  return r;
}

__global__ void compute_kernel(const float3* in, Results* out, float* roots, __half2* sum, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[i] = compute(in[i].x, in[i].y, in[i].z);
  roots[i] =
      __half2float(hsqrt(__float2half(fabsf(in[i].x)))) + __half2float(hexp(__float2half(in[i].y * 0.125F)));
  atomicAdd(sum, __floats2half2_rn(1.0F, 0.5F));
}

int main() {
  constexpr int n = 1000;
  std::vector<float3> in(n);
  unsigned random = 1;
  const auto next = [&] {
    random = random * 1664525 + 1013904223;
    return static_cast<float>(static_cast<int>(random >> 8) % 20001 - 10000) / 1024.0F;
  };
  for (float3& v : in) v = make_float3(next(), next(), next());
  in[0] = make_float3(70000.0F, -0.0F, 1e-7F);
  in[1] = make_float3(1e-7F, 3e-8F, -65504.0F);
  float3* inputs = nullptr;
  Results* outputs = nullptr;
  float* roots = nullptr;
  __half2* sum = nullptr;
  cudaMalloc(&inputs, n * sizeof(float3));
  cudaMalloc(&outputs, n * sizeof(Results));
  cudaMalloc(&roots, n * sizeof(float));
  cudaMalloc(&sum, sizeof(__half2));
  cudaMemcpy(inputs, in.data(), n * sizeof(float3), cudaMemcpyHostToDevice);
  cudaMemset(sum, 0, sizeof(__half2));
  cudaMemset(outputs, 0, n * sizeof(Results));
  compute_kernel<<<(n + 127) / 128, 128>>>(inputs, outputs, roots, sum, n);
  std::vector<Results> out(n);
  std::vector<float> root(n);
  __half2 total;
  cudaMemcpy(out.data(), outputs, n * sizeof(Results), cudaMemcpyDeviceToHost);
  cudaMemcpy(root.data(), roots, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaMemcpy(&total, sum, sizeof total, cudaMemcpyDeviceToHost);
  int wrong = cudaGetLastError() != cudaSuccess;
  for (int i = 0; i < n; ++i) {
    Results expected = compute(in[i].x, in[i].y, in[i].z);
    const auto differs = [](const auto& a, const auto& b) { return std::memcmp(&a, &b, sizeof a) != 0; };
    const bool bad = differs(out[i].scalar, expected.scalar) || differs(out[i].fused, expected.fused) ||
                     differs(out[i].saturated, expected.saturated) || differs(out[i].pair, expected.pair) ||
                     differs(out[i].brain, expected.brain) ||
                     differs(out[i].brain_fused, expected.brain_fused) ||
                     differs(out[i].brain_pair, expected.brain_pair) || out[i].e4m3 != expected.e4m3 ||
                     out[i].e5m2 != expected.e5m2 || differs(out[i].from_e4m3, expected.from_e4m3) ||
                     out[i].relations != expected.relations ||
                     out[i].brain_relations != expected.brain_relations || out[i].down != expected.down;
    const float exact = std::sqrt(__half2float(__float2half(std::fabs(in[i].x)))) +
                        std::exp(__half2float(__float2half(in[i].y * 0.125F)));
    const bool far = !(std::fabs(root[i] - exact) <= 2e-3F * exact) && !std::isinf(exact);
    if (bad || far) {
      std::printf("%d: %g %g %g\n", i, in[i].x, in[i].y, in[i].z);
      ++wrong;
    }
  }
  wrong += __low2float(total) != 1000.0F || __high2float(total) != 500.0F;
  std::puts(wrong == 0 ? "halves agree" : "halves differ");
  return wrong != 0;
}
