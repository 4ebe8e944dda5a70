// Tensor cores: fragments, and products whose sums are exact, so that no order of additions shows. The
// operands are small whole numbers.
#include <mma.h>

#include "ptx.h"
#include "suite.h"

namespace {

namespace wmma = nvcuda::wmma;

/// Whole numbers from −4 to 3, from three bits each.
__device__ int small(std::uint32_t bits) { return static_cast<int>(bits % 8) - 4; }
__device__ std::uint32_t halves(std::uint32_t bits) {
  const __half2 pair =
      __floats2half2_rn(static_cast<float>(small(bits)), static_cast<float>(small(bits >> 3)));
  return reinterpret_cast<const std::uint32_t&>(pair);
}
__device__ std::uint32_t bfloats(std::uint32_t bits) {
  const __nv_bfloat162 pair =
      __floats2bfloat162_rn(static_cast<float>(small(bits)), static_cast<float>(small(bits >> 3)));
  return reinterpret_cast<const std::uint32_t&>(pair);
}
__device__ std::uint32_t single(std::uint32_t bits) {
  return __float_as_uint(static_cast<float>(small(bits)));
}
/// e4m3 and e5m2: −2, −1, 0, 1 or 2 in four bytes.
__device__ std::uint32_t bytes(std::uint32_t bits, std::uint32_t one, std::uint32_t two) {
  std::uint32_t word = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const std::uint32_t choice = bits >> (4 * i) & 7;
    word |= (choice == 0 ? 0 : (choice & 1 ? one : two) | (choice & 4 ? 0x80U : 0U)) << (8 * i);
  }
  return word;
}

}  // namespace

// in: words of A, B and C for every lane. The result of lane t goes to column k, row t.
KERNEL(tensor_f16_m16n8k16_f32, 512, 32, 4, 1, 32) {
  const unsigned t = threadIdx.x;
  float d[4];
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, "
      "%11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(halves(in[t])), "r"(halves(in[t + 32])), "r"(halves(in[t + 64])), "r"(halves(in[t + 96])),
        "r"(halves(in[t + 128])), "r"(halves(in[t + 160])), "f"(float(small(in[t + 192]))),
        "f"(float(small(in[t + 224]))), "f"(float(small(in[t + 256]))), "f"(float(small(in[t + 288]))));
  for (unsigned k = 0; k < 4; ++k) out[k * 32 + t] = __float_as_uint(d[k]);
}
KERNEL(tensor_f16_m16n8k16_f16, 512, 32, 2, 1, 32) {
  const unsigned t = threadIdx.x;
  std::uint32_t d[2];
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
      : "=r"(d[0]), "=r"(d[1])
      : "r"(halves(in[t])), "r"(halves(in[t + 32])), "r"(halves(in[t + 64])), "r"(halves(in[t + 96])),
        "r"(halves(in[t + 128])), "r"(halves(in[t + 160])), "r"(halves(in[t + 192])),
        "r"(halves(in[t + 224])));
  for (unsigned k = 0; k < 2; ++k) out[k * 32 + t] = d[k];
}
KERNEL(tensor_f16_m16n8k8_f32, 512, 32, 4, 1, 32) {
  const unsigned t = threadIdx.x;
  float d[4];
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(halves(in[t])), "r"(halves(in[t + 32])), "r"(halves(in[t + 128])), "f"(float(small(in[t + 192]))),
        "f"(float(small(in[t + 224]))), "f"(float(small(in[t + 256]))), "f"(float(small(in[t + 288]))));
  for (unsigned k = 0; k < 4; ++k) out[k * 32 + t] = __float_as_uint(d[k]);
}
KERNEL(tensor_bf16_m16n8k16, 512, 32, 4, 1, 32) {
  const unsigned t = threadIdx.x;
  float d[4];
  asm volatile(
      "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(bfloats(in[t])), "r"(bfloats(in[t + 32])), "r"(bfloats(in[t + 64])), "r"(bfloats(in[t + 96])),
        "r"(bfloats(in[t + 128])), "r"(bfloats(in[t + 160])), "f"(float(small(in[t + 192]))),
        "f"(float(small(in[t + 224]))), "f"(float(small(in[t + 256]))), "f"(float(small(in[t + 288]))));
  for (unsigned k = 0; k < 4; ++k) out[k * 32 + t] = __float_as_uint(d[k]);
}
KERNEL(tensor_tf32_m16n8k8, 512, 32, 4, 1, 32) {
  const unsigned t = threadIdx.x;
  float d[4];
  asm volatile(
      "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %11, %12, %13};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(single(in[t])), "r"(single(in[t + 32])), "r"(single(in[t + 64])), "r"(single(in[t + 96])),
        "r"(single(in[t + 128])), "r"(single(in[t + 160])), "f"(float(small(in[t + 192]))),
        "f"(float(small(in[t + 224]))), "f"(float(small(in[t + 256]))), "f"(float(small(in[t + 288]))));
  for (unsigned k = 0; k < 4; ++k) out[k * 32 + t] = __float_as_uint(d[k]);
}
KERNEL(tensor_f64_m8n8k4, 512, 64, 2, 1, 32) {
  const unsigned t = threadIdx.x;
  double d[2];
  asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};"
               : "=d"(d[0]), "=d"(d[1])
               : "d"(double(small(in[t]))), "d"(double(small(in[t + 32]))), "d"(double(small(in[t + 64]))),
                 "d"(double(small(in[t + 96]))));
  for (unsigned k = 0; k < 2; ++k) reinterpret_cast<double*>(out)[k * 32 + t] = d[k];
}
#define INTEGER_PRODUCT(name, types)                                                                         \
  KERNEL(name, 512, 32, 4, 1, 32) {                                                                          \
    const unsigned t = threadIdx.x;                                                                          \
    std::uint32_t d[4];                                                                                      \
    asm volatile(                                                                                            \
        "mma.sync.aligned." types " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"     \
        : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])                                                     \
        : "r"(in[t]), "r"(in[t + 32]), "r"(in[t + 64]), "r"(in[t + 96]), "r"(in[t + 128]), "r"(in[t + 160]), \
          "r"(in[t + 192]), "r"(in[t + 224]), "r"(in[t + 256]), "r"(in[t + 288]));                           \
    for (unsigned k = 0; k < 4; ++k) out[k * 32 + t] = d[k];                                                 \
  }
