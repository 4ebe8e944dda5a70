// Operations between the lanes of a warp. PTX ISA 9.7.9.6, 9.7.13.
//
// The scheduler lets them begin only when the lanes that the member mask names have met (warp_runner.cpp);
// what a lane reads from one that does not take part is undefined, and is reported.
#include <bit>
#include <cstdint>

#include "emulator/checks/synchronisation.h"
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"
#include "emulator/program/shuffle.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

template <WarpOperation operation>
void shuffle(Warp& warp, const Instruction& i, Mask active) {
  const auto* values = row<std::uint32_t>(warp, i.a);
  const auto* by = row<std::uint32_t>(warp, i.b);
  const auto* control = row<std::uint32_t>(warp, i.c);
  alignas(64) std::uint32_t result[kLanes];
  Mask in_range = 0, undefined = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    const std::uint32_t source = program::shuffle_source(operation, lane, by[lane], control[lane]);
    const std::uint32_t from = source & 0x1F;
    in_range |= static_cast<Mask>((source & program::kShuffleInRange) != 0) << lane;
    undefined |= static_cast<Mask>((active >> from & 1) == 0) << lane;
    result[lane] = values[from];
  }
  undefined &= active;
  if (undefined != 0) checks::report_undefined_shuffle(warp, i, active, undefined);
  if (i.destination != kNoSlot) {
    for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active,
                             [&](unsigned l) { return result[l]; });
  }
  if (i.vector[0] != kNoSlot) set_predicate(warp, i.vector[0], in_range, active);
}

template <WarpOperation operation>
void vote(Warp& warp, const Instruction& i, Mask active) {
  const Mask value = (i.reads_flags & 1) != 0 ? ~warp.predicates[i.a] : warp.predicates[i.a];
  const Mask holds = value & active;
  if (operation == WarpOperation::vote_ballot) {
    for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active,
                             [=](unsigned) { return holds; });
    return;
  }
  const bool result = operation == WarpOperation::vote_all   ? holds == active
                      : operation == WarpOperation::vote_any ? holds != 0
                                                             : holds == active || holds == 0;
  set_predicate(warp, i.destination, result ? kAllLanes : 0, active);
}

template <class T>
Mask equal_lanes(const T* values, Mask active, T value) {
  return active & mask_of_lanes([=](unsigned l) { return values[l] == value; });
}
template <class T>
void match_any(Warp& warp, const Instruction& i, Mask active) {
  const T* values = row<T>(warp, i.a);
  alignas(64) std::uint32_t result[kLanes] = {};
  for (Mask left = active; left != 0;) {
    const Mask same = equal_lanes(values, active, values[std::countr_zero(left)]);
    for (unsigned lane = 0; lane < kLanes; ++lane) result[lane] |= (same >> lane & 1) != 0 ? same : 0;
    left &= ~same;
  }
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active,
                           [&](unsigned l) { return result[l]; });
}
template <class T>
void match_all(Warp& warp, const Instruction& i, Mask active) {
  const T* values = row<T>(warp, i.a);
  const bool all = equal_lanes(values, active, values[std::countr_zero(active)]) == active;
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active,
                           [=](unsigned) { return all ? active : 0U; });
  if (i.vector[0] != kNoSlot) set_predicate(warp, i.vector[0], all ? kAllLanes : 0, active);
}

template <WarpOperation operation, class T>
void reduce(Warp& warp, const Instruction& i, Mask active) {
  const T* values = row<T>(warp, i.a);
  T result = values[std::countr_zero(active)];
  for (Mask left = active & (active - 1); left != 0; left &= left - 1) {
    const T value = values[std::countr_zero(left)];
    switch (operation) {
      case WarpOperation::reduce_add:
        result = static_cast<T>(static_cast<std::uint32_t>(result) + static_cast<std::uint32_t>(value));
        break;
      case WarpOperation::reduce_minimum:
        result = value < result ? value : result;
        break;
      case WarpOperation::reduce_maximum:
        result = value > result ? value : result;
        break;
      case WarpOperation::reduce_and:
        result &= value;
        break;
      case WarpOperation::reduce_or:
        result |= value;
        break;
      default:
        result ^= value;
        break;
    }
  }
  for_lanes<T>(row<T>(warp, i.destination), active, [=](unsigned) { return result; });
}
template <WarpOperation operation>
Handler reduce_handler(ptx::Type type) {
  return type == ptx::Type::s32 ? reduce<operation, std::int32_t> : reduce<operation, std::uint32_t>;
}

void synchronise(Warp& warp, const Instruction&, Mask) { checks::order_warp(warp); }

void active_mask(Warp& warp, const Instruction& i, Mask active) {
  for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active, [=](unsigned) { return active; });
}

void elect(Warp& warp, const Instruction& i, Mask active) {
  const auto leader = static_cast<std::uint32_t>(std::countr_zero(active));
  if (i.destination != kNoSlot) {
    for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), active,
                             [=](unsigned) { return leader; });
  }
  if (i.vector[0] != kNoSlot) set_predicate(warp, i.vector[0], 1U << leader, active);
}

/// The operation, which also orders the lanes' memory accesses (for votes and shuffles hardware does so in
/// practice).
template <Handler handler>
void ordering(Warp& warp, const Instruction& i, Mask active) {
  checks::order_warp(warp);
  handler(warp, i, active);
}

}  // namespace

Handler warp_handler(WarpOperation operation, ptx::Type type) {
  const bool wide = ptx::bytes_of(type) == 8;
  switch (operation) {
    case WarpOperation::shuffle_up:
      return ordering<shuffle<WarpOperation::shuffle_up>>;
    case WarpOperation::shuffle_down:
      return ordering<shuffle<WarpOperation::shuffle_down>>;
    case WarpOperation::shuffle_butterfly:
      return ordering<shuffle<WarpOperation::shuffle_butterfly>>;
    case WarpOperation::shuffle_index:
      return ordering<shuffle<WarpOperation::shuffle_index>>;
    case WarpOperation::vote_all:
      return ordering<vote<WarpOperation::vote_all>>;
    case WarpOperation::vote_any:
      return ordering<vote<WarpOperation::vote_any>>;
    case WarpOperation::vote_uniform:
      return ordering<vote<WarpOperation::vote_uniform>>;
    case WarpOperation::vote_ballot:
      return ordering<vote<WarpOperation::vote_ballot>>;
    case WarpOperation::match_any:
      return wide ? ordering<match_any<std::uint64_t>> : ordering<match_any<std::uint32_t>>;
    case WarpOperation::match_all:
      return wide ? ordering<match_all<std::uint64_t>> : ordering<match_all<std::uint32_t>>;
    case WarpOperation::reduce_add:
      return reduce_handler<WarpOperation::reduce_add>(type);
    case WarpOperation::reduce_minimum:
      return reduce_handler<WarpOperation::reduce_minimum>(type);
    case WarpOperation::reduce_maximum:
      return reduce_handler<WarpOperation::reduce_maximum>(type);
    case WarpOperation::reduce_and:
      return reduce_handler<WarpOperation::reduce_and>(type);
    case WarpOperation::reduce_or:
      return reduce_handler<WarpOperation::reduce_or>(type);
    case WarpOperation::reduce_xor:
      return reduce_handler<WarpOperation::reduce_xor>(type);
    case WarpOperation::synchronise:
      return synchronise;
    case WarpOperation::active_mask:
      return active_mask;
    case WarpOperation::elect:
      return elect;
  }
  return nullptr;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
