// Control flow: lanes that part and meet again, loops, switches, calls, recursion, pointers to functions.
#include "ptx.h"
#include "suite.h"

namespace {

__device__ __noinline__ std::uint32_t collatz_steps(std::uint32_t n) {
  std::uint32_t steps = 0;
  for (n = n % 1000 + 1; n != 1; ++steps) n = n % 2 == 0 ? n / 2 : 3 * n + 1;
  return steps;
}
__device__ __noinline__ std::uint32_t fibonacci(std::uint32_t n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}
__device__ __noinline__ std::uint32_t ackermann(std::uint32_t m, std::uint32_t n) {
  if (m == 0) return n + 1;
  return n == 0 ? ackermann(m - 1, 1) : ackermann(m - 1, ackermann(m, n - 1));
}
__device__ __noinline__ std::uint32_t odd(std::uint32_t n);
__device__ __noinline__ std::uint32_t even(std::uint32_t n) { return n == 0 ? 1 : odd(n - 1); }
__device__ __noinline__ std::uint32_t odd(std::uint32_t n) { return n == 0 ? 0 : even(n - 1); }
__device__ __noinline__ std::uint32_t twice(std::uint32_t n) { return 2 * n; }
__device__ __noinline__ std::uint32_t square(std::uint32_t n) { return n * n; }
struct Pair {
  std::uint32_t first, second;
  float third;
};
__device__ __noinline__ Pair swapped(Pair pair) { return {pair.second, pair.first, pair.third * 2}; }
struct Shape {
  __device__ virtual std::uint32_t area(std::uint32_t n) const { return n; }
};
struct Square final : Shape {
  __device__ std::uint32_t area(std::uint32_t n) const override { return n * n; }
};

}  // namespace

