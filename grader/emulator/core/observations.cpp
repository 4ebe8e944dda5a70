#include "emulator/core/observations.h"

namespace lockstep::emulator {

const char* name_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::out_of_bounds:
      return "out-of-bounds";
    case Finding::Kind::misaligned:
      return "misaligned";
    case Finding::Kind::uninitialised_read:
      return "uninitialised-read";
    case Finding::Kind::race:
      return "race";
    case Finding::Kind::bad_sync:
      return "bad-sync";
    case Finding::Kind::deadlock:
      return "deadlock";
    case Finding::Kind::time_limit:
      return "time-limit";
    case Finding::Kind::trap:
      return "trap";
    case Finding::Kind::assertion:
      return "assertion";
    case Finding::Kind::unsupported:
      return "unsupported";
    case Finding::Kind::stack_overflow:
      return "stack-overflow";
    case Finding::Kind::bad_launch:
      return "bad-launch";
    case Finding::Kind::bad_image:
      return "bad-image";
    case Finding::Kind::bad_call:
      return "bad-call";
    case Finding::Kind::leak:
      return "leak";
    case Finding::Kind::no_progress:
      return "no-progress";
    case Finding::Kind::stale_read:
      return "stale-read";
  }
  return "unknown";
}

}  // namespace lockstep::emulator
