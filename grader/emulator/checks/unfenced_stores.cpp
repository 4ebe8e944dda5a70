#include "emulator/checks/unfenced_stores.h"

#include <algorithm>
#include <cstring>

#include "emulator/checks/finding_log.h"
#include "emulator/core/toolkit_file.h"
#include "emulator/state/grid.h"

namespace lockstep::emulator::checks {
namespace {

constexpr std::size_t kMaxNotes = 64;
/// Misses of one warp that wait for a second look.
constexpr std::size_t kMaxAwaited = 32;
constexpr std::uint32_t kNoBlock = 0xFFFF'FFFF;

/// The words of a line that an access touches: from `first` on, below `end`.
struct Words {
  unsigned first, end;
  bool touch(unsigned begin, unsigned words) const {
    return words != 0 && begin < end && begin + words > first;
  }
};
Words words_of(std::uint64_t address, unsigned width) {
  const auto byte = static_cast<unsigned>(address % UnfencedStores::kLineBytes);
  return {byte / 4, (byte + width + 3) / 4};
}

/// Whether a fence of the block has followed what it did at `time`.
bool is_fenced(const Grid& grid, std::uint32_t block, std::uint32_t time) {
  return grid.released[block].load(std::memory_order_relaxed) > time;
}

/// Whether `reader` must see it: it has passed a fence since.
bool is_ordered(const Grid& grid, std::uint32_t block, std::uint32_t time, std::uint32_t reader) {
  return is_fenced(grid, block, time) && grid.acquired[reader].load(std::memory_order_relaxed) > time;
}

}  // namespace

UnfencedStores::UnfencedStores() : slots_(std::make_unique<Slot[]>(kSlots)) {}

void UnfencedStores::clear() {
  notes_.clear();
  if (!used_.exchange(false, std::memory_order_relaxed)) return;
  for (std::size_t s = 0; s < kSlots; ++s) slots_[s].line.store(0, std::memory_order_relaxed);
}

std::unique_lock<std::mutex> UnfencedStores::begin_store(const Warp& warp, const Instruction& i,
                                                         std::uint64_t address, unsigned width,
                                                         const std::byte* value) {
  const Grid& grid = *warp.block->grid;
  const std::uint64_t line = line_of(address);
  Slot& slot = slots_[index_of(line)];
  const Words words = words_of(address, width);
  std::unique_lock lock(lock_of(line));
  if (slot.line.load(std::memory_order_relaxed) != line) slot.stores = {};
  if (!used_.load(std::memory_order_relaxed)) used_.store(true, std::memory_order_relaxed);
  Store& store = slot.stores[words.first];
  const bool again = store.words == words.end - words.first && store.block == warp.block->linear &&
                     !is_fenced(grid, store.block, store.time);
  if (!again) {
    reveal(slot, address, width, kNoBlock);
    std::memcpy(&slot.before[words.first], grid.memory->host(address), width);
  }
  store = {warp.block->linear, grid.clock.load(std::memory_order_relaxed), i.id,
           static_cast<std::uint8_t>(words.end - words.first)};
  std::memcpy(&slot.after[words.first], value, width);
  slot.line.store(line, std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_release);  // who finds the value finds the store
  return lock;
}

void UnfencedStores::count_store(ThreadBlock& block, std::uint64_t address) {
  const Grid& grid = *block.grid;
  const std::uint32_t fenced = grid.released[block.linear].load(std::memory_order_relaxed);
  if (block.unfenced_address == 0 || block.unfenced_since != fenced) {
    block.unfenced_address = address;
    block.unfenced_since = fenced;
    grid.stored_several[block.linear].store(false, std::memory_order_relaxed);
  }
  count_atomic(block, address);
}

void UnfencedStores::count_atomic(const ThreadBlock& block, std::uint64_t address) {
  const Grid& grid = *block.grid;
  if (block.unfenced_address == 0 || block.unfenced_address == address) return;
  if (block.unfenced_since == grid.released[block.linear].load(std::memory_order_relaxed))
    grid.stored_several[block.linear].store(true, std::memory_order_relaxed);
}

std::unique_lock<std::mutex> UnfencedStores::begin_access(std::uint64_t address, unsigned width) {
  const std::uint64_t line = line_of(address);
  Slot& slot = slots_[index_of(line)];
  std::unique_lock lock(lock_of(line));
  if (slot.line.load(std::memory_order_relaxed) == line) reveal(slot, address, width, kNoBlock);
  return lock;
}

void UnfencedStores::forget(std::uint64_t address, std::uint64_t bytes) {
  if (!used_.load(std::memory_order_relaxed)) return;
  const std::uint64_t first = line_of(address), lines = line_of(address + bytes - 1) - first + 1;
  const auto close = [&](Slot& slot, std::uint64_t line) {
    if (line - first >= lines) return;
    const std::lock_guard lock(lock_of(line));
    if (slot.line.load(std::memory_order_relaxed) == line) slot.line.store(0, std::memory_order_relaxed);
  };
  if (lines < kSlots) {
    for (std::uint64_t line = first; line < first + lines; ++line) close(slots_[index_of(line)], line);
  } else {
    for (std::size_t s = 0; s < kSlots; ++s) close(slots_[s], slots_[s].line.load(std::memory_order_relaxed));
  }
}

void UnfencedStores::reveal(Slot& slot, std::uint64_t address, unsigned width, std::uint32_t block) {
  const Words words = words_of(address, width);
  for (unsigned first = 0; first < kLineWords; ++first) {
    Store& store = slot.stores[first];
    if (store.block != block && words.touch(first, store.words)) store.words = 0;
  }
  close_empty(slot);
}

void UnfencedStores::close_empty(Slot& slot) {
  const auto is_none = [](const Store& store) { return store.words == 0; };
  if (std::ranges::all_of(slot.stores, is_none)) slot.line.store(0, std::memory_order_relaxed);
}

const UnfencedStores::Store* UnfencedStores::look(const Grid& grid, Slot& slot, std::uint64_t address,
                                                  unsigned width, std::uint32_t block, std::byte* found) {
  const std::uint64_t begin = address - address % kLineBytes;
  std::array<std::uint32_t, kLineWords> seen;
  std::memcpy(seen.data(), grid.memory->host(begin), sizeof seen);
  const Words words = words_of(address, width);
  const Store* missed = nullptr;
  for (unsigned first = 0; first < kLineWords; ++first) {
    Store& store = slot.stores[first];
    if (store.block == block || !words.touch(first, store.words)) continue;
    const std::size_t bytes = std::size_t{4} * store.words;
    // Behind a fence on either side it is visible, and so it is where something else has been stored since:
    // plainly, or by the next owner of memory that was given back.
    if (is_ordered(grid, store.block, store.time, block) ||
        std::memcmp(&seen[first], &slot.after[first], bytes) != 0) {
      store.words = 0;
      continue;
    }
    if (std::memcmp(&slot.before[first], &slot.after[first], bytes) == 0) continue;
    std::memcpy(&seen[first], &slot.before[first], bytes);
    if (missed == nullptr) missed = &store;
  }
  if (missed == nullptr) {
    close_empty(slot);
  } else {
    std::memcpy(found, reinterpret_cast<const std::byte*>(seen.data()) + (address - begin), width);
  }
  return missed;
}

Mask UnfencedStores::look(Warp& warp, const Instruction& i, Mask lanes, const std::uint64_t* addresses,
                          unsigned width, std::byte* found) {
  const std::uint32_t block = warp.block->linear;
  Mask missing = 0;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::uint64_t address = addresses[lane], line = line_of(address);
    Slot& slot = slots_[index_of(line)];
    std::unique_lock lock(lock_of(line));
    if (slot.line.load(std::memory_order_relaxed) != line) continue;
    const Store* store =
        look(*warp.block->grid, slot, address, width, block, found + std::size_t{lane} * width);
    if (store == nullptr) continue;
    const Store missed = *store;
    lock.unlock();
    if (missing == 0) note(warp, i, lane, address, missed);
    missing |= Mask{1} << lane;
  }
  // Behind all lanes: those that look at one word find the same.
  for (Mask left = missing; left != 0; left &= left - 1) {
    const std::uint64_t address = addresses[first_lane(left)], line = line_of(address);
    Slot& slot = slots_[index_of(line)];
    const std::lock_guard lock(lock_of(line));
    if (slot.line.load(std::memory_order_relaxed) == line) reveal(slot, address, width, block);
  }
  if (missing != 0) ++warp.worker->changes;  // the next look finds something else
  return missing;
}

