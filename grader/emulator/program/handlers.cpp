#include "emulator/program/handlers.h"

namespace lockstep::emulator {

#ifdef LOCKSTEP_ONLY_LEVEL

namespace LOCKSTEP_ONLY_LEVEL {
extern const HandlerTable table;
}

const HandlerTable& handlers() { return LOCKSTEP_ONLY_LEVEL::table; }

#else

namespace x86_64_v2 {
extern const HandlerTable table;
}
namespace x86_64_v3 {
extern const HandlerTable table;
}
namespace x86_64_v4 {
extern const HandlerTable table;
}

const HandlerTable& handlers() {
  static const HandlerTable& best = []() -> const HandlerTable& {
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512dq"))
      return x86_64_v4::table;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
      return x86_64_v3::table;
    return x86_64_v2::table;
  }();
  return best;
}

#endif

}  // namespace lockstep::emulator
