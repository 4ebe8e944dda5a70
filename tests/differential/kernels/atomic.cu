// Atomics and reductions of every operation and type. Where lanes meet at one address, only what cannot
// depend on their order is kept: the last value of sums, extremes and bits.
#include "ptx.h"
#include "suite.h"

namespace {

/// An address of its own for every thread.
__device__ std::uint64_t cells[2 * lockstep::differential::kRows];
__device__ unsigned row() { return blockIdx.x * blockDim.x + threadIdx.x; }
template <class T>
__device__ T* global_cell(T value) {
  T* const cell = reinterpret_cast<T*>(&cells[row()]);
  *cell = value;
  return cell;
}

}  // namespace

// old = what the operation gives back, then what it leaves behind.
#define ATOMIC(k, space, letter, T, operation, cell, value)   \
  {                                                           \
    T old;                                                    \
    asm volatile("atom." space "." operation " %0, [%1], %2;" \
                 : "=" letter(old)                            \
                 : ADDRESS_##cell, letter(value)              \
                 : "memory");                                 \
    r[k] = old;                                               \
    r[(k) + 1] = *static_cast<volatile T*>(cell);             \
  }
#define ADDRESS_global_place "l"(__cvta_generic_to_global(global_place))
#define ADDRESS_shared_place "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(shared_place)))

#define GLOBAL_ATOMIC(name, T, letter, operation)               \
  ELEMENTWISE(name, T, T, 2) {                                  \
    T* const global_place = global_cell(a);                     \
    ATOMIC(0, "global", letter, T, operation, global_place, b); \
  }
#define SHARED_ATOMIC(name, T, letter, operation)               \
  ELEMENTWISE(name, T, T, 2) {                                  \
    __shared__ T places[lockstep::differential::kThreads];      \
    T* const shared_place = &places[threadIdx.x];               \
    *shared_place = a;                                          \
    ATOMIC(0, "shared", letter, T, operation, shared_place, b); \
  }

GLOBAL_ATOMIC(atomic_global_add_u32, std::uint32_t, "r", "add.u32")
GLOBAL_ATOMIC(atomic_global_add_u64, std::uint64_t, "l", "add.u64")
GLOBAL_ATOMIC(atomic_global_add_f32, float, "f", "add.f32")
GLOBAL_ATOMIC(atomic_global_add_f64, double, "d", "add.f64")
GLOBAL_ATOMIC(atomic_global_min_s32, std::uint32_t, "r", "min.s32")
GLOBAL_ATOMIC(atomic_global_max_u32, std::uint32_t, "r", "max.u32")
GLOBAL_ATOMIC(atomic_global_min_u64, std::uint64_t, "l", "min.u64")
GLOBAL_ATOMIC(atomic_global_max_s64, std::uint64_t, "l", "max.s64")
GLOBAL_ATOMIC(atomic_global_and, std::uint32_t, "r", "and.b32")
GLOBAL_ATOMIC(atomic_global_or_64, std::uint64_t, "l", "or.b64")
GLOBAL_ATOMIC(atomic_global_xor, std::uint32_t, "r", "xor.b32")
GLOBAL_ATOMIC(atomic_global_inc, std::uint32_t, "r", "inc.u32")
GLOBAL_ATOMIC(atomic_global_dec, std::uint32_t, "r", "dec.u32")
GLOBAL_ATOMIC(atomic_global_exchange, std::uint32_t, "r", "exch.b32")
GLOBAL_ATOMIC(atomic_global_exchange_64, std::uint64_t, "l", "exch.b64")
SHARED_ATOMIC(atomic_shared_add_u32, std::uint32_t, "r", "add.u32")
SHARED_ATOMIC(atomic_shared_add_u64, std::uint64_t, "l", "add.u64")
SHARED_ATOMIC(atomic_shared_add_f32, float, "f", "add.f32")
SHARED_ATOMIC(atomic_shared_add_f64, double, "d", "add.f64")
SHARED_ATOMIC(atomic_shared_min_u32, std::uint32_t, "r", "min.u32")
SHARED_ATOMIC(atomic_shared_max_s32, std::uint32_t, "r", "max.s32")
SHARED_ATOMIC(atomic_shared_min_s64, std::uint64_t, "l", "min.s64")
SHARED_ATOMIC(atomic_shared_max_u64, std::uint64_t, "l", "max.u64")
SHARED_ATOMIC(atomic_shared_and_64, std::uint64_t, "l", "and.b64")
SHARED_ATOMIC(atomic_shared_or, std::uint32_t, "r", "or.b32")
SHARED_ATOMIC(atomic_shared_xor_64, std::uint64_t, "l", "xor.b64")
SHARED_ATOMIC(atomic_shared_inc, std::uint32_t, "r", "inc.u32")
SHARED_ATOMIC(atomic_shared_dec, std::uint32_t, "r", "dec.u32")
SHARED_ATOMIC(atomic_shared_exchange, std::uint32_t, "r", "exch.b32")

