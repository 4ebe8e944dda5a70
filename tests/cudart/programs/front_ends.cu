// What plain CUDA C++ asks of every front end: built for each architecture for which nvcc makes other PTX of
// it, it must compute the same. What the newer ones emit differs: accesses of 256 bits, packed floats,
// conversions to floats of 4 and 6 bits. Prints the architecture of the code that ran, what the device says
// of itself, and what is wrong.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp4.h>
#include <cuda_fp6.h>
#include <cuda_fp8.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <vector>

namespace cg = cooperative_groups;

constexpr int kThreads = 64, kBlocks = 4, kN = kThreads * kBlocks;

struct alignas(32) EightFloats {
  float of[8];
};
struct alignas(32) FourDoubles {
  double of[4];
};
struct alignas(32) EightInts {
  int of[8];
};

struct Results {
  int architecture;
  EightFloats floats[kN];
  FourDoubles doubles[kN];
  EightInts ints[kN];
  float2 packed[kN];
  int scanned[kN], reduced[kN], swapped[kN];
  float halves[kN], bfloats[kN];
  double sum;
  unsigned histogram[16];
  __nv_fp8x2_storage_t fp8[kN], scales[kN];
  __nv_fp6x2_storage_t fp6[2][kN];
  __nv_fp4x2_storage_t fp4[kN];
  unsigned widened[4][kN];  // e2m1, e2m3, e3m2 as f16, scales as bf16
};

__constant__ float weights[4] = {0.5F, 1.5F, -2.0F, 4.0F};
__device__ Results results;

__device__ int twice(int x) { return 2 * x; }
__device__ int square(int x) { return x * x; }
__device__ int (*const functions[])(int) = {twice, square};

__global__ void describe_kernel() {
#ifdef __CUDA_ARCH__
  results.architecture = __CUDA_ARCH__;
#endif
}

__global__ void wide_kernel(const EightFloats* __restrict__ floats, const FourDoubles* doubles,
                            const EightInts* ints) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  EightFloats f = floats[i];
  FourDoubles d = doubles[i];
  EightInts n = ints[i];
  for (int k = 0; k < 8; ++k) f.of[k] = fmaf(f.of[k], weights[k % 4], 1.0F), n.of[k] += k;
  for (int k = 0; k < 4; ++k) d.of[k] = d.of[k] / 3.0 + f.of[k];
  results.floats[i] = f;
  results.doubles[i] = d;
  if (i % 3 != 0) results.ints[i] = n;
}

__global__ void arithmetic_kernel(const float2* a, const float2* b) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
#if __CUDA_ARCH__ >= 1000
  const float2 product = __fmul2_rz(a[i], b[i]);
  results.packed[i] = __ffma2_rn(a[i], b[i], __fadd2_ru(product, b[i]));
#else
  const float2 x = a[i], y = b[i];
  results.packed[i] = {__fmaf_rn(x.x, y.x, __fadd_ru(__fmul_rz(x.x, y.x), y.x)),
                       __fmaf_rn(x.y, y.y, __fadd_ru(__fmul_rz(x.y, y.y), y.y))};
#endif
  results.halves[i] = __half2float(__hfma(__float2half(a[i].x), __float2half(b[i].x), __float2half(0.25F)));
  results.bfloats[i] = __bfloat162float(__float2bfloat16(a[i].y) * __float2bfloat16(b[i].y));
  atomicAdd(&results.sum, static_cast<double>(i) * 0.5);
  atomicAdd(&results.histogram[i * i % 16], 1U);
}

__global__ void warp_kernel() {
  extern __shared__ int values[];
  const int t = static_cast<int>(threadIdx.x), i = static_cast<int>(blockIdx.x * blockDim.x) + t;
  int sum = i % 7;
  for (int step = 1; step < 32; step *= 2) {
    const int other = __shfl_up_sync(~0U, sum, step);
    if (t % 32 >= step) sum += other;
  }
  results.scanned[i] = sum;
  results.reduced[i] = cg::reduce(cg::tiled_partition<16>(cg::this_thread_block()), i, cg::greater<int>());
  values[t] = functions[t / 32](i);
  __syncthreads();
  results.swapped[i] = values[kThreads - 1 - t];
}

