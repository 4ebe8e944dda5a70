// Gathers the handlers of one instruction-set level.
#include "emulator/machine/handlers/lanes.h"
#include "emulator/machine/handlers/tables.h"

#define LOCKSTEP_TEXT_OF(word) #word
#define LOCKSTEP_TEXT(macro) LOCKSTEP_TEXT_OF(macro)

namespace lockstep::emulator::LOCKSTEP_LEVEL {
namespace {

Handler arithmetic(Operation operation, ptx::Type type, const Variant& variant) {
  if (operation >= Operation::compare) return predicate_handler(operation, type, variant);
  if (const Handler found = floating_handler(operation, type, variant)) return found;
  return integer_handler(operation, type, variant);
}

void none(Warp&, const Instruction&, Mask) {}

void frame_address(Warp& warp, const Instruction& i, Mask active) {
  const std::uint64_t address = warp.local_base + static_cast<std::uint64_t>(i.offset);
  for_lanes<std::uint64_t>(row<std::uint64_t>(warp, i.destination), active,
                           [=](unsigned) { return address; });
}

}  // namespace

extern const HandlerTable table;
const HandlerTable table = {LOCKSTEP_TEXT(LOCKSTEP_LEVEL),
                            arithmetic,
                            conversion_handler,
                            load_handler,
                            store_handler,
                            atomic_handler,
                            warp_handler,
                            parameter_handler,
                            special_handler,
                            pack_handler,
                            unpack_handler,
                            fence_handler,
                            none,
                            frame_address,
                            space_test_handler,
                            copy_async_handler,
                            {global_sectors, shared_wavefronts, shared_atomic_wavefronts}};

}  // namespace lockstep::emulator::LOCKSTEP_LEVEL
