// The levels of x86-64 for which handlers are compiled, as far as this processor has them.
#pragma once

namespace lockstep::emulator::program {

/// Whether it runs what is compiled with -march=x86-64-v3.
inline bool has_x86_64_v3() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

/// Likewise of -march=x86-64-v4.
inline bool has_x86_64_v4() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq");
}

}  // namespace lockstep::emulator::program
