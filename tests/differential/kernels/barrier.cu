// Barriers of blocks with their numbers, votes and arrivals; mbarriers; asynchronous copies.
#include "ptx.h"
#include "suite.h"

namespace {

__device__ std::uint32_t shared_address(const void* place) {
  return static_cast<std::uint32_t>(__cvta_generic_to_shared(place));
}
__device__ void wait(std::uint64_t* barrier, std::uint32_t parity) {
  asm volatile(
      "{.reg .pred p; again%=: mbarrier.try_wait.parity.shared::cta.b64 p, [%0], %1; @p bra done%=; bra "
      "again%=; done%=:}" ::"r"(shared_address(barrier)),
      "r"(parity)
      : "memory");
}

}  // namespace

KERNEL(barrier_votes, 128, 128, 3, 1, 128) {
  const unsigned t = threadIdx.x;
  out[t] = static_cast<std::uint32_t>(__syncthreads_count(in[t] % 3 == 0));
  out[t + 128] = static_cast<std::uint32_t>(__syncthreads_and(in[t] % 7 != 9));
  out[t + 256] = static_cast<std::uint32_t>(__syncthreads_or(in[t] == 5));
}
KERNEL(barrier_votes_of_part, 128, 128, 2, 1, 128) {
  const unsigned t = threadIdx.x;
  std::uint32_t count = 0, any = 0;
  if (t < 64) {
    asm volatile(
        "{.reg .pred p; setp.lt.u32 p, %1, %2; barrier.sync.aligned 3, 64; bar.red.popc.u32 %0, 2, 64, p;}"
        : "=r"(count)
        : "r"(in[t]), "r"(0x8000'0000));
    asm volatile(
        "{.reg .pred p, q; setp.lt.u32 p, %1, %2; bar.red.or.pred q, 4, 64, p; selp.u32 %0, 1, 0, q;}"
        : "=r"(any)
        : "r"(in[t]), "r"(0x0100'0000));
  }
  out[t] = count;
  out[t + 128] = any;
}
KERNEL(barrier_named, 128, 128, 1, 1, 128) {
  __shared__ std::uint32_t shared[128];
  const unsigned t = threadIdx.x, half = t / 64;
  shared[t] = in[t];
  asm volatile("bar.sync %0, 64;" ::"r"(half + 1) : "memory");
  out[t] = shared[half * 64 + (t + 33) % 64];
}
KERNEL(barrier_producer_consumer, 64, 64, 1, 1, 128) {
  // Two warps produce and go on; two wait for them.
  __shared__ std::uint32_t shared[64];
  const unsigned t = threadIdx.x;
  if (t < 64) {
    shared[t] = in[t] * 3;
    asm volatile("bar.arrive 5, 128;" ::: "memory");
  } else {
    asm volatile("bar.sync 5, 128;" ::: "memory");
    out[t - 64] = shared[127 - t];
  }
}
KERNEL(barrier_ping_pong, 64, 64, 1, 1, 128) {
  __shared__ std::uint32_t shared[64];
  const unsigned t = threadIdx.x % 64;
  for (unsigned i = 0; i < 4; ++i) {
    if (threadIdx.x < 64) {
      shared[t] = in[t] + i + (i > 0 ? shared[t] : 0);
      asm volatile("bar.arrive 1, 128; bar.sync 2, 128;" ::: "memory");
    } else {
      asm volatile("bar.sync 1, 128;" ::: "memory");
      shared[t] = shared[t] * 5;
      asm volatile("bar.arrive 2, 128;" ::: "memory");
    }
  }
  if (threadIdx.x < 64) out[t] = shared[t];
}

KERNEL(barrier_mbarrier, 128, 128, 1, 1, 128) {
  __shared__ std::uint64_t barrier;
  __shared__ std::uint32_t shared[128];
  const unsigned t = threadIdx.x;
  if (t == 0) asm volatile("mbarrier.init.shared.b64 [%0], 128;" ::"r"(shared_address(&barrier)) : "memory");
  __syncthreads();
  std::uint32_t value = in[t];
  for (unsigned phase = 0; phase < 4; ++phase) {
    shared[t] = value;
    [[maybe_unused]] std::uint64_t state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];"
                 : "=l"(state)
                 : "r"(shared_address(&barrier))
                 : "memory");
    wait(&barrier, phase % 2);
    value = value * 3 + shared[(t + 32 + phase) % 128];
    __syncthreads();
  }
  out[t] = value;
}
KERNEL(barrier_mbarrier_counts, 64, 64, 2, 1, 64) {
  __shared__ std::uint64_t barrier;
  const unsigned t = threadIdx.x;
  [[maybe_unused]] std::uint64_t state;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 9;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 4;"
                 : "=l"(state)
                 : "r"(shared_address(&barrier))
                 : "memory");
  }
  __syncthreads();
  std::uint32_t pending = 0, ready = 0;
  std::uint64_t now = 0;
  if (t == 1) {
    asm volatile("mbarrier.arrive.noComplete.shared.b64 %0, [%1], 2;"
                 : "=l"(now)
                 : "r"(shared_address(&barrier))
                 : "memory");
    asm volatile("mbarrier.pending_count.b64 %0, %1;" : "=r"(pending) : "l"(now));
  }
  __syncthreads();
  asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
               : "=r"(ready)
               : "r"(shared_address(&barrier))
               : "memory");
  __syncthreads();
  out[t] = pending + 100 * ready;
  if (t == 2)
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1], 3;"
                 : "=l"(state)
                 : "r"(shared_address(&barrier))
                 : "memory");
  __syncthreads();
  asm volatile("{.reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p;}"
               : "=r"(ready)
               : "r"(shared_address(&barrier))
               : "memory");
  out[t + 64] = ready;
}

