// Loads and stores: bounds, alignment, counters, checks, then the data. PTX ISA 9.7.9.8 to 9.7.9.11.
//
// The checks of each space live in access_checks.h; this file finds the space, the addresses
// and the rows. What a lane touches is checked before any lane's data moves.
#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <cstring>

#include "emulator/checks/unfenced_stores.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/cluster.h"
#include "emulator/handlers/access_checks.h"
#include "emulator/handlers/addresses.h"
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

using ptx::Space;

/// Host addresses of one space, as a function of the lane.
struct GlobalHost {
  const GlobalMemory* memory;
  std::byte* operator()(std::uint64_t address, unsigned) const { return memory->host(address); }
};
/// Offsets may lead to another block of the cluster: see locate_in_cluster.
struct SharedHost {
  std::byte* base;
  std::byte* operator()(std::uint64_t offset, unsigned) const {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::uintptr_t>(base) + offset);
  }
};
struct LocalHost {
  std::byte* base;
  std::size_t lane_bytes;
  std::byte* operator()(std::uint64_t offset, unsigned lane) const {
    return base + lane * lane_bytes + offset;
  }
};

/// Moves the data of a load. T is an element in memory, R a row's word.
template <class T, class R, unsigned count, class Host>
inline void load_lanes(Warp& warp, const Instruction& i, Mask active, const Addresses& addresses, Host host) {
  R* rows[count];
  for (unsigned k = 0; k < count; ++k) rows[k] = i.vector[k] == kNoSlot ? nullptr : row<R>(warp, i.vector[k]);
  for (Mask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    const std::byte* from = host(addresses.of[lane], lane);
    T elements[count];
    std::memcpy(elements, from, sizeof elements);
    for (unsigned k = 0; k < count; ++k) {
      if (rows[k] != nullptr) rows[k][lane] = static_cast<R>(elements[k]);
    }
  }
}

/// A load of the same bytes by all lanes.
template <class T, class R, unsigned count>
inline void broadcast(Warp& warp, const Instruction& i, const std::byte* from) {
  T elements[count];
  std::memcpy(elements, from, sizeof elements);
  for (unsigned k = 0; k < count; ++k) {
    if (i.vector[k] == kNoSlot) continue;
    R* values = row<R>(warp, i.vector[k]);
    for (unsigned lane = 0; lane < kLanes; ++lane) values[lane] = static_cast<R>(elements[k]);
  }
}

template <class T, class R, unsigned count, class Host>
inline void store_lanes(Warp& warp, const Instruction& i, Mask active, const Addresses& addresses,
                        Host host) {
  const R* rows[count];
  for (unsigned k = 0; k < count; ++k) rows[k] = row<R>(warp, i.vector[k]);
  for (Mask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    T elements[count];
    for (unsigned k = 0; k < count; ++k) elements[k] = static_cast<T>(rows[k][lane]);
    std::memcpy(host(addresses.of[lane], lane), elements, sizeof elements);
  }
}

/// True when all lanes are active and lane l accesses addresses[0] + l × width.
inline bool unit_stride(Mask active, const Addresses& addresses, unsigned width) {
  if (active != kAllLanes) return false;
  std::uint64_t difference = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    difference |= addresses.of[lane] ^ (addresses.of[0] + lane * width);
  return difference == 0;
}

template <class T, class R, unsigned count, bool is_store, class Host>
inline void move_data(Warp& warp, const Instruction& i, Mask active, const Addresses& addresses,
                      bool contiguous, Host host) {
  if constexpr (count == 1 && !std::is_same_v<Host, LocalHost>) {
    if (contiguous && i.vector[0] != kNoSlot) {
      auto* memory = reinterpret_cast<T*>(host(addresses.of[0], 0));
      R* values = row<R>(warp, i.vector[0]);
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        if constexpr (is_store) {
          memory[lane] = static_cast<T>(values[lane]);
        } else {
          values[lane] = static_cast<R>(memory[lane]);
        }
      }
      return;
    }
  }
  if constexpr (is_store) {
    store_lanes<T, R, count>(warp, i, active, addresses, host);
  } else if (!std::is_same_v<Host, LocalHost> && active == kAllLanes && is_uniform(active, addresses.of)) {
    broadcast<T, R, count>(warp, i, host(addresses.of[0], 0));
  } else {
    load_lanes<T, R, count>(warp, i, active, addresses, host);
  }
}

