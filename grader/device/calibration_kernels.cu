// What a GPU can do at most: one kernel for each ceiling. gpu_calibrator.cpp times a kernel over some steps
// and over twice as many; the difference is free of its beginning and its end.
//
// Bound: the one kind of operation that a kernel is named after. As many blocks run as the GPU holds at a
// time, and each thread has several operations under way that do not wait for each other, so that throughput
// counts and not latency. Values come from arguments and end in memory: the compiler can neither foresee a
// step nor leave it out. A test counts the instructions in the machine code.
#include <cstdint>

#include "calibration_work.h"

using namespace lockstep::device;

namespace {

__device__ std::uint32_t thread_of_grid() { return blockIdx.x * blockDim.x + threadIdx.x; }

/// Source: the final mix of MurmurHash3. Neighbours get values that have nothing in common, as the lanes of a
/// warp must: generators that begin in equal steps stay in equal steps.
__device__ std::uint32_t scrambled(std::uint32_t x) {
  x = (x ^ (x >> 16)) * 0x85EBCA6B;
  x = (x ^ (x >> 13)) * 0xC2B2AE35;
  return x ^ (x >> 16);
}

/// A linear congruential generator; the high bits are the random ones. Source: Numerical Recipes.
__device__ std::uint32_t draw(std::uint32_t& state) { return state = state * 1664525 + 1013904223; }

/// Applies `link` to every chain, kLinks times a step.
template <class T, class Link>
__device__ void run_chains(std::uint32_t steps, T (&chains)[kChains], Link link) {
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (unsigned i = 0; i < kLinks; ++i) {
#pragma unroll
      for (T& value : chains) value = link(value);
    }
  }
}

template <class T>
__device__ T sum_of(const T (&chains)[kChains]) {
  T sum = 0;
  for (const T value : chains) sum += value;
  return sum;
}

/// Leaves what the block has counted in the results of its threads.
__device__ void keep_counts(const std::uint32_t* counters, unsigned n, std::uint32_t* results) {
  __syncthreads();  // every thread of the block has counted
  std::uint32_t sum = 0;
  for (unsigned i = threadIdx.x; i < n; i += blockDim.x) sum += counters[i];
  results[thread_of_grid()] = sum;
}

}  // namespace

// The time from one launch to the next.
extern "C" __global__ void empty_kernel() {}

// Random bits: memory that is all zero takes less power to move.
extern "C" __global__ void fill_kernel(std::uint32_t* memory, std::uint64_t n) {
  for (std::uint64_t i = thread_of_grid(); i < n; i += std::uint64_t{gridDim.x} * blockDim.x) {
    memory[i] = scrambled(static_cast<std::uint32_t>(i));
  }
}

// Bound: FFMA. Rounding lets nobody foresee two steps in one.
extern "C" __global__ void __launch_bounds__(kCalibrationThreads)
    fused_multiply_adds_kernel(std::uint32_t steps, float* results, float factor, float addend) {
  float chains[kChains];
  for (unsigned i = 0; i < kChains; ++i) chains[i] = static_cast<float>(thread_of_grid() * kChains + i);
  run_chains(steps, chains, [=](float x) { return fmaf(x, factor, addend); });
  results[thread_of_grid()] = sum_of(chains);
}