KERNEL(copy_async_4, 128, 128, 1, 1, 128) {
  __shared__ std::uint32_t shared[128];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&shared[threadIdx.x])),
               "l"(__cvta_generic_to_global(in + threadIdx.x))
               : "memory");
  asm volatile("cp.async.commit_group; cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = shared[127 - threadIdx.x];
}
KERNEL(copy_async_8, 256, 256, 1, 1, 128) {
  __shared__ alignas(8) std::uint32_t shared[256];
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(shared_address(&shared[2 * threadIdx.x])),
               "l"(__cvta_generic_to_global(in + 2 * threadIdx.x))
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[threadIdx.x] = shared[255 - threadIdx.x];
  out[threadIdx.x + 128] = shared[127 - threadIdx.x];
}
KERNEL(copy_async_16, 512, 512, 1, 1, 128) {
  __shared__ alignas(16) std::uint32_t shared[512];
  const unsigned t = threadIdx.x;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(shared_address(&shared[4 * t])),
               "l"(__cvta_generic_to_global(in + 4 * (t ^ 3)))
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (unsigned k = 0; k < 4; ++k) out[t + 128 * k] = shared[511 - t - 128 * k];
}
KERNEL(copy_async_filled, 512, 512, 1, 1, 128) {
  // Bytes beyond the source's are zero.
  __shared__ alignas(16) std::uint32_t shared[512];
  const unsigned t = threadIdx.x;
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(&shared[4 * t])),
               "l"(__cvta_generic_to_global(in + 4 * t)), "r"(t % 5 * 4)
               : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  for (unsigned k = 0; k < 4; ++k) out[t + 128 * k] = shared[t + 128 * k];
}
KERNEL(copy_async_groups, 1024, 128, 1, 1, 128) {
  __shared__ std::uint32_t shared[2][128];
  const unsigned t = threadIdx.x;
  std::uint32_t sum = 0;
  const auto fetch = [&](unsigned tile) {
    asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(shared_address(&shared[tile % 2][t])),
                 "l"(__cvta_generic_to_global(in + tile * 128 + t))
                 : "memory");
    asm volatile("cp.async.commit_group;" ::: "memory");
  };
  fetch(0);
  for (unsigned tile = 0; tile < 8; ++tile) {
    if (tile < 7)
      fetch(tile + 1);
    else
      asm volatile("cp.async.commit_group;" ::: "memory");
    asm volatile("cp.async.wait_group 1;" ::: "memory");
    __syncthreads();
    sum = sum * 3 + shared[tile % 2][t ^ 64];
    __syncthreads();
  }
  out[t] = sum;
}
KERNEL(copy_bulk, 256, 256, 1, 1, 128) {
  __shared__ alignas(128) std::uint32_t shared[256];
  __shared__ std::uint64_t barrier;
  const unsigned t = threadIdx.x;
  if (t == 0) {
    asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(shared_address(&barrier)) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
    [[maybe_unused]] std::uint64_t state;
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], 1024;"
                 : "=l"(state)
                 : "r"(shared_address(&barrier))
                 : "memory");
    asm volatile(
        "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 1024, [%2];" ::"r"(
            shared_address(shared)),
        "l"(__cvta_generic_to_global(in)), "r"(shared_address(&barrier))
        : "memory");
  }
  __syncthreads();
  wait(&barrier, 0);
  const std::uint32_t a = shared[255 - t], b = shared[127 - t];
  __syncthreads();
  shared[t] = a + 1;
  shared[t + 128] = b + 2;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  if (t == 0) {
    asm volatile(
        "cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 1024;" ::"l"(__cvta_generic_to_global(out)),
        "r"(shared_address(shared))
        : "memory");
    asm volatile("cp.async.bulk.commit_group; cp.async.bulk.wait_group 0;" ::: "memory");
  }
}
