#include "emulator/checks/violations.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "emulator/checks/synchronisation.h"
#include "emulator/program/handlers.h"

namespace lockstep::emulator::checks {
namespace {

const ptx::Operand* address_of(const ptx::Instruction& i) {
  const auto found = std::ranges::find(i.operands, ptx::Operand::Kind::address, &ptx::Operand::kind);
  return found == i.operands.end() ? nullptr : &*found;
}

bool is_same_address(const ptx::Operand& a, const ptx::Operand& b) {
  const ptx::Operand &base_a = a.elements.front(), &base_b = b.elements.front();
  return a.offset == b.offset && base_a.kind == base_b.kind && base_a.index == base_b.index &&
         base_a.name == base_b.name && base_a.bits == base_b.bits;
}

/// Whether an instruction of the function that runs is the load or the store of an update of one element,
/// such as `count[k] += 1`: its line has the other half nearby, at the same address.
bool is_half_of_update(const Warp& warp, std::uint32_t place) {
  constexpr std::size_t kNearby = 64;  // instructions: many accesses may be reported
  if (warp.current >= warp.splits.size()) return false;
  const Function& function = *warp.splits[warp.current].frame.function;
  const std::vector<ptx::Instruction>& source = function.source->instructions;
  const std::size_t at = std::size_t{place} - function.first_place;
  if (place < function.first_place || at >= source.size()) return false;
  const ptx::Operand* const address = address_of(source[at]);
  const std::string_view half = source[at].opcode == "ld" ? "st" : source[at].opcode == "st" ? "ld" : "";
  if (address == nullptr || half.empty()) return false;
  const std::size_t last = std::min(source.size(), at + kNearby);
  for (std::size_t k = at - std::min(at, kNearby); k < last; ++k) {
    if (source[k].opcode != half) continue;
    const ptx::Operand* const other = address_of(source[k]);
    if (other != nullptr && is_same_address(*address, *other) &&
        place_of_id(warp, function.first_place + static_cast<std::uint32_t>(k)).line ==
            place_of_id(warp, place).line) {
      return true;
    }
  }
  return false;
}

Finding::Access access_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return Finding::Access::read;
    case AccessKind::store:
      return Finding::Access::write;
    case AccessKind::atomic:
      return Finding::Access::atomic;
  }
  return Finding::Access::none;
}

/// A finding of one lane's access to `width` bytes at `address`.
Finding make_access(const Warp& warp, const Instruction& i, unsigned lane, Finding::Cause cause,
                    AccessKind kind, std::uint64_t address, unsigned width) {
  Finding finding = make_finding(warp, i.id, lane, cause);
  finding.access = access_of(kind);
  finding.address = address;
  finding.width = width;
  return finding;
}

/// Who did an earlier access.
struct EarlierParty {
  Finding::Other who = Finding::Other::none;
  std::uint32_t number = 0;
};

EarlierParty thread_of(std::uint32_t thread) { return {Finding::Other::thread, thread}; }

/// Whether a finding of that kind for the lane at `place` need not be made: it has been counted as one known.
bool has_counted(const Warp& warp, std::uint32_t place, unsigned lane, Finding::Kind kind,
                 Finding::Scope scope, const SourceLine& other_line, std::uint64_t count = 1) {
  const Grid& grid = *warp.block->grid;
  const std::array<std::uint32_t, 3> thread = {warp.thread_x[lane], warp.thread_y[lane], warp.thread_z[lane]};
  return grid.findings->has_counted({kind, scope, grid.kernel->info.name, place_of_id(warp, place).line,
                                     other_line, warp.block->index, thread},
                                    count);
}

/// A race of an access with an earlier one at another place.
Finding make_race(const Warp& warp, const Instruction& i, unsigned lane, Finding::Cause cause,
                  AccessKind kind, std::uint64_t address, unsigned width, std::uint32_t other_place,
                  bool other_read, EarlierParty other) {
  Finding finding = make_access(warp, i, lane, cause, kind, address, width);
  finding.other = other.who;
  finding.other_number = other.number;
  finding.other_line = place_of_id(warp, other_place).line;
  finding.other_access = other_read ? Finding::Access::read : Finding::Access::write;
  finding.of_updates = is_half_of_update(warp, i.id) && is_half_of_update(warp, other_place);
  return finding;
}