// Bound: MUFU.RSQ. Without .ftz three more instructions would care for denormal numbers.
extern "C" __global__ void __launch_bounds__(kCalibrationThreads)
    special_functions_kernel(std::uint32_t steps, float* results) {
  float chains[kChains];
  for (unsigned i = 0; i < kChains; ++i) chains[i] = static_cast<float>(thread_of_grid() * kChains + i + 1);
  run_chains(steps, chains, [](float x) {
    float y = 0;
    asm("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
    return y;
  });
  results[thread_of_grid()] = sum_of(chains);
}

// Bound: IMAD, which multiplies 32 bits by 32 and adds.
extern "C" __global__ void __launch_bounds__(kCalibrationThreads)
    integer_products_kernel(std::uint32_t steps, std::uint32_t* results, std::uint32_t factor,
                            std::uint32_t addend) {
  std::uint32_t chains[kChains];
  for (unsigned i = 0; i < kChains; ++i) chains[i] = thread_of_grid() * kChains + i;
  run_chains(steps, chains, [=](std::uint32_t x) { return x * factor + addend; });
  results[thread_of_grid()] = sum_of(chains);
}

// Bound: LDS, 4 bytes per lane. Each word holds the address of the one 32 words on, which lies in the same
// bank: lanes never meet, and the next address is not known before the load. Addresses are those of shared
// memory itself, so that nothing needs to be computed between two loads.
extern "C" __global__ void __launch_bounds__(kCalibrationThreads)
    shared_loads_kernel(std::uint32_t steps, std::uint32_t* results) {
  __shared__ std::uint32_t words[kLoadedWords];
  const auto first = static_cast<std::uint32_t>(__cvta_generic_to_shared(words));
  for (unsigned i = threadIdx.x; i < kLoadedWords; i += blockDim.x) {
    words[i] = first + (i + 32) % kLoadedWords * sizeof(std::uint32_t);
  }
  __syncthreads();  // other threads wrote what is followed
  std::uint32_t chains[kChains];
  for (unsigned i = 0; i < kChains; ++i) {
    chains[i] = first + (i * kCalibrationThreads + threadIdx.x) * sizeof(std::uint32_t);
  }
  run_chains(steps, chains, [](std::uint32_t address) {
    std::uint32_t next = 0;
    asm volatile("ld.shared.u32 %0, [%1];" : "=r"(next) : "r"(address) : "memory");
    return next;
  });
  results[thread_of_grid()] = sum_of(chains) - kChains * first;
}

// Bound: ATOMS, when every lane has counters of its own in a bank of its own.
extern "C" __global__ void __launch_bounds__(kCalibrationThreads)
    shared_atomics_kernel(std::uint32_t steps, std::uint32_t* results) {
  __shared__ std::uint32_t counters[kChains][32];
  static_assert(sizeof counters / sizeof(std::uint32_t) == kCalibrationThreads,
                "a counter per thread to clear");
  counters[threadIdx.x / 32][threadIdx.x % 32] = 0;
  __syncthreads();  // all counters are clear
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (unsigned i = 0; i < kLinks * kChains; ++i) atomicAdd(&counters[i % kChains][threadIdx.x % 32], 1);
  }
  keep_counts(counters[0], kChains * 32, results);
}

// Bound: ATOMS again, when lanes meet in banks as random addresses do. An atomic takes longer than the three
// instructions that draw its address.
extern "C" __global__ void __launch_bounds__(kCalibrationThreads)
    random_shared_atomics_kernel(std::uint32_t steps, std::uint32_t* results) {
  __shared__ std::uint32_t counters[kRandomCounters];
  for (unsigned i = threadIdx.x; i < kRandomCounters; i += blockDim.x) counters[i] = 0;
  __syncthreads();  // all counters are clear
  std::uint32_t state = scrambled(thread_of_grid());
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (unsigned i = 0; i < kDraws; ++i) atomicAdd(&counters[draw(state) >> (32 - kRandomCounterBits)], 1);
  }
  keep_counts(counters, kRandomCounters, results);
}

// Bound: sectors that memory, or L2 when it holds all n words, delivers for 4 bytes each.
extern "C" __global__ void __launch_bounds__(kCalibrationThreads)
    gathers_kernel(std::uint32_t steps, std::uint32_t* results, const std::uint32_t* memory,
                   std::uint32_t n) {
  std::uint32_t state = scrambled(thread_of_grid()), sum = 0;
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (unsigned i = 0; i < kDraws; ++i) sum += memory[__umulhi(draw(state), n)];
  }
  results[thread_of_grid()] = sum;
}

// Bound: RED in L2, at random ones of n words.
extern "C" __global__ void __launch_bounds__(kCalibrationThreads)
    global_atomics_kernel(std::uint32_t steps, std::uint32_t* memory, std::uint32_t n) {
  std::uint32_t state = scrambled(thread_of_grid());
#pragma unroll 1
  for (std::uint32_t step = 0; step < steps; ++step) {
#pragma unroll
    for (unsigned i = 0; i < kDraws; ++i) atomicAdd(&memory[__umulhi(draw(state), n)], 1);
  }
}
