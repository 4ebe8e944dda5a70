// Shared memory: bank conflicts of loads and stores of 1 to 16 bytes, dynamic memory.
#include "ptx.h"
#include "suite.h"

namespace {

/// One warp loads elements by index from memory that it has filled side by side, `reach` elements of it.
template <class T, unsigned reach, class Index>
__device__ void load(const std::uint32_t* in, std::uint32_t* out, Index index) {
  __shared__ T shared[reach];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < reach; i += 32) shared[i] = reinterpret_cast<const T*>(in)[i];
  __syncwarp();
  if (index(t) < reach) reinterpret_cast<T*>(out)[t] = shared[index(t)];
}
/// One warp stores by an index that no other lane has, and loads side by side.
template <class T, unsigned reach, class Index>
__device__ void store(const std::uint32_t* in, std::uint32_t* out, Index index) {
  __shared__ T shared[reach];
  const unsigned t = threadIdx.x;
  for (unsigned i = t; i < reach; i += 32) shared[i] = reinterpret_cast<const T*>(in)[i];
  __syncwarp();
  const T value = reinterpret_cast<const T*>(in)[reach - 1 - t];
  shared[index(t)] = value;
  __syncwarp();
  for (unsigned i = t; i < reach; i += 32) reinterpret_cast<T*>(out)[i] = shared[i];
}

}  // namespace

#define LOAD(name, T, reach, index)                                     \
  KERNEL(name, (reach) * sizeof(T) / 4, 32 * sizeof(T) / 4, 1, 1, 32) { \
    load<T, reach>(in, out, [](unsigned t) { return index; });          \
  }
#define STORE(name, T, reach, index)                                         \
  KERNEL(name, (reach) * sizeof(T) / 4, (reach) * sizeof(T) / 4, 1, 1, 32) { \
    store<T, reach>(in, out, [](unsigned t) { return index; });              \
  }

LOAD(shared_load_1, std::uint8_t, 64, t)
LOAD(shared_load_1_stride_4, std::uint8_t, 128, 4 * t)
LOAD(shared_load_2, std::uint16_t, 64, t)
LOAD(shared_load_2_stride_2, std::uint16_t, 64, 2 * t)
LOAD(shared_load_2_stride_64, std::uint16_t, 2048, 64 * t)
LOAD(shared_load_4, std::uint32_t, 32, t)
LOAD(shared_load_4_stride_2, std::uint32_t, 64, 2 * t)
LOAD(shared_load_4_stride_3, std::uint32_t, 96, 3 * t)
LOAD(shared_load_4_stride_4, std::uint32_t, 128, 4 * t)
LOAD(shared_load_4_stride_8, std::uint32_t, 256, 8 * t)
LOAD(shared_load_4_stride_16, std::uint32_t, 512, 16 * t)
LOAD(shared_load_4_stride_32, std::uint32_t, 1024, 32 * t)
LOAD(shared_load_4_stride_33, std::uint32_t, 1056, 33 * t)
LOAD(shared_load_4_same, std::uint32_t, 32, t / 32 + 5)
LOAD(shared_load_4_halved, std::uint32_t, 32, t / 2)
LOAD(shared_load_4_exchanged, std::uint32_t, 32, t ^ 1)
LOAD(shared_load_4_scattered, std::uint32_t, 1024, t * 2654435761U >> 22)
LOAD(shared_load_4_few_lanes, std::uint32_t, 256, 24 * t)
LOAD(shared_load_8, std::uint64_t, 32, t)
LOAD(shared_load_8_stride_2, std::uint64_t, 64, 2 * t)
LOAD(shared_load_8_stride_16, std::uint64_t, 512, 16 * t)
LOAD(shared_load_8_stride_32, std::uint64_t, 1024, 32 * t)
LOAD(shared_load_8_same, std::uint64_t, 32, t / 32)
LOAD(shared_load_8_halved, std::uint64_t, 32, t / 2)
LOAD(shared_load_8_bit_cleared, std::uint64_t, 32, t & ~2U)
LOAD(shared_load_8_gap, std::uint64_t, 64, t < 16 ? t : t + 16)
LOAD(shared_load_8_scattered, std::uint64_t, 512, t * 2654435761U >> 23)
LOAD(shared_load_16, uint4, 32, t)
LOAD(shared_load_16_stride_2, uint4, 64, 2 * t)
LOAD(shared_load_16_stride_4, uint4, 128, 4 * t)
LOAD(shared_load_16_stride_8, uint4, 256, 8 * t)
LOAD(shared_load_16_same, uint4, 32, t / 32)
LOAD(shared_load_16_halved, uint4, 32, t / 2)
LOAD(shared_load_16_exchanged, uint4, 32, t ^ 1)
LOAD(shared_load_16_bit_cleared, uint4, 32, t & ~2U)
LOAD(shared_load_16_scattered, uint4, 256, t * 2654435761U >> 24)
LOAD(shared_load_8_scattered_far, std::uint64_t, 1024, t * 40503U >> 3 & 1023)
LOAD(shared_load_8_scattered_pairs, std::uint64_t, 512, (t / 2) * 2654435761U >> 23)
LOAD(shared_load_8_scattered_alternate, std::uint64_t, 512, (t & ~2U) * 2654435761U >> 23)
LOAD(shared_load_8_scattered_halves, std::uint64_t, 512, (t & 15) * 2654435761U >> 23)
LOAD(shared_load_16_scattered_far, uint4, 1024, t * 40503U >> 3 & 1023)
LOAD(shared_load_16_scattered_pairs, uint4, 256, (t / 2) * 2654435761U >> 24)
LOAD(shared_load_16_scattered_alternate, uint4, 256, (t & ~2U) * 2654435761U >> 24)
LOAD(shared_load_16_scattered_fours, uint4, 256, (t / 4) * 2654435761U >> 24)
LOAD(shared_load_16_scattered_quarters, uint4, 256, (t & 7) * 2654435761U >> 24)
LOAD(shared_load_16_one_pair_apart, uint4, 64, t == 5 ? 40 : t / 2)
LOAD(shared_load_16_reversed, uint4, 32, 31 - t)
LOAD(shared_load_16_interleaved, uint4, 32, t % 2 * 16 + t / 2)
STORE(shared_store_1, std::uint8_t, 64, t)
STORE(shared_store_2_stride_2, std::uint16_t, 64, 2 * t)
STORE(shared_store_4, std::uint32_t, 32, t)
STORE(shared_store_4_stride_2, std::uint32_t, 64, 2 * t)
STORE(shared_store_4_stride_32, std::uint32_t, 1024, 32 * t)
STORE(shared_store_4_permuted, std::uint32_t, 32, 13 * t % 32)
STORE(shared_store_8, std::uint64_t, 32, t)
STORE(shared_store_8_stride_2, std::uint64_t, 64, 2 * t)
STORE(shared_store_8_stride_32, std::uint64_t, 1024, 32 * t)
STORE(shared_store_16, uint4, 32, t)
STORE(shared_store_16_stride_2, uint4, 64, 2 * t)
STORE(shared_store_16_stride_8, uint4, 256, 8 * t)
STORE(shared_store_16_permuted, uint4, 32, 11 * t % 32)