/// What a store is about to write: `value(lane, to)` copies a lane's elements to `to`.
template <class T, class R, unsigned count>
inline auto stored_values(const Warp& warp, const Instruction& i) {
  return [&warp, &i](unsigned lane, std::byte* to) {
    T elements[count];
    for (unsigned k = 0; k < count; ++k) elements[k] = static_cast<T>(row<R>(warp, i.vector[k])[lane]);
    std::memcpy(to, elements, sizeof elements);
  };
}

/// Stores lane after lane, of which other blocks may miss those that no fence follows. `value`: as of
/// stored_values.
template <unsigned width, class Value>
[[gnu::noinline]] void store_unfenced(Warp& warp, const Instruction& i, Mask active,
                                      const Addresses& addresses, const Value& value) {
  checks::UnfencedStores& unfenced = *warp.block->grid->unfenced_stores;
  // Narrower ones take no part, as in the check for races; a release is its own fence.
  const bool may_be_missed = width >= 4 && (i.detail & access::kRelease) == 0;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::uint64_t address = addresses.of[lane];
    checks::UnfencedStores::count_store(*warp.block, address);
    std::array<std::byte, width> stored;
    value(lane, stored.data());
    const auto lock = may_be_missed ? unfenced.begin_store(warp, i, address, width, stored.data())
                                    : unfenced.begin_access(address, width);
    std::memcpy(warp.block->grid->memory->host(address), stored.data(), width);
  }
}

/// Behind a load: gives lanes that miss a store what was there before.
template <class T, class R, unsigned count>
[[gnu::noinline]] void miss_unfenced(Warp& warp, const Instruction& i, Mask active,
                                     const Addresses& addresses) {
  constexpr unsigned kWidth = sizeof(T) * count;
  checks::UnfencedStores& unfenced = *warp.block->grid->unfenced_stores;
  if (!warp.missed_looks.empty()) unfenced.look_again(warp, i, active, addresses.of);
  std::atomic_thread_fence(std::memory_order_acquire);  // what was loaded may be of a store that is here now
  Mask suspects = 0;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if (unfenced.may_hold(addresses.of[lane])) suspects |= Mask{1} << lane;
  }
  if (suspects == 0) return;
  std::array<std::byte, std::size_t{kLanes} * kWidth> found;
  const Mask missing = unfenced.look(warp, i, suspects, addresses.of, kWidth, found.data());
  const auto found_by = [&](std::uint64_t, unsigned lane) {
    return found.data() + std::size_t{lane} * kWidth;
  };
  load_lanes<T, R, count>(warp, i, missing, addresses, found_by);
}

template <class T, class R, unsigned count, bool is_store, bool constant = false>
void access_global(Warp& warp, const Instruction& i, Mask active, const Addresses& addresses) {
  constexpr unsigned kWidth = sizeof(T) * count;
  const bool contiguous = unit_stride(active, addresses, kWidth);
  const bool may_be_unfenced =
      (i.detail & access::kSynchronising) != 0 && warp.block->grid->unfenced_stores != nullptr;
  if constexpr (is_store) {
    const auto value = stored_values<T, R, count>(warp, i);
    if (check_global_store(warp, i, active, addresses.of, kWidth, contiguous, value) != StoreCheck::passed)
      return;
    if (may_be_unfenced) return store_unfenced<kWidth>(warp, i, active, addresses, value);
  } else {
    if (!check_global_load(warp, i, active, addresses.of, kWidth, contiguous, constant)) return;
  }
  move_data<T, R, count, is_store>(warp, i, active, addresses, contiguous,
                                   GlobalHost{warp.block->grid->memory});
  if constexpr (!is_store) {
    if (may_be_unfenced) miss_unfenced<T, R, count>(warp, i, active, addresses);
  }
  // Behind the load: what another block has released until then may be what the load has found. Relaxed and
  // volatile loads leave that to a fence behind them.
  if (!is_store && (i.detail & access::kAcquire) != 0) checks::acquire(warp);
}