INTEGER_PRODUCT(tensor_s8_m16n8k32, "m16n8k32.row.col.s32.s8.s8.s32")
INTEGER_PRODUCT(tensor_u8_m16n8k32, "m16n8k32.row.col.s32.u8.u8.s32")
INTEGER_PRODUCT(tensor_s8_u8_m16n8k32, "m16n8k32.row.col.s32.s8.u8.s32")
INTEGER_PRODUCT(tensor_s8_saturated, "m16n8k32.row.col.satfinite.s32.s8.s8.s32")
INTEGER_PRODUCT(tensor_s4_m16n8k64, "m16n8k64.row.col.s32.s4.s4.s32")
INTEGER_PRODUCT(tensor_u4_m16n8k64, "m16n8k64.row.col.s32.u4.u4.s32")
INTEGER_PRODUCT(tensor_b1_and, "m16n8k256.row.col.s32.b1.b1.s32.and.popc")
INTEGER_PRODUCT(tensor_b1_xor, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc")

KERNEL(tensor_e4m3_m16n8k32, 512, 32, 4, 1, 32) {
  const unsigned t = threadIdx.x;
  float d[4];
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %10, %10, %10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(bytes(in[t], 0x38, 0x40)), "r"(bytes(in[t + 32], 0x38, 0x40)), "r"(bytes(in[t + 64], 0x38, 0x40)),
        "r"(bytes(in[t + 96], 0x38, 0x40)), "r"(bytes(in[t + 128], 0x38, 0x40)),
        "r"(bytes(in[t + 160], 0x38, 0x40)), "f"(1.0F));
  for (unsigned k = 0; k < 4; ++k) out[k * 32 + t] = __float_as_uint(d[k]);
}
KERNEL(tensor_e5m2_m16n8k32, 512, 32, 4, 1, 32) {
  const unsigned t = threadIdx.x;
  float d[4];
  asm volatile(
      "mma.sync.aligned.m16n8k32.row.col.f32.e5m2.e4m3.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
      "{%10, %10, %10, %10};"
      : "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
      : "r"(bytes(in[t], 0x3C, 0x40)), "r"(bytes(in[t + 32], 0x3C, 0x40)), "r"(bytes(in[t + 64], 0x3C, 0x40)),
        "r"(bytes(in[t + 96], 0x3C, 0x40)), "r"(bytes(in[t + 128], 0x38, 0x40)),
        "r"(bytes(in[t + 160], 0x38, 0x40)), "f"(-1.0F));
  for (unsigned k = 0; k < 4; ++k) out[k * 32 + t] = __float_as_uint(d[k]);
}

