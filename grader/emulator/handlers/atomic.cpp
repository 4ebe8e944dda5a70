// Atomic operations. PTX ISA 9.7.13.
//
// Lanes act one after another in lane order. On global memory other workers act at the same time, so each
// lane's operation is an atomic of the processor; shared memory belongs to the one thread that runs the
// block.
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <mutex>

#include "emulator/checks/unfenced_stores.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/units_of_work.h"
#include "emulator/handlers/access_checks.h"
#include "emulator/handlers/narrow_float.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

using ptx::Space;

/// One or two 16-bit floats, which add as add.f16 or add.bf16 does.
template <class F, class Bits>
struct HalfWord {
  Bits bits;

  HalfWord() = default;
  explicit HalfWord(std::uint32_t word) : bits(static_cast<Bits>(word)) {}
  explicit operator std::uint32_t() const { return bits; }
  friend HalfWord operator+(HalfWord a, HalfWord b) {
    std::uint32_t sum = 0;
    for (unsigned shift = 0; shift < 8 * sizeof(Bits); shift += 16) {
      const auto value = [shift](HalfWord word) {
        return F::value(static_cast<std::uint32_t>(word.bits) >> shift & 0xFFFF);
      };
      sum |= F::nearest(value(a) + value(b)) << shift;
    }
    return HalfWord(sum);
  }
};

template <AtomicOperation operation, class T>
T combine(T old, T value, T replacement) {
  switch (operation) {
    case AtomicOperation::add:
      if constexpr (std::is_integral_v<T>) {
        using U = std::make_unsigned_t<T>;
        return static_cast<T>(static_cast<U>(old) + static_cast<U>(value));
      } else if constexpr (std::is_floating_point_v<T>) {
        return with_nan_of(old + value, value, old);  // the order in which ptxas's loop adds
      } else {
        return old + value;
      }
    case AtomicOperation::exchange:
      return value;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    switch (operation) {
      case AtomicOperation::minimum:
        return value < old ? value : old;
      case AtomicOperation::maximum:
        return value > old ? value : old;
      case AtomicOperation::compare_exchange:
        return old == value ? replacement : old;
      case AtomicOperation::bit_and:
        return old & value;
      case AtomicOperation::bit_or:
        return old | value;
      case AtomicOperation::bit_xor:
        return old ^ value;
      case AtomicOperation::increment:
        return old >= value ? T{0} : static_cast<T>(old + 1);
      case AtomicOperation::decrement:
        return old == 0 || old > value ? value : static_cast<T>(old - 1);
      default:
        break;
    }
  }
  return old;
}

template <class T>
using BitsOf = std::conditional_t<sizeof(T) == 8, std::uint64_t,
                                  std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint16_t>>;

/// Global memory adds f32 without subnormals (PTX ISA, atom), and of two NaN that are f64 it keeps the
/// operand's.
template <AtomicOperation operation, class T>
T combine_global(T old, T value, T replacement) {
  if constexpr (operation == AtomicOperation::add && std::is_same_v<T, float>) {
    return flushed(combine<operation>(flushed(old), flushed(value), replacement));
  } else if constexpr (operation == AtomicOperation::add && std::is_same_v<T, double>) {
    return with_nan_of(old + value, old, value);
  } else {
    return combine<operation>(old, value, replacement);
  }
}