template <class T, class R, unsigned count, bool is_store>
void access_shared(Warp& warp, const Instruction& i, Mask active, Addresses& addresses) {
  constexpr unsigned kWidth = sizeof(T) * count;
  const SharedHost host{warp.block->shared.data()};
  if (execution::names_rank(active, addresses.of)) [[unlikely]] {
    const Mask others = execution::other_blocks(warp, active, addresses.of);
    if (others != 0) {
      const AccessKind kind = is_store ? AccessKind::store : AccessKind::load;
      if (!execution::locate_in_cluster(warp, i, others, addresses.of, kWidth, kind)) return;
      leave_beyond_block(warp, i, kind);
      move_data<T, R, count, is_store>(warp, i, others, addresses, false, host);
      acquire_beyond_block(warp, i);
      active &= ~others;
      if (active == 0) return;
    }
  }
  const bool contiguous = unit_stride(active, addresses, kWidth);
  if constexpr (is_store) {
    const auto value = stored_values<T, R, count>(warp, i);
    if (!check_shared_store(warp, i, active, addresses.of, kWidth, contiguous, value)) return;
  } else {
    if (!check_shared_load(warp, i, active, addresses.of, kWidth, contiguous)) return;
  }
  move_data<T, R, count, is_store>(warp, i, active, addresses, contiguous, host);
}

template <class T, class R, unsigned count, bool is_store>
void access_local(Warp& warp, const Instruction& i, Mask active, const Addresses& addresses) {
  constexpr unsigned kWidth = sizeof(T) * count;
  if (!check_local(warp, i, active, addresses.of, kWidth, is_store)) return;
  move_data<T, R, count, is_store>(warp, i, active, addresses, false,
                                   LocalHost{warp.local.data(), warp.local_bytes});
}

template <class T, class R, unsigned count>
void load_parameter_window(Warp& warp, const Instruction& i, Mask active, const Addresses& addresses) {
  constexpr unsigned kWidth = sizeof(T) * count;
  if (!check_parameters(warp, i, active, addresses.of, kWidth)) return;
  move_data<T, R, count, false>(warp, i, active, addresses, false,
                                SharedHost{warp.block->grid->parameters.data()});
}

/// Sends each lane to the space that its generic address lies in.
template <class T, class R, unsigned count, bool is_store>
void access_generic(Warp& warp, const Instruction& i, Mask active, Addresses& addresses) {
  Mask left = active;
  while (left != 0 && !warp.stop) {
    const std::uint64_t window = addresses.of[std::countr_zero(left)] / kWindowBytes;
    const bool global = window * kWindowBytes >= kGlobalBegin;
    const Mask same =
        left & mask_of_lanes([&](unsigned l) {
          return global ? addresses.of[l] >= kGlobalBegin : addresses.of[l] / kWindowBytes == window;
        });
    left &= ~same;
    Addresses inside = addresses;
    if (!global) {
      for (std::uint64_t& address : inside.of) address %= kWindowBytes;
    }
    if (window == kSharedWindow / kWindowBytes) {
      access_shared<T, R, count, is_store>(warp, i, same, inside);
    } else if (window == kLocalWindow / kWindowBytes) {
      access_local<T, R, count, is_store>(warp, i, same, inside);
    } else if (!is_store && window == kParameterWindow / kWindowBytes) {
      load_parameter_window<T, R, count>(warp, i, same, inside);
    } else {
      access_global<T, R, count, is_store>(warp, i, same, addresses);
    }
  }
}

template <class T, class R, unsigned count, bool is_store, Space space>
void access_memory(Warp& warp, const Instruction& i, Mask active) {
  Addresses addresses;
  compute_addresses(warp, i, addresses);
  switch (space) {
    case Space::constant:
      if (checks::check_constant(warp, i, active, addresses.of, sizeof(T) * count))
        access_global<T, R, count, is_store, true>(warp, i, active, addresses);
      break;
    case Space::global:
      access_global<T, R, count, is_store>(warp, i, active, addresses);
      break;
    case Space::shared:
      access_shared<T, R, count, is_store>(warp, i, active, addresses);
      break;
    case Space::local:
      access_local<T, R, count, is_store>(warp, i, active, addresses);
      break;
    case Space::param:
      if constexpr (!is_store) load_parameter_window<T, R, count>(warp, i, active, addresses);
      break;
    case Space::generic:
      access_generic<T, R, count, is_store>(warp, i, active, addresses);
      break;
  }
}

template <class T, class R, bool is_store, Space space>
void access_rows(Warp& warp, const Instruction& i, Mask active) {
  switch (i.detail & access::kCountMask) {
    case 1:
      access_memory<T, R, 1, is_store, space>(warp, i, active);
      break;
    case 2:
      access_memory<T, R, 2, is_store, space>(warp, i, active);
      break;
    case 4:
      if constexpr (sizeof(T) <= 4 || space == Space::global)
        access_memory<T, R, 4, is_store, space>(warp, i, active);
      break;
    default:
      break;
  }
}