__global__ void narrow_kernel(const float2* a) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  results.fp8[i] = __nv_cvt_float2_to_fp8x2(a[i], __NV_SATFINITE, __NV_E4M3);
  results.scales[i] = __nv_cvt_float2_to_e8m0x2(a[i], i % 2 == 0 ? __NV_SATFINITE : __NV_NOSAT,
                                                i % 4 < 2 ? cudaRoundZero : cudaRoundPosInf);
  results.fp6[0][i] = __nv_cvt_float2_to_fp6x2(a[i], __NV_E2M3, cudaRoundNearest);
  results.fp6[1][i] = __nv_cvt_float2_to_fp6x2(a[i], __NV_E3M2, cudaRoundNearest);
  results.fp4[i] = __nv_cvt_float2_to_fp4x2(a[i], __NV_E2M1, cudaRoundNearest);
  const __half2_raw wide[] = {
      __nv_cvt_fp4x2_to_halfraw2(static_cast<__nv_fp4x2_storage_t>(i), __NV_E2M1),
      __nv_cvt_fp6x2_to_halfraw2(static_cast<__nv_fp6x2_storage_t>(i % 64 | (i * 5 % 64) << 8), __NV_E2M3),
      __nv_cvt_fp6x2_to_halfraw2(static_cast<__nv_fp6x2_storage_t>(i % 64 | (i * 5 % 64) << 8), __NV_E3M2)};
  for (int k = 0; k < 3; ++k) results.widened[k][i] = wide[k].x | static_cast<unsigned>(wide[k].y) << 16;
  const __nv_bfloat162_raw scales = __nv_cvt_e8m0x2_to_bf162raw(static_cast<__nv_fp8x2_storage_t>(i * 257));
  results.widened[3][i] = scales.x | static_cast<unsigned>(scales.y) << 16;
}

template <class T>
T* to_device(const std::vector<T>& values) {
  T* copy = nullptr;
  cudaMalloc(&copy, values.size() * sizeof(T));
  cudaMemcpy(copy, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice);
  return copy;
}

int wrong = 0;
void expect(bool as_it_should, const char* what) {
  if (as_it_should) return;
  if (wrong++ < 5) std::printf("wrong: %s\n", what);
}
template <class T>
bool same(const T& a, const T& b) {
  return std::memcmp(&a, &b, sizeof(T)) == 0;
}

