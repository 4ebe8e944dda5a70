// What the lanes of a warp do together: shuffles, votes, matches, reductions, in full warps and parts of
// them.
#include "ptx.h"
#include "suite.h"

namespace {

constexpr unsigned kAll = 0xFFFF'FFFF;

}  // namespace

// d and whether the source lane was in range.
#define SHUFFLE(k, mode, value, lane, control)                                                              \
  asm volatile("{.reg .pred p; shfl.sync." mode ".b32 %0|p, %2, %3, %4, 0xFFFFFFFF; selp.u32 %1, 1, 0, p;}" \
               : "=&r"(r[k]), "=r"(r[(k) + 1])                                                              \
               : "r"(value), "r"(lane), "r"(control))

ELEMENTWISE(warp_shuffle_index, std::uint32_t, std::uint32_t, 6) {
  SHUFFLE(0, "idx", a, b % 32, 0x1F);
  SHUFFLE(2, "idx", a, b, 0x181F);
  SHUFFLE(4, "idx", a, c, 0x1807);
}
ELEMENTWISE(warp_shuffle_up, std::uint32_t, std::uint32_t, 6) {
  SHUFFLE(0, "up", a, 1, 0);
  SHUFFLE(2, "up", a, b % 9, 0x1800);
  SHUFFLE(4, "up", a, b, 0x1000);
}
ELEMENTWISE(warp_shuffle_down, std::uint32_t, std::uint32_t, 6) {
  SHUFFLE(0, "down", a, 1, 0x1F);
  SHUFFLE(2, "down", a, b % 9, 0x181F);
  SHUFFLE(4, "down", a, b, 0x101F);
}
ELEMENTWISE(warp_shuffle_butterfly, std::uint32_t, std::uint32_t, 6) {
  SHUFFLE(0, "bfly", a, 16, 0x1F);
  SHUFFLE(2, "bfly", a, b % 8, 0x181F);
  SHUFFLE(4, "bfly", a, b, 0x1C0F);
}
ELEMENTWISE(warp_shuffle_wide, std::uint64_t, std::uint64_t, 4) {
  r[0] = __shfl_sync(kAll, a, static_cast<int>(b % 64));
  r[1] = __shfl_up_sync(kAll, a, 3, 16);
  r[2] = __shfl_down_sync(kAll, a, 5, 8);
  r[3] = __shfl_xor_sync(kAll, a, 9);
}
ELEMENTWISE(warp_votes, std::uint32_t, std::uint32_t, 6) {
  r[0] = __ballot_sync(kAll, (a & 4) != 0);
  r[1] = __any_sync(kAll, a == 0x80);
  r[2] = __all_sync(kAll, a != 0x80);
  asm volatile(
      "{.reg .pred p, q; setp.ne.u32 p, %1, 0; vote.sync.uni.pred q, p, 0xFFFFFFFF; selp.u32 %0, 1, 0, q;}"
      : "=r"(r[3])
      : "r"(b & 1));
  asm volatile("{.reg .pred p; setp.lt.u32 p, %1, %2; vote.sync.ballot.b32 %0, !p, 0xFFFFFFFF;}"
               : "=r"(r[4])
               : "r"(a), "r"(b));
  r[5] = __activemask();
}
ELEMENTWISE(warp_votes_of_halves, std::uint32_t, std::uint32_t, 3) {
  const unsigned mask = threadIdx.x % 32 < 16 ? 0x0000'FFFF : 0xFFFF'0000;
  r[0] = __ballot_sync(mask, (a & 1) != 0);
  r[1] = __any_sync(mask, a == 7);
  r[2] = __all_sync(mask, b > 3);
}
ELEMENTWISE(warp_match, std::uint32_t, std::uint32_t, 4) {
  int same = 0;
  r[0] = __match_any_sync(kAll, a % 5);
  r[1] = __match_all_sync(kAll, a % 5, &same);
  r[2] = static_cast<std::uint32_t>(same);
  r[3] = __match_all_sync(kAll, threadIdx.x / 32 % 2 == 0 ? 7 : a, &same);
}
ELEMENTWISE(warp_match_64, std::uint64_t, std::uint64_t, 2) {
  int same = 0;
  r[0] = __match_any_sync(kAll, static_cast<unsigned long long>(a >> 62));
  r[1] = __match_all_sync(kAll, static_cast<unsigned long long>(b / 32), &same) + static_cast<unsigned>(same);
}
ELEMENTWISE(warp_reductions, std::uint32_t, std::uint32_t, 8) {
  r[0] = __reduce_add_sync(kAll, a);
  r[1] = __reduce_min_sync(kAll, a);
  r[2] = __reduce_max_sync(kAll, a);
  r[3] = static_cast<std::uint32_t>(__reduce_min_sync(kAll, static_cast<int>(a)));
  r[4] = static_cast<std::uint32_t>(__reduce_max_sync(kAll, static_cast<int>(a)));
  r[5] = __reduce_and_sync(kAll, a | b);
  r[6] = __reduce_or_sync(kAll, a & b);
  r[7] = __reduce_xor_sync(kAll, a);
}
ELEMENTWISE(warp_reductions_of_parts, std::uint32_t, std::uint32_t, 2) {
  const unsigned lane = threadIdx.x % 32, mask = lane % 3 == 0 ? 0x49249249 : ~0x49249249U;
  r[0] = __reduce_add_sync(mask, a);
  r[1] = __reduce_xor_sync(mask, b);
}
ELEMENTWISE(warp_elect, std::uint32_t, std::uint32_t, 2) {
  asm volatile("{.reg .pred p; elect.sync %0|p, 0xFFFFFFFF; selp.u32 %1, 1, 0, p;}"
               : "=&r"(r[0]), "=r"(r[1]));
}
ELEMENTWISE(warp_scan, std::uint32_t, std::uint32_t, 1) {
  const unsigned lane = threadIdx.x % 32;
  std::uint32_t sum = a;
  for (unsigned distance = 1; distance < 32; distance *= 2) {
    const std::uint32_t below = __shfl_up_sync(kAll, sum, distance);
    if (lane >= distance) sum += below;
  }
  r[0] = sum;
}
ELEMENTWISE(warp_float_sum, float, float, 1) {
  float sum = a;
  for (int distance = 16; distance > 0; distance /= 2)
    sum = __fadd_rn(sum, __shfl_xor_sync(kAll, sum, distance));
  r[0] = sum;
}
KERNEL(warp_partial_shuffle, 64, 64, 2, 1, 45) {
  const unsigned t = threadIdx.x, mask = t < 32 ? kAll : (1U << 13) - 1;
  out[t] = __shfl_sync(mask, in[t], static_cast<int>(t * 3 % 13));
  out[t + 64] = __ballot_sync(mask, in[t] % 3 == 0);
}
KERNEL(warp_exchange_by_memory, 64, 64, 1, 1, 64) {
  __shared__ std::uint32_t shared[64];
  const unsigned t = threadIdx.x;
  shared[t] = in[t];
  __syncwarp();
  const std::uint32_t other = shared[t ^ 31];
  __syncwarp();
  if (t % 2 == 0) shared[t] = other * 2;
  __syncwarp();
  out[t] = shared[t ^ 1] + other;
}
KERNEL(warp_divided_shuffle, 64, 64, 1, 1, 64) {
  const unsigned t = threadIdx.x;
  if (t % 32 < 12)
    out[t] = __shfl_down_sync(0x0FFF, in[t], 1, 4);
  else
    out[t] = __shfl_xor_sync(0xFFFF'F000, in[t], 1) + __popc(__activemask() & 0);
}
KERNEL(warp_special_registers, 64, 64, 6, 1, 64) {
  const unsigned t = threadIdx.x;
  std::uint32_t value = 0;
  asm volatile("mov.u32 %0, %%laneid;" : "=r"(value));
  out[t] = value;
  asm volatile("mov.u32 %0, %%lanemask_eq;" : "=r"(value));
  out[t + 64] = value;
  asm volatile("mov.u32 %0, %%lanemask_lt;" : "=r"(value));
  out[t + 128] = value;
  asm volatile("mov.u32 %0, %%lanemask_le;" : "=r"(value));
  out[t + 192] = value;
  asm volatile("mov.u32 %0, %%lanemask_gt;" : "=r"(value));
  out[t + 256] = value;
  asm volatile("mov.u32 %0, %%lanemask_ge;" : "=r"(value));
  out[t + 320] = value;
}