#define LOAD_MATRIX(name, count, modifier, registers, ...)                                                   \
  KERNEL(name, 128, 32, count, 1, 32) {                                                                      \
    __shared__ alignas(16) std::uint32_t shared[128];                                                        \
    const unsigned t = threadIdx.x;                                                                          \
    for (unsigned i = t; i < 128; i += 32) shared[i] = in[i];                                                \
    __syncwarp();                                                                                            \
    std::uint32_t d[4] = {};                                                                                 \
    asm volatile("ldmatrix.sync.aligned.m8n8.x" #count modifier ".shared.b16 {" registers "}, [%" #count     \
                 "];"                                                                                        \
                 : __VA_ARGS__                                                                               \
                 : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&shared[4 * (t % (8 * count))]))) \
                 : "memory");                                                                                \
    for (unsigned k = 0; k < count; ++k) out[k * 32 + t] = d[k];                                             \
  }
LOAD_MATRIX(tensor_load_matrix_1, 1, "", "%0", "=r"(d[0]))
LOAD_MATRIX(tensor_load_matrix_2, 2, "", "%0, %1", "=r"(d[0]), "=r"(d[1]))
LOAD_MATRIX(tensor_load_matrix_4, 4, "", "%0, %1, %2, %3", "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]))
LOAD_MATRIX(tensor_load_transposed_1, 1, ".trans", "%0", "=r"(d[0]))
LOAD_MATRIX(tensor_load_transposed_4, 4, ".trans", "%0, %1, %2, %3", "=r"(d[0]), "=r"(d[1]), "=r"(d[2]),
            "=r"(d[3]))

KERNEL(tensor_load_matrix_conflicts, 1024, 32, 4, 1, 32) {
  // Rows 128 bytes apart: all of a matrix in the same four banks.
  __shared__ alignas(16) std::uint32_t shared[1024];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < 1024; i += 32) shared[i] = in[i];
  __syncwarp();
  std::uint32_t d[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
               : "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3])
               : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&shared[32 * t])))
               : "memory");
  for (unsigned k = 0; k < 4; ++k) out[k * 32 + t] = d[k];
}
KERNEL(tensor_store_matrix, 128, 128, 1, 1, 32) {
  __shared__ alignas(16) std::uint32_t shared[128];
  const unsigned t = threadIdx.x;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(&shared[4 * t]))),
               "r"(in[t]), "r"(in[t + 32]), "r"(in[t + 64]), "r"(in[t + 96])
               : "memory");
  __syncwarp();
  for (unsigned i = t; i < 128; i += 32) out[i] = shared[i];
}
KERNEL(tensor_store_transposed, 128, 128, 1, 1, 32) {
  __shared__ alignas(16) std::uint32_t shared[128];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < 128; i += 32) shared[i] = 0;
  __syncwarp();
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
                   static_cast<std::uint32_t>(__cvta_generic_to_shared(&shared[4 * (t % 16)]))),
               "r"(in[t]), "r"(in[t + 32])
               : "memory");
  __syncwarp();
  for (unsigned i = t; i < 128; i += 32) out[i] = shared[i];
}
KERNEL(tensor_move_matrix, 32, 32, 1, 1, 32) {
  asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;"
               : "=r"(out[threadIdx.x])
               : "r"(in[threadIdx.x]));
}
KERNEL(tensor_wmma_f16, 512, 256, 1, 1, 32) {
  __shared__ alignas(32) __half a[256], b[256];
  for (unsigned i = threadIdx.x; i < 256; i += 32) {
    a[i] = __int2half_rn(small(in[i]));
    b[i] = __int2half_rn(small(in[i + 256]));
  }
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> sum;
  wmma::fill_fragment(sum, 0.5F);
  wmma::load_matrix_sync(left, a, 16);
  wmma::load_matrix_sync(right, b, 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(reinterpret_cast<float*>(out), sum, 16, wmma::mem_row_major);
}
KERNEL(tensor_wmma_s8, 512, 256, 1, 1, 32) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, signed char, wmma::col_major> left;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, signed char, wmma::row_major> right;
  wmma::fragment<wmma::accumulator, 16, 16, 16, int> sum;
  wmma::fill_fragment(sum, -3);
  wmma::load_matrix_sync(left, reinterpret_cast<const signed char*>(in), 16);
  wmma::load_matrix_sync(right, reinterpret_cast<const signed char*>(in + 128), 16);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(reinterpret_cast<int*>(out), sum, 16, wmma::mem_col_major);
}
KERNEL(tensor_wmma_f64, 512, 128, 1, 1, 32) {
  __shared__ double a[32], b[32];
  a[threadIdx.x] = small(in[threadIdx.x]);
  b[threadIdx.x] = small(in[threadIdx.x + 32]);
  __syncwarp();
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> left;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> right;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> sum;
  wmma::fill_fragment(sum, 0.25);
  wmma::load_matrix_sync(left, a, 4);
  wmma::load_matrix_sync(right, b, 4);
  wmma::mma_sync(sum, left, right, sum);
  wmma::store_matrix_sync(reinterpret_cast<double*>(out), sum, 8, wmma::mem_row_major);
}