/// A finding of lanes that do not do an instruction together as they must.
Finding make_lanes(const Warp& warp, const Instruction& i, unsigned lane, Finding::Cause cause,
                   std::vector<std::int64_t> numbers) {
  Finding finding = make_finding(warp, i.id, lane, cause, std::move(numbers));
  finding.scope = Finding::Scope::warp;
  finding.name = place_of_id(warp, i.id).instruction;
  return finding;
}

/// A word that a copy will write, which its thread has not waited for.
void report_in_flight(Warp& warp, const Instruction& i, unsigned lane, std::uint32_t word,
                      std::uint32_t offset, unsigned width, AccessKind kind) {
  const state::SharedShadow& shadow = warp.block->shadow;
  const std::uint32_t copy = shadow.write_place[word];
  const std::uint32_t thread = shadow.writer[word] & (state::kAtomicWriter - 1);
  const bool own = thread == warp.index * kLanes + lane;
  if (has_counted(warp, i.id, lane, Finding::Kind::race, Finding::Scope::none, place_of_id(warp, copy).line))
    return;
  Finding finding = make_race(warp, i, lane, Finding::Cause::copy_not_awaited, kind, offset, width, copy,
                              false, own ? EarlierParty{Finding::Other::same_thread} : thread_of(thread));
  finding.space = Finding::Space::shared;
  warp.block->grid->findings->add(std::move(finding));
}

/// Remembers what a load into registers found, from the next instruction on.
void await_use(Warp& warp, const Instruction& i, bool shared, unsigned lane, std::uint32_t uninitialised,
               std::uint64_t address) {
  warp.undefined.find(i, shared, lane, uninitialised, address);
  warp.end = &i + 1;
}

/// Reports what reads otherwise than into registers. `address`: what the first of the lanes has read there.
void report_now(Warp& warp, const Instruction& i, bool shared, Mask lanes, std::uint64_t address) {
  UninitialisedRead read{.load = &i, .shared = shared, .lanes = lanes};
  read.bytes[first_lane(lanes)] = 1;
  read.accessed[first_lane(lanes)] = address;
  report_uninitialised(warp, read, i.id);
}

/// Whether what the other block did happened before what this block does now: it has released that and left
/// something behind the release, and this block has acquired something since.
bool ordered_between_blocks(const Warp& warp, const memory::Touch& other) {
  const Grid& grid = *warp.block->grid;
  if (grid.acquired == nullptr) return grid.kernel->orders_blocks;  // too many blocks to know
  if (grid.acquired[warp.block->linear].load(std::memory_order_relaxed) <= other.time) return false;
  if (other.block == memory::kManyBlocks) return true;
  return grid.signalled[other.block].load(std::memory_order_relaxed) > other.time;
}

/// Until when accesses of another warp of the block are ordered before what this warp does.
state::Time seen_of(const Warp& warp, std::uint32_t other_warp) {
  const ThreadBlock& block = *warp.block;
  return block.seen.empty() ? warp.ordered : block.seen[warp.index * block.warp_count + other_warp];
}

/// Whether a moment stands for several warps of which it is not known whether anything ordered them: barriers
/// of some warps, or fences, may have.
bool is_of_several_warps(const Warp& warp, memory::Moment moment) {
  const ThreadBlock& block = *warp.block;
  const bool fences = std::ranges::any_of(block.warps, [](const Warp& w) { return w.fenced != 0; });
  return (moment & memory::kSeveralWarps) != 0 && block.seen.empty() && !fences;
}

/// Whether a moment of this block is the warp's own, as far as is known.
bool is_of_warp(const Warp& warp, memory::Moment moment) {
  return (moment & memory::kMomentWarps) == warp.index && !is_of_several_warps(warp, moment);
}

/// The lane that a moment of a word or a byte names; kSeveralLanes for more than one.
unsigned lane_of(memory::Moment moment) {
  return (moment & memory::kMomentSharers) == memory::kSeveralThreads
             ? kSeveralLanes
             : (moment & memory::kMomentLanes) >> memory::kMomentLaneShift;
}