template <AtomicOperation operation, class T>
T apply_atomically(void* address, T value, T replacement) {
  using Bits = BitsOf<T>;
  auto* word = static_cast<Bits*>(address);
  if constexpr (operation == AtomicOperation::add &&
                std::is_integral_v<T>)  // succeeds at once, however many add
    return static_cast<T>(__atomic_fetch_add(word, static_cast<Bits>(value), __ATOMIC_SEQ_CST));
  Bits old = __atomic_load_n(word, __ATOMIC_SEQ_CST);
  while (!__atomic_compare_exchange_n(
      word, &old, std::bit_cast<Bits>(combine_global<operation>(std::bit_cast<T>(old), value, replacement)),
      false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
  }
  return std::bit_cast<T>(old);
}

template <AtomicOperation operation, class T>
T apply_plainly(void* address, T value, T replacement) {
  T old;
  std::memcpy(&old, address, sizeof old);
  const T result = combine<operation>(old, value, replacement);
  std::memcpy(address, &result, sizeof result);
  return old;
}

/// A number that one thread draws for itself or its block: that of the work to do next.
template <AtomicOperation operation, class T, bool shared>
void draw_number(Warp& warp, Mask active) {
  constexpr bool kCounts =
      operation == AtomicOperation::increment || (operation == AtomicOperation::add && std::is_integral_v<T>);
  if (!kCounts || !std::has_single_bit(active)) return;
  if (shared) {
    warp.path.end_unit();
  } else {
    execution::end_unit(*warp.block);
  }
}

/// Adds what all lanes of an address bring by one operation, with results as if they had come one after
/// another: other workers that add there wait for each other. Returns how many lanes changed something.
template <class T>
std::uint64_t add_together(Warp& warp, Mask active, const std::uint64_t* addresses, const Stored<T>* values,
                           Stored<T>* result) {
  std::uint64_t changes = 0;
  for (Mask left = active; left != 0;) {
    const std::uint64_t address = addresses[first_lane(left)];
    const Mask there = left & mask_of_lanes([&](unsigned lane) { return addresses[lane] == address; });
    left &= ~there;
    T sum = 0;
    for (Mask lanes = there; lanes != 0; lanes &= lanes - 1)
      sum = static_cast<T>(sum + lane_value<T>(values, first_lane(lanes)));
    T old = apply_atomically<AtomicOperation::add>(warp.block->grid->memory->host(address), sum, T{});
    for (Mask lanes = there; lanes != 0; lanes &= lanes - 1) {
      const unsigned lane = first_lane(lanes);
      const T value = lane_value<T>(values, lane);
      if (result != nullptr) result[lane] = stored<T>(old);
      old = static_cast<T>(old + value);
      changes += value != 0 ? 1U : 0U;
    }
  }
  return changes;
}

/// Lets lane after lane update its address. Returns how many changed something.
template <AtomicOperation operation, class T, bool shared>
std::uint64_t update_in_turn(Warp& warp, Mask active, const std::uint64_t* addresses, const Stored<T>* values,
                             const Stored<T>* replacements, Stored<T>* result) {
  checks::UnfencedStores* unfenced = shared ? nullptr : warp.block->grid->unfenced_stores;
  std::uint64_t changes = 0;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const T value = lane_value<T>(values, lane);
    const T replacement = replacements == nullptr ? T{} : lane_value<T>(replacements, lane);
    std::unique_lock<std::mutex> lock;
    if (unfenced != nullptr) {
      checks::UnfencedStores::count_atomic(*warp.block, addresses[lane]);
      lock = unfenced->begin_access(addresses[lane], sizeof(T));
    }
    const T old =
        shared ? apply_plainly<operation>(
                     reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(warp.block->shared.data()) +
                                             addresses[lane]),
                     value, replacement)
               : apply_atomically<operation>(warp.block->grid->memory->host(addresses[lane]), value,
                                             replacement);
    if (result != nullptr) result[lane] = stored<T>(old);
    const T now = combine<operation>(old, value, replacement);
    using Bytes = std::array<std::byte, sizeof(T)>;
    changes += std::bit_cast<Bytes>(now) != std::bit_cast<Bytes>(old) ? 1U : 0U;
  }
  return changes;
}

template <AtomicOperation operation, class T, bool shared>
void update_lanes(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses) {
  const auto* values = row<Stored<T>>(warp, i.b);
  const auto* replacements = i.c == kNoSlot ? nullptr : row<Stored<T>>(warp, i.c);
  auto* result = i.destination == kNoSlot ? nullptr : row<Stored<T>>(warp, i.destination);
  const auto update = [&] {
    if constexpr (!shared && operation == AtomicOperation::add && std::is_integral_v<T>) {
      // Of stores that others may miss each access is looked at by itself.
      if (warp.block->grid->unfenced_stores == nullptr)
        return add_together<T>(warp, active, addresses, values, result);
    }
    return update_in_turn<operation, T, shared>(warp, active, addresses, values, replacements, result);
  };
  warp.worker->changes += update();
  if (result != nullptr) draw_number<operation, T, shared>(warp, active);
}

template <AtomicOperation operation, class T>
void update_global(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses) {
  const auto brought = [&](unsigned lane) {
    const auto operand = [&](Slot slot) {
      return slot == kNoSlot ? 0 : row<BitsOf<Stored<T>>>(warp, slot)[lane];
    };
    return std::array<std::uint64_t, 2>{operand(i.b), operand(i.c)};
  };
  // A vector's first element answers for all of them.
  if (check_global_atomic(warp, i, active, addresses, i.width, brought)) {
    update_lanes<operation, T, false>(warp, i, active, addresses);
    checks::acquire(warp);
  }
}

template <AtomicOperation operation, class T>
void update_shared(Warp& warp, const Instruction& i, Mask active, std::uint64_t* addresses) {
  if (execution::names_rank(active, addresses)) [[unlikely]] {
    const Mask others = execution::other_blocks(warp, active, addresses);
    if (others != 0) {
      if (!execution::locate_in_cluster(warp, i, others, addresses, sizeof(T), AccessKind::atomic)) return;
      leave_beyond_block(warp, i, AccessKind::atomic);
      update_lanes<operation, T, true>(warp, i, others, addresses);
      acquire_beyond_block(warp, i);
      active &= ~others;
      if (active == 0) return;
    }
  }
  if (check_shared<AccessKind::atomic>(warp, i, active, addresses, sizeof(T), false, nullptr)) {
    update_lanes<operation, T, true>(warp, i, active, addresses);
  }
}

