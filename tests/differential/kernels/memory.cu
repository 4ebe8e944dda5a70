// Global, constant and local memory: widths, strides, offsets, vectors, cache operators, partial warps.
#include "ptx.h"
#include "suite.h"

namespace {

/// Thread t loads element index(t) of its width; everything is written side by side.
template <class T, class Index>
__device__ void load(const std::uint32_t* in, std::uint32_t* out, Index index) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  reinterpret_cast<T*>(out)[t] = reinterpret_cast<const T*>(in)[index(t)];
}
/// The other way round: what is loaded side by side goes to element index(t), which no other thread has.
template <class T, class Index>
__device__ void store(const std::uint32_t* in, std::uint32_t* out, Index index) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  reinterpret_cast<T*>(out)[index(t)] = reinterpret_cast<const T*>(in)[t];
}

}  // namespace

// Two warps. The rows are words of the output.
#define LOAD(name, T, index)                                \
  KERNEL(name, 64 * 64 * 4, 64 * sizeof(T) / 4, 1, 1, 64) { \
    load<T>(in, out, [](unsigned t) { return index; });     \
  }
#define STORE(name, T, index, reach)                     \
  KERNEL(name, 256, (reach) * sizeof(T) / 4, 1, 1, 64) { \
    store<T>(in, out, [](unsigned t) { return index; }); \
  }

LOAD(load_1, std::uint8_t, t)
LOAD(load_1_stride_4, std::uint8_t, 4 * t)
LOAD(load_1_stride_33, std::uint8_t, 33 * t)
LOAD(load_2, std::uint16_t, t)
LOAD(load_2_stride_3, std::uint16_t, 3 * t)
LOAD(load_2_offset_5, std::uint16_t, t + 5)
LOAD(load_4, std::uint32_t, t)
LOAD(load_4_offset_1, std::uint32_t, t + 1)
LOAD(load_4_offset_8, std::uint32_t, t + 8)
LOAD(load_4_stride_2, std::uint32_t, 2 * t)
LOAD(load_4_stride_3, std::uint32_t, 3 * t)
LOAD(load_4_stride_8, std::uint32_t, 8 * t)
LOAD(load_4_stride_32, std::uint32_t, 32 * t)
LOAD(load_4_same, std::uint32_t, t / 64)
LOAD(load_4_halved, std::uint32_t, t / 2)
LOAD(load_4_reversed, std::uint32_t, 63 - t)
LOAD(load_4_scattered, std::uint32_t, t * 2654435761U >> 20)
LOAD(load_8, std::uint64_t, t)
LOAD(load_8_offset_3, std::uint64_t, t + 3)
LOAD(load_8_stride_2, std::uint64_t, 2 * t)
LOAD(load_8_stride_5, std::uint64_t, 5 * t)
LOAD(load_8_same, std::uint64_t, t / 64)
LOAD(load_16, uint4, t)
LOAD(load_16_offset_1, uint4, t + 1)
LOAD(load_16_stride_2, uint4, 2 * t)
LOAD(load_16_stride_32, uint4, 32 * t)
LOAD(load_16_same, uint4, t / 64)
LOAD(load_16_scattered, uint4, t * 2654435761U >> 22)
STORE(store_1, std::uint8_t, t, 64)
STORE(store_1_stride_3, std::uint8_t, 3 * t, 192)
STORE(store_2_stride_2, std::uint16_t, 2 * t, 128)
STORE(store_4, std::uint32_t, t, 64)
STORE(store_4_offset_1, std::uint32_t, t + 1, 65)
STORE(store_4_stride_2, std::uint32_t, 2 * t, 128)
STORE(store_4_stride_32, std::uint32_t, 32 * t, 2048)
STORE(store_4_permuted, std::uint32_t, (13 * t) % 64, 64)
STORE(store_8, std::uint64_t, t, 64)
STORE(store_8_stride_3, std::uint64_t, 3 * t, 192)
STORE(store_16, uint4, t, 64)
STORE(store_16_stride_2, uint4, 2 * t, 128)
STORE(store_16_permuted, uint4, (29 * t) % 64, 64)