void UnfencedStores::note(Warp& warp, const Instruction& load, unsigned lane, std::uint64_t address,
                          const Store& store) {
  const auto& places = warp.block->grid->kernel->program->places;
  const SourceLine &line = places[load.id].line, &store_line = places[store.place].line;
  // Nobody looks for a mistake in the toolkit's own files.
  if (is_toolkit_file(line.file) || is_toolkit_file(store_line.file)) return;
  const bool fenced = is_fenced(*warp.block->grid, store.block, store.time);
  if (!fenced && !warp.block->grid->stored_several[store.block].load(std::memory_order_relaxed)) return;
  const std::lock_guard lock(notes_mutex_);
  const std::pair key(load.id, store.place);
  if (notes_.size() >= kMaxNotes && !notes_.contains(key)) return;
  Note& note = notes_[key];
  if (++note.misses == 1) note.first = finding_of(warp, load, lane, address, store, fenced);
  if (warp.missed_looks.size() == kMaxAwaited) {  // the oldest is no longer known, and passes
    warp.missed_looks.front().repeats->fetch_add(1, std::memory_order_relaxed);
    warp.missed_looks.erase(warp.missed_looks.begin());
  }
  warp.missed_looks.push_back({&load, lane, address, &note.repeats});
}

void UnfencedStores::look_again(Warp& warp, const Instruction& i, Mask active,
                                const std::uint64_t* addresses) {
  const auto& places = warp.block->grid->kernel->program->places;
  std::erase_if(warp.missed_looks, [&](const state::MissedLook& missed) {
    // nvcc may make two loads of a loop's one, the first of them before the loop.
    const bool again = (active >> missed.lane & 1) != 0 && addresses[missed.lane] == missed.address &&
                       (missed.load == &i || places[missed.load->id].line == places[i.id].line);
    if (again) missed.repeats->fetch_add(1, std::memory_order_relaxed);
    return again;
  });
}

Finding UnfencedStores::finding_of(const Warp& warp, const Instruction& load, unsigned lane,
                                   std::uint64_t address, const Store& store, bool fenced) {
  const SourceLine& line = warp.block->grid->kernel->program->places[store.place].line;
  const memory::GlobalMemory::Allocation* allocation = warp.block->grid->memory->find(address);
  Finding finding =
      make_finding(warp, load.id, lane,
                   fenced ? Finding::Cause::unfenced_reader : Finding::Cause::unfenced_store, {store.block});
  finding.access = Finding::Access::read;
  finding.width = load.width;
  if (allocation != nullptr && !allocation->label.empty()) finding.object = allocation->object();
  finding.other_line = line;
  finding.address = address;
  return finding;
}

std::vector<Finding> UnfencedStores::take_findings() {
  std::vector<Finding> findings;
  for (auto& [places, note] : notes_) {
    const std::uint64_t repeats = note.repeats.load(std::memory_order_relaxed);
    if (note.misses <= repeats) continue;
    note.first.count = note.misses - repeats;
    findings.push_back(std::move(note.first));
  }
  notes_.clear();
  return findings;
}

}  // namespace lockstep::emulator::checks