ELEMENTWISE(control_branch, std::uint32_t, std::uint32_t, 1) {
  if (a % 2 == 0)
    r[0] = a / 2 + b;
  else
    r[0] = 3 * a - c;
}
ELEMENTWISE(control_nested_branches, std::uint32_t, std::uint32_t, 1) {
  std::uint32_t result = 0;
  if (a % 2 == 0) {
    result += b;
    if (a % 4 == 0) {
      result ^= c;
      if (a % 8 == 0) result *= 3;
    } else {
      result -= 7;
    }
  } else if (b > c) {
    result = a;
  }
  r[0] = result;
}
ELEMENTWISE(control_loop, std::uint32_t, std::uint32_t, 1) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < a % 37; ++i) sum += i * b;
  r[0] = sum;
}
ELEMENTWISE(control_nested_loops, std::uint32_t, std::uint32_t, 1) {
  std::uint32_t sum = 0;
  for (std::uint32_t i = 0; i < a % 7; ++i) {
    for (std::uint32_t j = i; j < b % 9; ++j) {
      if ((i + j) % 5 == 4) continue;
      if (i * j > c % 30) break;
      sum = sum * 3 + i * j;
    }
  }
  r[0] = sum;
}
ELEMENTWISE(control_collatz, std::uint32_t, std::uint32_t, 1) { r[0] = collatz_steps(a); }
ELEMENTWISE(control_greatest_divisor, std::uint32_t, std::uint32_t, 1) {
  while (b != 0) {
    const std::uint32_t rest = a % b;
    a = b;
    b = rest;
  }
  r[0] = a;
}
ELEMENTWISE(control_switch, std::uint32_t, std::uint32_t, 1) {
  switch (a % 9) {
    case 0:
      r[0] = b + c;
      break;
    case 1:
      r[0] = b - c;
      break;
    case 2:
      r[0] = b * c;
      break;
    case 3:
      b ^= 5;
      [[fallthrough]];
    case 4:
      r[0] = b & c;
      break;
    case 5:
      r[0] = b | c;
      break;
    case 7:
      r[0] = ~c;
      break;
    default:
      r[0] = 1000 + a % 9;
  }
}
ELEMENTWISE(control_short_circuit, std::uint32_t, std::uint32_t, 2) {
  r[0] = (a > 10 && b > 10) || (c % 2 == 0 && a < b);
  r[1] = a > b ? (b > c ? 1 : 2) : (a > c ? 3 : 4);
}
ELEMENTWISE(control_do_while, std::uint32_t, std::uint32_t, 1) {
  std::uint32_t n = 0;
  do {
    a = a * 1664525 + 1013904223;
    ++n;
  } while (a % 8 != 3 && n < 50);
  r[0] = n + a;
}
ELEMENTWISE(control_recursion, std::uint32_t, std::uint32_t, 2) {
  r[0] = fibonacci(a % 10);
  r[1] = ackermann(a % 3, b % 4);
}
ELEMENTWISE(control_mutual_recursion, std::uint32_t, std::uint32_t, 1) { r[0] = even(a % 20); }
ELEMENTWISE(control_structures, std::uint32_t, std::uint32_t, 2) {
  const Pair pair = swapped({a, b, static_cast<float>(c % 100)});
  r[0] = pair.first - pair.second;
  r[1] = static_cast<std::uint32_t>(pair.third);
}
// All lanes of a warp call the same function.
ELEMENTWISE(control_function_pointer, std::uint32_t, std::uint32_t, 1) {
  std::uint32_t (*const functions[])(std::uint32_t) = {twice, square, collatz_steps};
  r[0] = functions[threadIdx.x / 32 % 3](a);
}
ELEMENTWISE(control_virtual_call, std::uint32_t, std::uint32_t, 1) {
  const Shape plain;
  const Square square;
  const Shape* const shape = threadIdx.x / 32 % 2 == 0 ? &plain : &square;
  r[0] = shape->area(a);
}
KERNEL(control_early_exit, 256, 256, 1, 2, 128) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = 1;
  if (in[t] % 3 == 0) return;
  out[t] = in[t];
  if (in[t] % 5 == 0) asm volatile("exit;");
  out[t] = in[t] * 2;
}
KERNEL(control_exit_before_barrier, 256, 256, 1, 1, 256) {
  __shared__ std::uint32_t shared[256];
  const unsigned t = threadIdx.x;
  shared[t] = in[t];
  __syncthreads();
  out[t] = 7;
  if (t >= 96) return;  // whole warps leave, and the others still meet
  __syncthreads();
  out[t] = shared[t + 100];
}
KERNEL(control_loop_of_barriers, 128, 128, 1, 1, 128) {
  __shared__ std::uint32_t shared[128];
  shared[threadIdx.x] = in[threadIdx.x];
  for (unsigned i = 1; i < 8; ++i) {
    __syncthreads();
    const std::uint32_t next = shared[(threadIdx.x + i) % 128];
    __syncthreads();
    shared[threadIdx.x] = shared[threadIdx.x] * 3 + next;
  }
  out[threadIdx.x] = shared[threadIdx.x];
}
KERNEL(control_lock, 128, 1, 1, 4, 32) {
  // A lock that lanes take one after the other.
  static __device__ int lock;
  if (blockIdx.x == 0 && threadIdx.x == 0) atomicExch(out, 0);
  if (blockIdx.x != 0) return;
  __syncthreads();
  bool done = false;
  while (!done) {
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence();
      *static_cast<volatile std::uint32_t*>(out) =
          *static_cast<volatile std::uint32_t*>(out) + in[threadIdx.x];
      __threadfence();
      atomicExch(&lock, 0);
      done = true;
    }
  }
}
KERNEL(control_places, 64, 512, 4, 4, 128) {
  const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
  out[t] = threadIdx.x + 1000 * blockIdx.x;
  out[t + 512] = blockDim.x + 1000 * gridDim.x;
  out[t + 1024] = threadIdx.y + threadIdx.z + blockIdx.y + blockIdx.z + blockDim.y + blockDim.z;
  out[t + 1536] = gridDim.y * gridDim.z + warpSize;
}
KERNEL(control_predicated_memory, 128, 128, 1, 1, 128) {
  std::uint32_t value = 99;
  asm volatile("{.reg .pred p; setp.lt.u32 p, %2, 70; @p ld.global.u32 %0, [%1]; @!p mov.u32 %0, 5;}"
               : "+r"(value)
               : "l"(__cvta_generic_to_global(in + threadIdx.x)), "r"(threadIdx.x));
  out[threadIdx.x] = value;
}
KERNEL(control_duff, 64, 64, 1, 1, 64) {
  std::uint32_t sum = 0;
  unsigned n = in[threadIdx.x] % 23, rounds = n / 4 + 1;
  switch (n % 4) {
    do {
      case 3:
        sum = sum * 3 + n--;
        [[fallthrough]];
      case 2:
        sum = sum * 5 + n--;
        [[fallthrough]];
      case 1:
        sum = sum * 7 + n--;
        [[fallthrough]];
      case 0:
        sum += 1;
    } while (--rounds > 0);
  }
  out[threadIdx.x] = sum;
}