/// Whether what a moment of this block names happened before what other threads of this warp do now: behind a
/// barrier, or, as between blocks, behind a fence of the one and one of this block.
bool ordered_within_block(const Warp& warp, memory::Moment moment) {
  const ThreadBlock& block = *warp.block;
  const std::uint32_t time = moment >> memory::kMomentTimeShift, other = moment & memory::kMomentWarps;
  if (time == 0 || other >= block.warp_count) return true;
  const state::Time then = block.moments_begin + time - 1;
  if (then <= (is_of_warp(warp, moment) ? warp.synced : seen_of(warp, other))) return true;
  return block.warps[other].fenced >= then && block.acquired > then;
}

/// Whom a moment names to a warp of the same block.
EarlierParty party_of(const Warp& warp, memory::Moment moment) {
  const std::uint32_t other = moment & memory::kMomentWarps;
  if (other != warp.index) return {Finding::Other::warp, other};
  if (!is_of_warp(warp, moment)) return {Finding::Other::another_warp};
  const unsigned lane = lane_of(moment);
  return lane == kSeveralLanes ? EarlierParty{Finding::Other::threads_of_warp}
                               : thread_of(other * kLanes + lane);
}

/// The function at an address; null when the kernel's module has none there.
const ptx::Function* function_named_at(const program::Program& program, std::uint64_t address) {
  for (const ptx::Function& function : program.source.functions) {
    const auto index = program.function_indices.find(function.name);
    if (index != program.function_indices.end() && program.functions_begin + index->second == address) {
      return &function;
    }
  }
  return nullptr;
}

/// Why a call through a pointer of this value cannot be done.
Finding make_wrong_callee(const Warp& warp, std::uint32_t place, unsigned lane, std::uint64_t address) {
  using enum Finding::Cause;
  const program::Kernel& kernel = *warp.block->grid->kernel;
  const auto make = [&](Finding::Cause cause, std::string name = {}) {
    Finding finding = make_finding(warp, place, lane, cause);
    finding.address = address;
    finding.name = std::move(name);
    return finding;
  };
  if (address == 0) return make(place_of_id(warp, place).of_virtual_call ? pure_virtual_call : null_function);
  if (memory::is_host_address(address)) return make(host_function);
  if (const ptx::Function* function = function_named_at(*kernel.program, address)) {
    if (function->entry) return make(kernel_called, function->name);
    if (kernel.function_at(address) != nullptr) return make(function_of_other_type, function->name);
  }
  Finding finding = make(data_called);
  if (const memory::GlobalMemory::Allocation* allocation = warp.block->grid->memory->find(address)) {
    finding.object = allocation->object();
  } else if (address / kWindowBytes == kSharedWindow / kWindowBytes) {
    finding.space = Finding::Space::shared;
  } else if (address / kWindowBytes == kLocalWindow / kWindowBytes) {
    finding.space = Finding::Space::local;
  } else {
    return make(no_function);
  }
  return finding;
}

/// Whether an access of global memory, except for the kernels' heap, lies in an allocation that it may touch.
bool may_access(const Grid& grid, const memory::GlobalMemory::Allocation* allocation, std::uint64_t address,
                unsigned width, AccessKind kind) {
  return allocation != nullptr && allocation->end() - address >= width &&
         (!allocation->constant || kind == AccessKind::load) && (allocation->devices & grid.reach) != 0;
}

/// Why it may not. `allocation`: what holds the address, or null.
Finding make_miss(const Warp& warp, const Instruction& i, unsigned lane,
                  const memory::GlobalMemory::Allocation* allocation, std::uint64_t address, unsigned width,
                  AccessKind kind) {
  using enum Finding::Cause;
  const Grid& grid = *warp.block->grid;
  const bool in_heap = grid.heap != nullptr && grid.heap->contains(address);
  Miss miss;
  if (in_heap) {
    miss = grid.heap->find_miss(address);
  } else if (allocation != nullptr && allocation->constant && kind != AccessKind::load) {
    miss = {constant_written, allocation->object()};
  } else if (allocation == nullptr || allocation->end() - address < width) {
    miss = grid.memory->find_miss(address);
  } else {
    miss.cause = allocation->devices == 0 ? pinned_memory : peer_memory;
  }
  Finding finding = make_access(warp, i, lane, miss.cause, kind, address, width);
  finding.object = std::move(miss.object);
  if (in_heap) finding.space = Finding::Space::heap;
  if (miss.cause == peer_memory) finding.numbers = {std::countr_zero(allocation->devices)};
  finding.of_virtual_call = allocation == nullptr && place_of_id(warp, i.id).of_virtual_call;
  return finding;
}