template <class T, class R, bool is_store>
Handler in_space(Space space) {
  switch (space) {
    case Space::generic:
      return access_rows<T, R, is_store, Space::generic>;
    case Space::global:
      return access_rows<T, R, is_store, Space::global>;
    case Space::shared:
      return access_rows<T, R, is_store, Space::shared>;
    case Space::local:
      return access_rows<T, R, is_store, Space::local>;
    case Space::constant:
      return is_store ? nullptr : access_rows<T, R, is_store, Space::constant>;
    case Space::param:
      return is_store ? nullptr : access_rows<T, R, is_store, Space::param>;
  }
  return nullptr;
}

/// Loads extend to the register by the sign of the type; stores cut.
template <bool is_store>
Handler access_handler(Space space, ptx::Type type, bool wide) {
  using ptx::Type;
  switch (type) {
    case Type::s8:
      if (!is_store)
        return wide ? in_space<std::int8_t, std::uint64_t, is_store>(space)
                    : in_space<std::int8_t, std::uint32_t, is_store>(space);
      [[fallthrough]];
    case Type::b8:
    case Type::u8:
      return wide ? in_space<std::uint8_t, std::uint64_t, is_store>(space)
                  : in_space<std::uint8_t, std::uint32_t, is_store>(space);
    case Type::s16:
      if (!is_store)
        return wide ? in_space<std::int16_t, std::uint64_t, is_store>(space)
                    : in_space<std::int16_t, std::uint32_t, is_store>(space);
      [[fallthrough]];
    case Type::b16:
    case Type::u16:
    case Type::f16:
    case Type::bf16:
      return wide ? in_space<std::uint16_t, std::uint64_t, is_store>(space)
                  : in_space<std::uint16_t, std::uint32_t, is_store>(space);
    case Type::s32:
      if (!is_store && wide) return in_space<std::int32_t, std::uint64_t, is_store>(space);
      [[fallthrough]];
    case Type::b32:
    case Type::u32:
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2:
      return wide ? in_space<std::uint32_t, std::uint64_t, is_store>(space)
                  : in_space<std::uint32_t, std::uint32_t, is_store>(space);
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return wide ? in_space<std::uint64_t, std::uint64_t, is_store>(space) : nullptr;
    default:
      return nullptr;
  }
}

/// A kernel parameter has one value for all lanes.
template <class T, class R>
void load_parameter(Warp& warp, const Instruction& i, Mask active) {
  const unsigned count = i.detail & access::kCountMask;
  for (unsigned k = 0; k < count; ++k) {
    if (i.vector[k] == kNoSlot) continue;
    T value;
    std::memcpy(&value, warp.block->grid->parameters.data() + i.offset + k * sizeof(T), sizeof value);
    for_lanes<R>(row<R>(warp, i.vector[k]), active, [=](unsigned) { return static_cast<R>(value); });
  }
}

}  // namespace

Handler load_handler(Space space, ptx::Type type, bool wide) {
  return access_handler<false>(space, type, wide);
}
Handler store_handler(Space space, ptx::Type type, bool wide) {
  return access_handler<true>(space, type, wide);
}

Handler parameter_handler(ptx::Type type, bool wide) {
  using ptx::Type;
  switch (type) {
    case Type::s8:
      return wide ? load_parameter<std::int8_t, std::uint64_t> : load_parameter<std::int8_t, std::uint32_t>;
    case Type::b8:
    case Type::u8:
      return wide ? load_parameter<std::uint8_t, std::uint64_t> : load_parameter<std::uint8_t, std::uint32_t>;
    case Type::s16:
      return wide ? load_parameter<std::int16_t, std::uint64_t> : load_parameter<std::int16_t, std::uint32_t>;
    case Type::b16:
    case Type::u16:
    case Type::f16:
    case Type::bf16:
      return wide ? load_parameter<std::uint16_t, std::uint64_t>
                  : load_parameter<std::uint16_t, std::uint32_t>;
    case Type::s32:
      return wide ? load_parameter<std::int32_t, std::uint64_t>
                  : load_parameter<std::uint32_t, std::uint32_t>;
    case Type::b32:
    case Type::u32:
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2:
      return wide ? load_parameter<std::uint32_t, std::uint64_t>
                  : load_parameter<std::uint32_t, std::uint32_t>;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64:
      return wide ? load_parameter<std::uint64_t, std::uint64_t> : nullptr;
    default:
      return nullptr;
  }
}

