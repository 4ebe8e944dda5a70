// Gathers the handlers of one instruction-set level.
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"

#define LOCKSTEP_TEXT_OF(word) #word
#define LOCKSTEP_TEXT(macro) LOCKSTEP_TEXT_OF(macro)

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

Handler arithmetic(Operation operation, ptx::Type type, const Variant& variant) {
  if (const Handler found = predicate_handler(operation, type, variant)) return found;
  if (const Handler found = floating_handler(operation, type, variant)) return found;
  if (const Handler found = half_handler(operation, type)) return found;
  if (const Handler found = video_handler(operation)) return found;
  if (const Handler found = packed_integer_handler(operation, type, variant)) return found;
  return integer_handler(operation, type, variant);
}

Handler convert(ptx::Type to, const Variant& variant) {
  if (const Handler found = conversion_handler(to, variant)) return found;
  return narrow_conversion_handler(to, variant);
}

void none(Warp&, const Instruction&, Mask) {}

void frame_address(Warp& warp, const Instruction& i, Mask active) {
  const std::uint64_t address = warp.local_base + static_cast<std::uint64_t>(i.offset);
  for_lanes<std::uint64_t>(row<std::uint64_t>(warp, i.destination), active,
                           [=](unsigned) { return address; });
}

}  // namespace

extern const program::HandlerTable table;
const program::HandlerTable table = {
    .name = LOCKSTEP_TEXT(LOCKSTEP_LEVEL),
    .arithmetic = arithmetic,
    .convert = convert,
    .compare_narrow = narrow_comparison_handler,
    .load = load_handler,
    .store = store_handler,
    .atomic = atomic_handler,
    .warp_wide = warp_handler,
    .load_parameter = parameter_handler,
    .special = special_handler,
    .pack = pack_handler,
    .unpack = unpack_handler,
    .fence = fence_handler,
    .block_fence = block_fence_handler,
    .none = none,
    .frame_address = frame_address,
    .space_test = space_test_handler,
    .copy_async = copy_async_handler,
    .traffic = {global_sectors, shared_wavefronts, shared_atomic_wavefronts, most_at_one_address,
                most_at_one_address},
    .matrix_multiply = matrix_multiply_handler,
    .load_fragment = load_fragment_handler,
    .store_fragment = store_fragment_handler,
    .load_rows = load_rows_handler,
    .store_rows = store_rows_handler,
    .transpose_matrix = transpose_matrix_handler,
    .texture_fetch = texture_fetch_handler,
    .surface_load = surface_load_handler,
    .surface_store = surface_store_handler,
    .image_query = image_query_handler,
};

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