/// Whether the lane would store what memory holds already.
bool stores_same_bytes(const std::byte* memory, unsigned width, unsigned lane, const ValueOf* value) {
  if (value == nullptr) return false;
  std::array<std::byte, 32> bytes{};  // the widest store
  (*value)(lane, bytes.data());
  return std::memcmp(memory, bytes.data(), width) == 0;
}

/// Whether two lanes are about to store the same.
bool store_same_bytes(const GlobalAccess& access, unsigned lane, unsigned other) {
  std::array<std::byte, 32> bytes{};  // the widest store
  (*access.value)(other, bytes.data());
  return stores_same_bytes(bytes.data(), access.width, lane, access.value);
}

/// The lanes that access an address.
Mask lanes_at(const GlobalAccess& access, std::uint64_t address) {
  Mask lanes = 0;
  for (Mask left = access.active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if (access.addresses[lane] == address) lanes |= Mask{1} << lane;
  }
  return lanes;
}

}  // namespace

void report_wrong_callee(Warp& warp, std::uint32_t place, unsigned lane, std::uint64_t address) {
  const program::Program& program = *warp.block->grid->kernel->program;
  const bool is_own = address - program.functions_begin < program.function_indices.size();
  if (address >= kFunctionBegin && address < kFunctionEnd && !is_own) {
    return fault(warp, LaunchResult::Status::unsupported,
                 make_finding(warp, place, lane, Finding::Cause::foreign_function));
  }
  fault(warp, LaunchResult::Status::illegal_instruction, make_wrong_callee(warp, place, lane, address));
}

bool locate_global(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                   unsigned width, AccessKind kind) {
  const Grid& grid = *warp.block->grid;
  const memory::GlobalMemory& memory = *grid.memory;
  memory::GlobalMemory::Allocation& recent = warp.worker->recent[static_cast<std::size_t>(kind)];
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::uint64_t address = addresses[lane];
    if (address >= recent.begin && address < recent.end() && recent.end() - address >= width) continue;
    const memory::GlobalMemory::Allocation* allocation = memory.find(address);
    if (grid.heap != nullptr && grid.heap->contains(address)) {
      // Never remembered: another thread may free the block.
      if (grid.heap->holds(address, width)) continue;
    } else if (may_access(grid, allocation, address, width, kind)) {
      recent = *allocation;
      continue;
    }
    fault(warp, LaunchResult::Status::illegal_address,
          make_miss(warp, i, lane, allocation, address, width, kind));
    return false;
  }
  return true;
}

bool check_constant(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                    unsigned width) {
  const memory::GlobalMemory::Allocation* known =
      &warp.worker->recent[static_cast<std::size_t>(AccessKind::load)];
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::uint64_t address = addresses[lane];
    if (known->constant && address >= known->begin && address < known->end()) continue;
    const memory::GlobalMemory::Allocation* allocation = warp.block->grid->memory->find(address);
    if (allocation == nullptr) continue;  // what is nowhere is reported by the load
    if (allocation->constant) {
      known = allocation;
      continue;
    }
    Finding finding =
        make_access(warp, i, lane, Finding::Cause::constant_elsewhere, AccessKind::load, address, width);
    finding.object = allocation->object();
    fault(warp, LaunchResult::Status::illegal_address, std::move(finding));
    return false;
  }
  return true;
}

void report_misaligned(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                       unsigned width, AccessKind kind) {
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if ((addresses[lane] & (width - 1)) == 0) continue;
    return fault(warp, LaunchResult::Status::misaligned_address,
                 make_access(warp, i, lane, Finding::Cause::misaligned_access, kind, addresses[lane], width));
  }
}

void report_outside_window(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* offsets,
                           unsigned width, std::uint64_t limit, Finding::Space window, AccessKind kind) {
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if (offsets[lane] <= limit && limit - offsets[lane] >= width) continue;
    Finding finding = make_access(warp, i, lane, Finding::Cause::outside_window, kind, offsets[lane], width);
    finding.space = window;
    finding.object.bytes = limit;
    return fault(warp, LaunchResult::Status::illegal_address, std::move(finding));
  }
}