int main() {
  std::vector<EightFloats> floats(kN);
  std::vector<FourDoubles> doubles(kN);
  std::vector<EightInts> ints(kN);
  std::vector<float2> a(kN), b(kN), wide(kN);
  for (int i = 0; i < kN; ++i) {
    for (int k = 0; k < 8; ++k)
      floats[i].of[k] = static_cast<float>(i * 8 + k) * 0.37F, ints[i].of[k] = i - k;
    for (int k = 0; k < 4; ++k) doubles[i].of[k] = i * 1.1 - k;
    a[i] = {static_cast<float>(i) * 0.123F - 7, 1.0F / static_cast<float>(i + 1)};
    b[i] = {3.0F - static_cast<float>(i) * 0.01F, static_cast<float>(i) * 0.7F};
    wide[i] = {std::ldexp(1.0F + static_cast<float>(i % 32) / 32, i - 128),
               std::ldexp(-1.0F - static_cast<float>(i % 16) / 16, i % 14 - 7)};
  }
  wide[1] = {NAN, INFINITY}, wide[2] = {-INFINITY, 0.0F}, wide[3] = {-0.0F, NAN};
  wide[4] = {INFINITY, NAN}, wide[5] = {0x1p-149F, 0x1p-127F};

  describe_kernel<<<1, 1>>>();
  wide_kernel<<<kBlocks, kThreads>>>(to_device(floats), to_device(doubles), to_device(ints));
  arithmetic_kernel<<<kBlocks, kThreads>>>(to_device(a), to_device(b));
  warp_kernel<<<kBlocks, kThreads, kThreads * sizeof(int)>>>();
  narrow_kernel<<<kBlocks, kThreads>>>(to_device(wide));
  static Results seen;
  expect(cudaMemcpyFromSymbol(&seen, results, sizeof seen) == cudaSuccess, "a launch");

  unsigned histogram[16] = {};
  double sum = 0;
  for (int i = 0; i < kN; ++i) {
    EightFloats f;
    EightInts n;
    for (int k = 0; k < 8; ++k) {
      constexpr float kWeights[4] = {0.5F, 1.5F, -2.0F, 4.0F};
      f.of[k] = std::fmaf(floats[i].of[k], kWeights[k % 4], 1.0F);
      n.of[k] = i % 3 == 0 ? 0 : ints[i].of[k] + k;
    }
    FourDoubles d;
    for (int k = 0; k < 4; ++k) d.of[k] = doubles[i].of[k] / 3.0 + static_cast<double>(f.of[k]);
    expect(same(seen.floats[i], f), "floats");
    expect(same(seen.doubles[i], d), "doubles");
    expect(same(seen.ints[i], n), "integers");

    const auto packed = [](float x, float y) {
      const double product = static_cast<double>(x) * y;
      float cut = static_cast<float>(product);
      if (std::fabs(static_cast<double>(cut)) > std::fabs(product)) cut = std::nextafterf(cut, 0.0F);
      // Exact: 24 bits each, and magnitudes close enough for double's 53.
      const double exact = static_cast<double>(cut) + y;
      float up = static_cast<float>(exact);
      if (static_cast<double>(up) < exact) up = std::nextafterf(up, INFINITY);
      return std::fmaf(x, y, up);
    };
    expect(seen.packed[i].x == packed(a[i].x, b[i].x) && seen.packed[i].y == packed(a[i].y, b[i].y), "pairs");
    // Products of 22 bits and a sum within double's 53, so one rounding.
    const double fused = static_cast<double>(__half2float(__float2half(a[i].x))) *
                             static_cast<double>(__half2float(__float2half(b[i].x))) +
                         0.25;
    expect(seen.halves[i] == __half2float(__double2half(fused)), "f16");
    expect(seen.bfloats[i] == __bfloat162float(__float2bfloat16(__bfloat162float(__float2bfloat16(a[i].y)) *
                                                                __bfloat162float(__float2bfloat16(b[i].y)))),
           "bf16");

    int scanned = 0;
    for (int k = i / 32 * 32; k <= i; ++k) scanned += k % 7;
    const int mirror = i / kThreads * kThreads + kThreads - 1 - i % kThreads;
    expect(seen.scanned[i] == scanned, "a scan");
    expect(seen.reduced[i] == i / 16 * 16 + 15, "a reduction");
    expect(seen.swapped[i] == (mirror % kThreads < 32 ? 2 * mirror : mirror * mirror), "shared memory");
    ++histogram[i * i % 16];
    sum += i * 0.5;

    // The headers' own code for processors, which knows no PTX.
    expect(seen.fp8[i] == __nv_cvt_float2_to_fp8x2(wide[i], __NV_SATFINITE, __NV_E4M3), "e4m3");
    expect(seen.scales[i] == __nv_cvt_float2_to_e8m0x2(wide[i], i % 2 == 0 ? __NV_SATFINITE : __NV_NOSAT,
                                                       i % 4 < 2 ? cudaRoundZero : cudaRoundPosInf),
           "ue8m0");
    expect(seen.fp6[0][i] == __nv_cvt_float2_to_fp6x2(wide[i], __NV_E2M3, cudaRoundNearest), "e2m3");
    expect(seen.fp6[1][i] == __nv_cvt_float2_to_fp6x2(wide[i], __NV_E3M2, cudaRoundNearest), "e3m2");
    expect(seen.fp4[i] == __nv_cvt_float2_to_fp4x2(wide[i], __NV_E2M1, cudaRoundNearest), "e2m1");
    const __half2_raw halves[] = {
        __nv_cvt_fp4x2_to_halfraw2(static_cast<__nv_fp4x2_storage_t>(i), __NV_E2M1),
        __nv_cvt_fp6x2_to_halfraw2(static_cast<__nv_fp6x2_storage_t>(i % 64 | (i * 5 % 64) << 8), __NV_E2M3),
        __nv_cvt_fp6x2_to_halfraw2(static_cast<__nv_fp6x2_storage_t>(i % 64 | (i * 5 % 64) << 8), __NV_E3M2)};
    for (int k = 0; k < 3; ++k) {
      expect(seen.widened[k][i] == (halves[k].x | static_cast<unsigned>(halves[k].y) << 16), "narrow to f16");
    }
    const __nv_bfloat162_raw scales = __nv_cvt_e8m0x2_to_bf162raw(static_cast<__nv_fp8x2_storage_t>(i * 257));
    expect(seen.widened[3][i] == (scales.x | static_cast<unsigned>(scales.y) << 16), "ue8m0 to bf16");
  }
  expect(same(seen.histogram, histogram) && seen.sum == sum, "atomics");

  cudaDeviceProp device;
  cudaFuncAttributes kernel;
  cudaGetDeviceProperties(&device, 0);
  cudaFuncGetAttributes(&kernel, describe_kernel);
  int major = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0);
  expect(kernel.ptxVersion * 10 == seen.architecture, "cudaFuncAttributes::ptxVersion");
  expect(major == device.major && kernel.binaryVersion == device.major * 10 + device.minor, "the capability");
  expect(cudaDeviceSynchronize() == cudaSuccess, "the device");
  std::printf("compute_%d on %d.%d, %d wrong\n", seen.architecture / 10, device.major, device.minor, wrong);
  return wrong != 0;
}