// Warps that are not full, and threads that leave.
KERNEL(memory_partial_1, 64, 64, 1, 1, 1) {
  load<std::uint32_t>(in, out, [](unsigned t) { return t; });
}
KERNEL(memory_partial_45, 64, 64, 1, 1, 45) {
  load<std::uint32_t>(in, out, [](unsigned t) { return t; });
}
KERNEL(memory_partial_grid, 256, 256, 1, 5, 33) {
  load<std::uint32_t>(in, out, [](unsigned t) { return t; });
}
KERNEL(memory_guarded, 256, 256, 1, 8, 32) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  if (t < 201) out[t] = in[t] + 1;
}
KERNEL(memory_odd_lanes, 256, 64, 1, 1, 64) {
  const unsigned t = threadIdx.x;
  if (t % 2 == 1) out[t] = in[2 * t];
}
KERNEL(memory_one_lane, 256, 64, 1, 1, 64) {
  const unsigned t = threadIdx.x;
  if (t % 32 == 17) out[t] = in[3 * t];
}

// Vectors of narrow elements, and the sign that narrow loads extend.
KERNEL(memory_vectors, 1024, 128, 4, 1, 128) {
  const unsigned t = threadIdx.x;
  const std::uint64_t from = __cvta_generic_to_global(in);
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  asm volatile("ld.global.v4.u8 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "l"(from + 4 * t));
  out[t] = a + (b << 8) + (d << 24) + (c << 4);
  asm volatile("ld.global.v2.s16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(from + 4 * t));
  out[t + 128] = a * 3 + b;
  asm volatile("ld.global.v4.u16 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "l"(from + 8 * t));
  out[t + 256] = a + (b << 8) + (c << 12) + (d << 16);
  asm volatile("ld.global.v2.s8 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(from + 2 * t));
  out[t + 384] = a - b;
}
KERNEL(memory_wide_vectors, 4096, 128, 4, 1, 128) {
  const unsigned t = threadIdx.x;
  const std::uint64_t from = __cvta_generic_to_global(in);
  std::uint64_t a = 0, b = 0;
  asm volatile("ld.global.v2.u64 {%0, %1}, [%2];" : "=l"(a), "=l"(b) : "l"(from + 16 * t));
  const std::uint64_t to = __cvta_generic_to_global(out);
  asm volatile("st.global.v2.u64 [%0], {%1, %2};" ::"l"(to + 16 * t), "l"(b), "l"(a));
}
KERNEL(memory_signs, 256, 128, 4, 1, 128) {
  const unsigned t = threadIdx.x;
  out[t] = static_cast<std::uint32_t>(reinterpret_cast<const signed char*>(in)[t]);
  out[t + 128] = static_cast<std::uint32_t>(reinterpret_cast<const short*>(in)[t]);
  out[t + 256] = reinterpret_cast<const unsigned char*>(in)[t];
  out[t + 384] = reinterpret_cast<const unsigned short*>(in)[t];
}

// Ways to ask the caches change nothing but speed.
KERNEL(memory_cache_loads, 1024, 128, 6, 1, 128) {
  const unsigned t = threadIdx.x;
  const std::uint64_t from = __cvta_generic_to_global(in + t);
  std::uint32_t value = 0;
  asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(from));
  out[t] = value;
  asm volatile("ld.global.cg.u32 %0, [%1+512];" : "=r"(value) : "l"(from));
  out[t + 128] = value;
  asm volatile("ld.global.cs.u32 %0, [%1+1024];" : "=r"(value) : "l"(from));
  out[t + 256] = value;
  asm volatile("ld.global.nc.u32 %0, [%1+1536];" : "=r"(value) : "l"(from));
  out[t + 384] = value;
  asm volatile("ld.volatile.global.u32 %0, [%1+2048];" : "=r"(value) : "l"(from));
  out[t + 512] = value;
  asm volatile("ld.relaxed.gpu.global.u32 %0, [%1+2560];" : "=r"(value) : "l"(from));
  out[t + 640] = value;
}
KERNEL(memory_cache_stores, 1024, 128, 6, 1, 128) {
  const unsigned t = threadIdx.x;
  const std::uint64_t to = __cvta_generic_to_global(out + t);
  asm volatile("st.global.wb.u32 [%0], %1;" ::"l"(to), "r"(in[t]));
  asm volatile("st.global.cg.u32 [%0+512], %1;" ::"l"(to), "r"(in[t + 128]));
  asm volatile("st.global.cs.u32 [%0+1024], %1;" ::"l"(to), "r"(in[t + 256]));
  asm volatile("st.global.wt.u32 [%0+1536], %1;" ::"l"(to), "r"(in[t + 384]));
  asm volatile("st.volatile.global.u32 [%0+2048], %1;" ::"l"(to), "r"(in[t + 512]));
  asm volatile("st.release.gpu.global.u32 [%0+2560], %1;" ::"l"(to), "r"(in[t + 640]));
}
KERNEL(memory_levels_of_eviction, 1024, 128, 2, 1, 128) {
  const unsigned t = threadIdx.x;
  const std::uint64_t from = __cvta_generic_to_global(in + t);
  std::uint32_t value = 0;
  asm volatile("ld.global.L1::evict_last.L2::128B.u32 %0, [%1];" : "=r"(value) : "l"(from));
  out[t] = value;
  asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1+512];" : "=r"(value) : "l"(from));
  out[t + 128] = value;
}

// Constant memory: one address per warp, and one per lane.
static __constant__ std::uint32_t constants[64] = {3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5,
                                                   8, 9, 7, 9, 3, 2, 3, 8, 4, 6, 2};
KERNEL(memory_constant, 64, 128, 2, 1, 128) {
  const unsigned t = threadIdx.x;
  out[t] = constants[t / 32];
  out[t + 128] = constants[in[t % 64] % 64];
}
KERNEL(memory_parameter_array, 64, 128, 1, 1, 128) {
  struct Table {
    std::uint32_t values[8];
  };
  const Table table = {{2, 7, 1, 8, 2, 8, 1, 8}};
  out[threadIdx.x] = table.values[in[threadIdx.x % 64] % 8];
}
static __device__ std::uint32_t variables[128] = {1, 2, 3};
KERNEL(memory_variable, 128, 128, 2, 1, 128) {
  const unsigned t = threadIdx.x;
  out[t] = t < 3 ? variables[t] : 0;
  variables[t] = in[t];
  __syncthreads();
  out[t + 128] = variables[127 - t];
  __syncthreads();
  variables[t] = t < 3 ? t + 1 : 0;  // as it was, for the next launch
}

// Local memory, by indices that no compiler knows.
KERNEL(memory_local, 1024, 128, 1, 1, 128) {
  std::uint32_t values[32];
  for (unsigned i = 0; i < 32; ++i) values[i] = in[(threadIdx.x + i) % 128] + i;
  for (unsigned i = 0; i < 32; ++i) values[values[i] % 32] += i;
  std::uint32_t sum = 0;
  for (unsigned i = 0; i < 32; ++i) sum = sum * 31 + values[(i * 7 + threadIdx.x) % 32];
  out[threadIdx.x] = sum;
}
// One pointer, three spaces.
KERNEL(memory_generic, 128, 128, 1, 1, 128) {
  __shared__ std::uint32_t shared[128];
  std::uint32_t local[4] = {in[0], in[1], in[2], in[3]};
  shared[threadIdx.x] = in[threadIdx.x] * 2;
  __syncthreads();
  const std::uint32_t* const places[] = {in + threadIdx.x, shared + (threadIdx.x ^ 1),
                                         local + threadIdx.x % 4};
  out[threadIdx.x] = *places[in[threadIdx.x] % 3] + (__isShared(places[1]) ? 1 : 0) +
                     (__isGlobal(places[0]) ? 2 : 0) + (__isLocal(places[2]) ? 4 : 0);
}
KERNEL(memory_double_strides, 4096, 256, 1, 1, 128) {
  const auto* const numbers = reinterpret_cast<const std::uint64_t*>(in);
  reinterpret_cast<std::uint64_t*>(out)[threadIdx.x] = numbers[threadIdx.x] + numbers[threadIdx.x * 9 + 1];
}