void examine_uninitialised_global(Warp& warp, const Instruction& i, Mask active,
                                  const std::uint64_t* addresses, unsigned width) {
  const memory::GlobalMemory& memory = *warp.block->grid->memory;
  const bool into_registers = (i.detail & access::kIntoRegisters) != 0;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    std::uint32_t uninitialised = 0;
    for (unsigned k = 0; k < width; ++k) {
      const std::uint64_t byte = addresses[lane] + k;
      if ((*memory.written(byte) >> (byte & 3) & 1) != 0) continue;
      if (!into_registers) return report_now(warp, i, false, Mask{1} << lane, byte);
      uninitialised |= 1U << k;
    }
    if (uninitialised != 0) await_use(warp, i, false, lane, uninitialised, addresses[lane]);
  }
}

void examine_uninitialised_shared(Warp& warp, const Instruction& i, Mask active, const std::uint32_t* offsets,
                                  unsigned width) {
  if ((i.detail & access::kIntoRegisters) == 0) {
    return report_now(warp, i, true, active, offsets[first_lane(active)]);
  }
  const ThreadBlock& block = *warp.block;
  const std::uint32_t granule = block.grid->kernel->shared_granule;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    std::uint32_t uninitialised = 0;
    for (std::uint32_t k = 0; k < width; ++k) {
      if (block.shadow.write_time[(offsets[lane] + k) / granule] < block.begin) uninitialised |= 1U << k;
    }
    await_use(warp, i, true, lane, uninitialised, offsets[lane]);
  }
}

void report_uninitialised(Warp& warp, const UninitialisedRead& read, std::uint32_t use) {
  const memory::GlobalMemory& memory = *warp.block->grid->memory;
  const unsigned lane = first_lane(read.lanes);
  const std::uint64_t count = read.shared ? static_cast<std::uint64_t>(std::popcount(read.lanes)) : 1;
  if (has_counted(warp, read.load->id, lane, Finding::Kind::uninitialised_read, Finding::Scope::none, {},
                  count))
    return;
  const std::uint64_t address =
      read.accessed[lane] + static_cast<unsigned>(std::countr_zero(read.bytes[lane]));
  using enum Finding::Cause;
  Finding finding =
      make_finding(warp, read.load->id, lane, read.shared ? uninitialised_shared : uninitialised_global);
  finding.access = Finding::Access::read;
  finding.address = address;
  if (read.shared) {
    finding.space = Finding::Space::shared;
  } else if (const memory::GlobalMemory::Allocation* allocation = memory.find(address)) {
    finding.object = allocation->object();
  }
  const SourceLine& used = place_of_id(warp, use).line;
  if (used.line != 0 && used != finding.line) finding.used_at = used;
  finding.count = count;
  warp.block->grid->findings->add(std::move(finding));
}

void examine_global_conflict(Warp& warp, const Instruction& i, const GlobalAccess& access, unsigned lane,
                             std::uint64_t address, EarlierTouch earlier) {
  const Grid& grid = *warp.block->grid;
  const std::optional<memory::Touch> touch = grid.stamps->find(earlier.stamp);
  if (!touch) return;
  const bool own_block = touch->block == warp.block->linear;
  if (own_block && earlier.stamp < warp.block->moments_epoch) return;
  const bool own_warp = own_block && is_of_warp(warp, earlier.moment);
  if (own_warp && lane_of(earlier.moment) == lane) {
    // Others may read with it.
    const Mask others = lanes_at(access, access.addresses[lane]) & ~(Mask{1} << lane);
    if (access.kind != AccessKind::load || others == 0) return;
    lane = first_lane(others);
  }
  if (own_block ? ordered_within_block(warp, earlier.moment) : ordered_between_blocks(warp, *touch)) return;
  const memory::GlobalMemory& memory = *grid.memory;
  const bool same_execution =
      own_warp && access.kind == AccessKind::store &&
      earlier.stamp == warp.block->epoch + (i.counter - grid.kernel->first_counter) &&
      warp.block->moments_begin + (earlier.moment >> memory::kMomentTimeShift) - 1 == warp.block->now &&
      (lanes_at(access, access.addresses[lane]) >> lane_of(earlier.moment) & 1) != 0;
  if ((own_block || !earlier.read) &&
      (same_execution
           ? store_same_bytes(access, lane, lane_of(earlier.moment))
           : stores_same_bytes(memory.host(access.addresses[lane]), access.width, lane, access.value)))
    return;
  const memory::GlobalMemory::Allocation* allocation = memory.find(address);
  const EarlierParty who = own_block ? party_of(warp, earlier.moment)
                           : touch->block == memory::kManyBlocks
                               ? EarlierParty{Finding::Other::other_blocks}
                               : EarlierParty{Finding::Other::block, touch->block};
  const program::Program& program = *grid.kernel->program;
  const std::uint32_t other_place = program.traffic_places[grid.kernel->first_counter + touch->instruction];
  const Finding::Scope scope = own_warp    ? Finding::Scope::warp
                               : own_block ? Finding::Scope::block
                                           : Finding::Scope::grid;
  if (has_counted(warp, i.id, lane, Finding::Kind::race, scope, place_of_id(warp, other_place).line)) return;
  Finding finding = make_race(warp, i, lane, Finding::Cause::unordered_accesses, access.kind, address,
                              access.width, other_place, earlier.read, who);
  if (allocation != nullptr) finding.object = allocation->object();
  finding.scope = scope;
  finding.changed_atomically = grid.atomic_words->hold(address);
  if (own_block) finding.barrier = place_of_id(warp, warp.block->latest_barrier).stack;
  warp.block->grid->findings->add(std::move(finding));
}