ELEMENTWISE(atomic_compare_and_swap, std::uint32_t, std::uint32_t, 4) {
  __shared__ std::uint32_t places[lockstep::differential::kThreads];
  std::uint32_t* const global_place = global_cell(a);
  r[0] = atomicCAS(global_place, c % 2 == 0 ? a : b, c);
  r[1] = *static_cast<volatile std::uint32_t*>(global_place);
  places[threadIdx.x] = b;
  r[2] = atomicCAS(&places[threadIdx.x], c % 2 == 0 ? a : b, c);
  r[3] = places[threadIdx.x];
}
ELEMENTWISE(atomic_compare_and_swap_64, std::uint64_t, std::uint64_t, 2) {
  auto* const global_place = reinterpret_cast<unsigned long long*>(global_cell(a));
  r[0] = atomicCAS(global_place, c % 2 == 0 ? a : b, c);
  r[1] = *static_cast<volatile unsigned long long*>(global_place);
}
ELEMENTWISE(atomic_compare_and_swap_16, std::uint16_t, std::uint16_t, 2) {
  std::uint16_t* const global_place = global_cell(a);
  r[0] = atomicCAS(global_place, static_cast<unsigned short>(c % 2 == 0 ? a : b), c);
  r[1] = *static_cast<volatile std::uint16_t*>(global_place);
}
ELEMENTWISE(atomic_half_pairs, std::uint32_t, std::uint32_t, 4) {
  std::uint32_t* const global_place = global_cell(a);
  ATOMIC(0, "global", "r", std::uint32_t, "add.noftz.f16x2", global_place, b);
  *global_place = a;
  ATOMIC(2, "global", "r", std::uint32_t, "add.noftz.bf16x2", global_place, b);
}
ELEMENTWISE(atomic_half_shared, std::uint32_t, std::uint32_t, 4) {
  __shared__ std::uint32_t places[lockstep::differential::kThreads];
  std::uint32_t* const shared_place = &places[threadIdx.x];
  *shared_place = a;
  ATOMIC(0, "shared", "r", std::uint32_t, "add.noftz.f16x2", shared_place, b);
  *shared_place = a;
  ATOMIC(2, "shared", "r", std::uint32_t, "add.noftz.bf16x2", shared_place, b);
}
ELEMENTWISE(atomic_half_scalar, std::uint16_t, std::uint16_t, 4) {
  std::uint16_t* const global_place = global_cell(a);
  ATOMIC(0, "global", "h", std::uint16_t, "add.noftz.f16", global_place, b);
  *global_place = a;
  ATOMIC(2, "global", "h", std::uint16_t, "add.noftz.bf16", global_place, b);
}
ELEMENTWISE(atomic_vector_of_floats, float, float, 8) {
  auto* const place = reinterpret_cast<float*>(&cells[2 * row()]);
  place[0] = a, place[1] = b, place[2] = c, place[3] = 1;
  float x, y, z, w;
  asm volatile("atom.global.v4.f32.add {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"
               : "=f"(x), "=f"(y), "=f"(z), "=f"(w)
               : "l"(__cvta_generic_to_global(place)), "f"(b), "f"(c), "f"(a), "f"(a)
               : "memory");
  const volatile float* const after = place;
  r[0] = after[0];
  r[1] = after[1];
  r[2] = after[2];
  r[3] = after[3];
  r[4] = x;
  r[5] = y;
  r[6] = z;
  r[7] = w;
}

// Reductions give nothing back.
#define REDUCTION(k, letter, T, operation, value)                                                           \
  {                                                                                                         \
    T* const place = global_cell(a);                                                                        \
    asm volatile("red.global." operation " [%0], %1;" ::"l"(__cvta_generic_to_global(place)), letter(value) \
                 : "memory");                                                                               \
    r[k] = *static_cast<volatile T*>(place);                                                                \
  }