// A transpose, with and without the column that keeps lanes apart.
KERNEL(shared_transpose, 1024, 1024, 1, 1, 256) {
  __shared__ std::uint32_t tile[32][32];
  const unsigned x = threadIdx.x % 32;
  for (unsigned y = threadIdx.x / 32; y < 32; y += 8) tile[y][x] = in[y * 32 + x];
  __syncthreads();
  for (unsigned y = threadIdx.x / 32; y < 32; y += 8) out[y * 32 + x] = tile[x][y];
}
KERNEL(shared_transpose_padded, 1024, 1024, 1, 1, 256) {
  __shared__ std::uint32_t tile[32][33];
  const unsigned x = threadIdx.x % 32;
  for (unsigned y = threadIdx.x / 32; y < 32; y += 8) tile[y][x] = in[y * 32 + x];
  __syncthreads();
  for (unsigned y = threadIdx.x / 32; y < 32; y += 8) out[y * 32 + x] = tile[x][y];
}
KERNEL(shared_dynamic, 256, 256, 1, 1, 256, 4096) {
  extern __shared__ std::uint32_t dynamic[];
  dynamic[threadIdx.x * 4] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = dynamic[(255 - threadIdx.x) * 4];
}
KERNEL(shared_dynamic_large, 256, 256, 1, 1, 256, 200 * 1024) {
  extern __shared__ std::uint32_t dynamic[];
  const unsigned far = 50 * 1024 - 256;
  dynamic[far + threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = dynamic[far + (threadIdx.x ^ 85)];
}
KERNEL(shared_partial_warp, 64, 64, 1, 1, 45) {
  __shared__ std::uint32_t shared[64];
  shared[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = shared[44 - threadIdx.x];
}
KERNEL(shared_odd_lanes, 64, 64, 1, 1, 64) {
  __shared__ std::uint32_t shared[64 * 32];
  if (threadIdx.x % 2 == 1) shared[threadIdx.x * 32] = in[threadIdx.x];
  __syncthreads();
  if (threadIdx.x % 2 == 0) out[threadIdx.x] = shared[(threadIdx.x + 1) * 32];
}
KERNEL(shared_vectors, 512, 128, 4, 1, 128) {
  __shared__ alignas(16) std::uint32_t shared[512];
  const unsigned t = threadIdx.x;
  const auto to = static_cast<std::uint32_t>(__cvta_generic_to_shared(shared));
  asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(to + 16 * t), "r"(in[t]), "r"(in[t + 128]),
               "r"(in[t + 256]), "r"(in[t + 384])
               : "memory");
  __syncthreads();
  std::uint32_t a = 0, b = 0, c = 0, d = 0;
  asm volatile("ld.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(to + 8 * t));
  out[t] = a - b;
  asm volatile("ld.shared.v4.u8 {%0, %1, %2, %3}, [%4];"
               : "=r"(a), "=r"(b), "=r"(c), "=r"(d)
               : "r"(to + 4 * t));
  out[t + 128] = a + (b << 6) + (c << 12) + (d << 18);
  asm volatile("ld.shared.v2.s16 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(to + 4 * t));
  out[t + 256] = a ^ b;
  asm volatile("ld.volatile.shared.u16 %0, [%1];"
               : "=h"(*reinterpret_cast<std::uint16_t*>(&a))
               : "r"(to + 2 * t));
  out[t + 384] = a & 0xFFFF;
}
KERNEL(shared_reduction, 256, 1, 1, 1, 256) {
  __shared__ std::uint32_t sums[256];
  sums[threadIdx.x] = in[threadIdx.x];
  __syncthreads();
  for (unsigned distance = 128; distance > 0; distance /= 2) {
    if (threadIdx.x < distance) sums[threadIdx.x] += sums[threadIdx.x + distance];
    __syncthreads();
  }
  if (threadIdx.x == 0) out[0] = sums[0];
}