void begin_epoch(ThreadBlock& block, std::uint32_t now) {
  block.had_epochs = block.epoch_time != 0;
  block.epoch_time = now;
  block.epoch = block.grid->stamps->begin_epoch(block.linear, now);
  if (!block.had_epochs || !has_moments(block)) {
    block.moments_begin = block.now;
    block.moments_epoch = block.epoch;
  }
}

bool is_own(const ThreadBlock& block, memory::Stamp stamp) {
  const std::optional<memory::Touch> touch = block.grid->stamps->find(stamp);
  return touch && touch->block == block.linear;
}

bool is_ordered_before(const Warp& warp, memory::Stamp stamp) {
  const std::optional<memory::Touch> touch = warp.block->grid->stamps->find(stamp);
  return touch && ordered_between_blocks(warp, *touch);
}

void examine_shared_conflict(Warp& warp, const Instruction& i, unsigned lane, std::uint32_t word,
                             std::uint32_t offset, unsigned width, AccessKind kind, const ValueOf* value) {
  ThreadBlock& block = *warp.block;
  state::SharedShadow& shadow = block.shadow;
  const std::uint32_t thread = warp.index * kLanes + lane;
  const bool is_volatile = (i.detail & access::kVolatile) != 0;
  // Volatile accesses are as good as relaxed ones in words that are accessed atomically; elsewhere they stand
  // where a barrier should.
  const bool word_atomic = kind == AccessKind::atomic || shadow.atomic_time[word] >= block.begin;
  const auto report = [&](std::uint32_t place, EarlierParty who, bool read, bool same_warp) {
    const Finding::Scope scope = same_warp ? Finding::Scope::warp : Finding::Scope::block;
    if (has_counted(warp, i.id, lane, Finding::Kind::race, scope, place_of_id(warp, place).line)) return;
    Finding finding =
        make_race(warp, i, lane, Finding::Cause::unordered_accesses, kind, offset, width, place, read, who);
    finding.space = Finding::Space::shared;
    finding.scope = scope;
    finding.changed_atomically = word_atomic;
    finding.is_volatile = is_volatile;
    finding.barrier = place_of_id(warp, block.latest_barrier).stack;
    block.grid->findings->add(std::move(finding));
  };

  const state::Time written = shadow.write_time[word];
  const std::uint32_t writer = shadow.writer[word] & (state::kAtomicWriter - 1);
  if (written == state::kInFlight) return report_in_flight(warp, i, lane, word, offset, width, kind);
  const bool may_meet_atomics =
      kind == AccessKind::atomic || access::is_strong(i.detail) || (is_volatile && word_atomic);
  const bool writer_atomic = (shadow.writer[word] & state::kAtomicWriter) != 0 ||
                             ((shadow.writer[word] & state::kVolatileWriter) != 0 && word_atomic);
  if (written >= block.begin && writer != thread) {
    const std::uint32_t writer_warp = writer / kLanes;
    const bool same_warp = writer_warp == warp.index;
    const bool same_execution = same_warp && shadow.write_place[word] == i.id && written == block.now;
    const bool ordered = same_warp ? written <= warp.synced : written <= seen_of(warp, writer_warp);
    const bool both_atomic = writer_atomic && may_meet_atomics;
    // Volatile accesses of one warp are how code without __syncwarp used to say the same.
    const bool volatile_warp = same_warp && is_volatile;
    bool same_value = false;
    if (kind == AccessKind::store && value != nullptr) {
      if (same_execution) {
        // Neither lane's value has reached memory yet.
        std::array<std::byte, 16> mine{}, other{};
        (*value)(lane, mine.data());
        (*value)(writer % kLanes, other.data());
        same_value = mine == other;
      } else {
        same_value = stores_same_bytes(block.shared.data() + offset, width, lane, value);
      }
    }
    if (!ordered && !both_atomic && !volatile_warp && !same_value) {
      report(shadow.write_place[word], thread_of(writer), false, same_warp);
      return;
    }
  }
  if (kind == AccessKind::load || stores_same_bytes(block.shared.data() + offset, width, lane, value)) return;
  if (may_meet_atomics && (shadow.read_place[word] & kVolatileRead) != 0) return;
  const state::Time read = shadow.read_time[word];
  const std::uint32_t place = shadow.read_place[word] & kReadPlaceMask;
  const std::uint32_t latest = shadow.read_place[word] >> kReadWarpShift;
  std::uint32_t unordered = read > warp.ordered ? shadow.read_warps[word] & ~(1U << warp.index) : 0;
  if (!block.seen.empty()) {
    // Warps that wait for different others have different pasts; and of several readers only the latest
    // read's time is known.
    unordered &= read > seen_of(warp, latest) ? 1U << latest : 0;
  }
  if (unordered != 0) {
    const auto other = static_cast<std::uint32_t>(std::countr_zero(unordered));
    return report(place, {Finding::Other::warp, other}, true, false);
  }
  // Atomic operations of a warp that has read are how it takes what it has found.
  if (kind == AccessKind::atomic || latest != warp.index || read <= warp.synced || is_volatile) return;
  const std::uint32_t readers = shadow.read_place[word] >> kReadLanesShift & (2 * kSeveralLanes - 1);
  if (readers == lane) return;
  report(place,
         readers >= kSeveralLanes ? EarlierParty{Finding::Other::threads_of_warp}
                                  : thread_of(warp.index * kLanes + readers),
         true, true);
}