ELEMENTWISE(atomic_reductions_32, std::uint32_t, std::uint32_t, 8) {
  REDUCTION(0, "r", std::uint32_t, "add.u32", b);
  REDUCTION(1, "r", std::uint32_t, "min.s32", b);
  REDUCTION(2, "r", std::uint32_t, "max.u32", b);
  REDUCTION(3, "r", std::uint32_t, "and.b32", b);
  REDUCTION(4, "r", std::uint32_t, "or.b32", b);
  REDUCTION(5, "r", std::uint32_t, "xor.b32", b);
  REDUCTION(6, "r", std::uint32_t, "inc.u32", b);
  REDUCTION(7, "r", std::uint32_t, "dec.u32", b);
}
ELEMENTWISE(atomic_reductions_64, std::uint64_t, std::uint64_t, 5) {
  REDUCTION(0, "l", std::uint64_t, "add.u64", b);
  REDUCTION(1, "l", std::uint64_t, "min.s64", b);
  REDUCTION(2, "l", std::uint64_t, "max.u64", b);
  REDUCTION(3, "l", std::uint64_t, "and.b64", b);
  REDUCTION(4, "l", std::uint64_t, "xor.b64", b);
}
ELEMENTWISE(atomic_reduction_f32, float, float, 1) { REDUCTION(0, "f", float, "add.f32", b); }
ELEMENTWISE(atomic_reduction_f64, double, double, 1) { REDUCTION(0, "d", double, "add.f64", b); }

// Lanes that meet: every pattern of the addresses has its own count of sectors and wavefronts.
namespace {

template <class Place>
__device__ void meet_global(const std::uint32_t* in, std::uint32_t* out, unsigned n, Place place) {
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) out[i] = 0;
  __syncthreads();
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(out + place(threadIdx.x))),
               "r"(in[threadIdx.x])
               : "memory");
}
template <class Place>
__device__ void meet_shared(const std::uint32_t* in, std::uint32_t* out, Place place) {
  __shared__ std::uint32_t sums[1024];
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) sums[i] = 0;
  __syncthreads();
  atomicMax(&sums[place(threadIdx.x)], in[threadIdx.x]);
  __syncthreads();
  for (unsigned i = threadIdx.x; i < 1024; i += blockDim.x) out[i] = sums[i];
}

}  // namespace

KERNEL(atomic_global_side_by_side, 64, 64, 1, 1, 64) {
  meet_global(in, out, 64, [](unsigned t) { return t; });
}
KERNEL(atomic_global_stride_32, 64, 2048, 1, 1, 64) {
  meet_global(in, out, 2048, [](unsigned t) { return 32 * t; });
}
KERNEL(atomic_global_pairs, 64, 64, 1, 1, 64) {
  meet_global(in, out, 64, [](unsigned t) { return t / 2; });
}
KERNEL(atomic_global_same, 64, 64, 1, 1, 64) {
  meet_global(in, out, 64, [](unsigned t) { return t / 64; });
}
KERNEL(atomic_global_scattered, 64, 256, 1, 1, 64) {
  meet_global(in, out, 256, [](unsigned t) { return t * 2654435761U >> 24; });
}
KERNEL(atomic_shared_side_by_side, 64, 1024, 1, 1, 64) {
  meet_shared(in, out, [](unsigned t) { return t; });
}
KERNEL(atomic_shared_stride_32, 64, 1024, 1, 1, 32) {
  meet_shared(in, out, [](unsigned t) { return 32 * t; });
}
KERNEL(atomic_shared_pairs, 64, 1024, 1, 1, 64) {
  meet_shared(in, out, [](unsigned t) { return t / 2; });
}
KERNEL(atomic_shared_scattered, 64, 1024, 1, 1, 64) {
  meet_shared(in, out, [](unsigned t) { return t * 2654435761U >> 22; });
}
KERNEL(atomic_float_sum, 64, 2, 1, 1, 64) {
  // Whole numbers: their sum is exact in any order.
  __shared__ float sum;
  if (threadIdx.x == 0) sum = 0;
  if (threadIdx.x == 0) reinterpret_cast<float*>(out)[1] = 0;
  __syncthreads();
  atomicAdd(&sum, static_cast<float>(in[threadIdx.x] % 1000));
  atomicAdd(reinterpret_cast<float*>(out) + 1, static_cast<float>(in[threadIdx.x] % 777));
  __syncthreads();
  if (threadIdx.x == 0) reinterpret_cast<float*>(out)[0] = sum;
}
KERNEL(atomic_increments_meet, 64, 3, 1, 1, 64) {
  if (threadIdx.x < 3) out[threadIdx.x] = 5;
  __syncthreads();
  atomicInc(out, 12);
  atomicDec(out + 1, 40);
  atomicExch(out + 2, 77);
}
