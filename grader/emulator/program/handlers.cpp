#include "emulator/program/handlers.h"

#include <stdexcept>

#include "emulator/program/processor_level.h"

#ifdef LOCKSTEP_HAS_v2
namespace lockstep::emulator::handlers::x86_64_v2 {
extern const program::HandlerTable table;
}
#endif
#ifdef LOCKSTEP_HAS_v3
namespace lockstep::emulator::handlers::x86_64_v3 {
extern const program::HandlerTable table;
}
#endif
#ifdef LOCKSTEP_HAS_v4
namespace lockstep::emulator::handlers::x86_64_v4 {
extern const program::HandlerTable table;
}
#endif

namespace lockstep::emulator::program {

const HandlerTable& handlers() {
  static const HandlerTable& best = []() -> const HandlerTable& {
#ifdef LOCKSTEP_HAS_v4
    if (has_x86_64_v4()) return handlers::x86_64_v4::table;
#endif
#ifdef LOCKSTEP_HAS_v3
    if (has_x86_64_v3()) return handlers::x86_64_v3::table;
#endif
#ifdef LOCKSTEP_HAS_v2
    return handlers::x86_64_v2::table;
#else
    throw std::runtime_error(
        "this emulated device was built for another processor, whose instructions this one lacks: build it "
        "on this machine, or for every processor with -DLOCKSTEP_ALL_LEVELS=ON");
#endif
  }();
  return best;
}

}  // namespace lockstep::emulator::program