void report_undefined_shuffle(Warp& warp, const Instruction& i, Mask active, Mask undefined) {
  const unsigned lane = first_lane(undefined);
  warp.block->grid->findings->add(
      make_lanes(warp, i, lane, Finding::Cause::undefined_shuffle, {lane, active}));
}

void report_missing_lanes(Warp& warp, const Instruction& i, Mask active) {
  const Mask missing = ~active;
  warp.block->grid->findings->add(
      make_lanes(warp, i, first_lane(active), Finding::Cause::missing_lanes, {missing}));
}

void report_different_matrices(Warp& warp, const Instruction& i, Mask lanes) {
  warp.block->grid->findings->add(
      make_lanes(warp, i, first_lane(lanes), Finding::Cause::different_matrices, {lanes}));
}

void trace_access(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                  unsigned width, const char* space, AccessKind kind, std::uint32_t units,
                  std::uint32_t ideal) {
  Grid& grid = *warp.block->grid;
  if (i.id >= grid.traced_places.size() || !grid.traced_places[i.id]) return;
  const std::lock_guard lock(grid.trace_mutex);
  const auto [entry, is_new] = grid.traces.try_emplace(i.id);
  AccessTrace& trace = entry->second;
  const auto order = [](const auto& block, std::uint32_t index) {
    return std::tuple(block[2], block[1], block[0], index);
  };
  if (!is_new && order(trace.block, trace.warp) <= order(warp.block->index, warp.index)) return;
  trace.line = place_of_id(warp, i.id).line;
  trace.space = space;
  trace.operation = kind == AccessKind::load ? "load" : kind == AccessKind::store ? "store" : "atomic";
  trace.bytes = width;
  trace.block = warp.block->index;
  trace.warp = warp.index;
  trace.active = active;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    trace.addresses[lane] = (active >> lane & 1) != 0 ? addresses[lane] : 0;
  trace.units = units;
  trace.ideal_units = ideal;
  trace.function = grid.kernel->info.name;
}

}  // namespace lockstep::emulator::checks