template <AtomicOperation operation, class T, Space space>
void update(Warp& warp, const Instruction& i, Mask active) {
  alignas(64) std::uint64_t addresses[kLanes];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    addresses[lane] = (i.detail & access::kAddress64) != 0
                          ? row<std::uint64_t>(warp, i.a)[lane] + static_cast<std::uint64_t>(i.offset)
                          : row<std::uint32_t>(warp, i.a)[lane] + static_cast<std::uint32_t>(i.offset);
  }
  if (space == Space::shared) {
    update_shared<operation, T>(warp, i, active, addresses);
  } else if (space == Space::global) {
    update_global<operation, T>(warp, i, active, addresses);
  } else {
    const Mask in_shared = active & mask_of_lanes([&](unsigned l) {
                             return addresses[l] / kWindowBytes == kSharedWindow / kWindowBytes;
                           });
    if (in_shared != active) update_global<operation, T>(warp, i, active & ~in_shared, addresses);
    if (in_shared != 0 && !warp.stop) {
      for (std::uint64_t& address : addresses) address %= kWindowBytes;
      update_shared<operation, T>(warp, i, in_shared, addresses);
    }
  }
}

template <AtomicOperation operation, class T>
Handler in_space(Space space) {
  switch (space) {
    case Space::generic:
      return update<operation, T, Space::generic>;
    case Space::global:
      return update<operation, T, Space::global>;
    case Space::shared:
      return update<operation, T, Space::shared>;
    default:
      return nullptr;
  }
}

}  // namespace

Handler atomic_handler(Space space, AtomicOperation operation, ptx::Type type) {
  using ptx::Type;
  using enum AtomicOperation;
  const bool wide = ptx::bytes_of(type) == 8;
  // Bit operations ask for nothing but the width.
  const bool word = wide || ptx::bytes_of(type) == 4;
  if (!word && operation != add && !(operation == compare_exchange && type == Type::b16)) return nullptr;
  switch (operation) {
    case add:
      switch (type) {
        case Type::u32:
        case Type::s32:
          return in_space<add, std::uint32_t>(space);
        case Type::u64:
        case Type::s64:
          return in_space<add, std::uint64_t>(space);
        case Type::f32:
          return in_space<add, float>(space);
        case Type::f64:
          return in_space<add, double>(space);
        case Type::f16:
          return in_space<add, HalfWord<Half, std::uint16_t>>(space);
        case Type::f16x2:
          return in_space<add, HalfWord<Half, std::uint32_t>>(space);
        case Type::bf16:
          return in_space<add, HalfWord<Bfloat16, std::uint16_t>>(space);
        case Type::bf16x2:
          return in_space<add, HalfWord<Bfloat16, std::uint32_t>>(space);
        default:
          return nullptr;
      }
    case minimum:
      switch (type) {
        case Type::u32:
          return in_space<minimum, std::uint32_t>(space);
        case Type::s32:
          return in_space<minimum, std::int32_t>(space);
        case Type::u64:
          return in_space<minimum, std::uint64_t>(space);
        case Type::s64:
          return in_space<minimum, std::int64_t>(space);
        default:
          return nullptr;
      }
    case maximum:
      switch (type) {
        case Type::u32:
          return in_space<maximum, std::uint32_t>(space);
        case Type::s32:
          return in_space<maximum, std::int32_t>(space);
        case Type::u64:
          return in_space<maximum, std::uint64_t>(space);
        case Type::s64:
          return in_space<maximum, std::int64_t>(space);
        default:
          return nullptr;
      }
    case bit_and:
      return wide ? in_space<bit_and, std::uint64_t>(space) : in_space<bit_and, std::uint32_t>(space);
    case bit_or:
      return wide ? in_space<bit_or, std::uint64_t>(space) : in_space<bit_or, std::uint32_t>(space);
    case bit_xor:
      return wide ? in_space<bit_xor, std::uint64_t>(space) : in_space<bit_xor, std::uint32_t>(space);
    case exchange:
      return wide ? in_space<exchange, std::uint64_t>(space) : in_space<exchange, std::uint32_t>(space);
    case compare_exchange:
      if (type == Type::b16) return in_space<compare_exchange, std::uint16_t>(space);
      return wide ? in_space<compare_exchange, std::uint64_t>(space)
                  : in_space<compare_exchange, std::uint32_t>(space);
    case increment:
      return type == Type::u32 ? in_space<increment, std::uint32_t>(space) : nullptr;
    case decrement:
      return type == Type::u32 ? in_space<decrement, std::uint32_t>(space) : nullptr;
  }
  return nullptr;
}

// membar and fence: what the block wrote before is visible to whoever sees what it writes next, and the other
// way.
void fence_handler(Warp& warp, const Instruction&, Mask) {
  checks::release(warp);
  checks::acquire(warp);
}

// Those of the block alone.
void block_fence_handler(Warp& warp, const Instruction&, Mask) {
  checks::release_in_block(warp);
  checks::acquire_in_block(warp);
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