void space_test_handler(Warp& warp, const Instruction& i, Mask active) {
  const auto* address = row<std::uint64_t>(warp, i.a);
  const auto space = static_cast<Space>(i.detail);
  const Mask result = mask_of_lanes([=](unsigned l) {
    const std::uint64_t window = address[l] / kWindowBytes * kWindowBytes;
    switch (space) {
      case Space::shared:
        return window == kSharedWindow;
      case Space::local:
        return window == kLocalWindow;
      case Space::param:
        return window == kParameterWindow;
      default:
        return address[l] >= kGlobalBegin && address[l] < kGlobalEnd;
    }
  });
  set_predicate(warp, i.destination, result, active);
}

/// As examine_global_load, of the part of a lane's element that a copy reads.
void examine_part(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t from, std::uint32_t bytes) {
  std::uint64_t addresses[kLanes] = {};
  addresses[lane] = from;
  checks::examine_uninitialised_global(warp, i, Mask{1} << lane, addresses, bytes);
  if (!warp.block->grid->many_threads) return;
  for (std::uint32_t width = 4; bytes != 0; bytes -= width, addresses[lane] += width) {
    if (bytes < width) width = 1;
    GlobalRaceCheck<AccessKind::load>(warp, i, Mask{1} << lane, addresses, width)
        .check(Runs{Mask{1} << lane, 0});
  }
}

// cp.async: the data is read at once and arrives later (async_copies.h). Row c, where present, is the number
// of bytes that are copied, the rest being zero; lanes of the predicate vector[0] copy none.
void copy_async_handler(Warp& warp, const Instruction& i, Mask active) {
  Addresses to, from;
  compute_addresses(warp, i, to);
  const auto* source = row<std::uint64_t>(warp, i.b);
  for (unsigned lane = 0; lane < kLanes; ++lane) from.of[lane] = source[lane];
  const unsigned width = i.width;
  const auto* bytes = i.c == kNoSlot ? nullptr : row<std::uint32_t>(warp, i.c);
  Mask whole = active, parts = 0;
  if (bytes != nullptr) {
    whole &= mask_of_lanes([=](unsigned l) { return bytes[l] >= width; });
    parts = active & ~whole & mask_of_lanes([=](unsigned l) { return bytes[l] != 0; });
  }
  if (i.vector[0] != kNoSlot) {
    const Mask ignored = warp.predicates[i.vector[0]] ^ ((i.reads_flags & 8) != 0 ? kAllLanes : 0);
    whole &= ~ignored;
    parts &= ~ignored;
  }
  const bool contiguous = unit_stride(whole, from, width);
  if (whole != 0 && !check_global_range(warp, i, whole, from.of, width, contiguous, AccessKind::load)) return;
  for (Mask left = parts; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if ((from.of[lane] & (width - 1)) != 0) {
      return checks::report_misaligned(warp, i, Mask{1} << lane, from.of, width, AccessKind::load);
    }
    if (!checks::locate_global(warp, i, Mask{1} << lane, from.of, bytes[lane], AccessKind::load)) return;
    if (warp.block->grid->checks) examine_part(warp, i, lane, from.of[lane], bytes[lane]);
  }
  // A GPU moves the whole of what is copied in part. Whether it moves anything for no bytes is not known.
  if (const Mask read = whole | parts; read != 0) {
    count_global(warp, i, read, from.of, width, unit_stride(read, from, width), AccessKind::load);
  }
  if (whole != 0) examine_global_load(warp, i, whole, from.of, width, contiguous);
  alignas(16) std::byte data[kLanes][16] = {};
  for (Mask left = whole | parts; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::size_t read = (parts >> lane & 1) != 0 ? bytes[lane] : width;
    std::memcpy(data[lane], warp.block->grid->memory->host(from.of[lane]), read);
  }
  const auto value_bytes = [&](unsigned lane, std::byte* value) { std::memcpy(value, data[lane], width); };
  if (!check_shared_store(warp, i, active, to.of, width, unit_stride(active, to, width), value_bytes)) return;
  for (Mask left = active; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    execution::issue_copy(warp, i, lane, static_cast<std::uint32_t>(to.of[lane]), data[lane]);
  }
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
