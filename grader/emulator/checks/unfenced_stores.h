// Relaxed and volatile stores to global memory that are not ordered before every look of another block: no
// fence of their block has followed yet, or none of the block that looks has come since. PTX ISA, memory
// consistency model.
//
// On a GPU such stores become visible to other blocks in any order, and looks are made in any order. Here
// memory holds the stored values at once, and beside it is kept what was there before: the first look of
// another block at such a store brings that. Every later look brings the new value, so that polling ends, and
// the first that relies on an order that no fence asked for reads an old value.
//
// The table has a fixed size: of stores that meet in one slot the earlier ones become visible.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "emulator/checks/names.h"

namespace lockstep::emulator::checks {

class UnfencedStores {
 public:
  static constexpr unsigned kLineBytes = 32;  ///< no access crosses such a line

  UnfencedStores();

  /// For a new launch: what the one before has stored is visible to all.
  void clear();

  /// Whether a look at `address` may miss a store. Asked behind a load: what was loaded before a store that
  /// is not here yet is an old value in any case.
  bool may_hold(std::uint64_t address) const {
    return slots_[index_of(line_of(address))].line.load(std::memory_order_relaxed) == line_of(address);
  }

  /// Before a store of a lane that other blocks may miss: `width` bytes, at least 4, of which `value` are
  /// the new ones. The caller writes memory while it holds the lock.
  [[nodiscard]] std::unique_lock<std::mutex> begin_store(const Warp& warp, const Instruction& instruction,
                                                         std::uint64_t address, unsigned width,
                                                         const std::byte* value);
  /// Before an access that sees and makes seen what memory holds there, such as an atomic operation.
  [[nodiscard]] std::unique_lock<std::mutex> begin_access(std::uint64_t address, unsigned width);
  /// Of a relaxed store: a block that leaves one word between two fences relies on no order, and who misses
  /// it does no wrong.
  static void count_store(ThreadBlock& block, std::uint64_t address);
  /// Of an atomic operation, which may tell others of a store before it.
  static void count_atomic(const ThreadBlock& block, std::uint64_t address);

  /// Of memory that has a new owner: what was stored there before does not count.
  void forget(std::uint64_t address, std::uint64_t bytes);

  /// Of lanes that have loaded: those that miss a store. `found` becomes what they find, `width` bytes a
  /// lane.
  Mask look(Warp& warp, const Instruction& instruction, Mask lanes, const std::uint64_t* addresses,
            unsigned width, std::byte* found);
  /// Before a load of a warp that has missed stores: who looks again at the same place minds no old value.
  void look_again(Warp& warp, const Instruction& instruction, Mask active, const std::uint64_t* addresses);

  /// Misses of lanes that did not look again, by instructions.
  std::vector<Finding> take_findings();

 private:
  static constexpr unsigned kLineWords = kLineBytes / 4;
  static constexpr unsigned kSlotBits = 12;
  static constexpr std::size_t kSlots = std::size_t{1} << kSlotBits;

  struct Store {
    std::uint32_t block = 0;
    std::uint32_t time = 0;   ///< of the launch's clock
    std::uint32_t place = 0;  ///< of the instruction
    std::uint8_t words = 0;   ///< 0: no store
  };
  /// The stores to one line, each at its first word.
  struct Slot {
    std::atomic<std::uint64_t> line{0};  ///< 0: none
    std::array<Store, kLineWords> stores;
    std::array<std::uint32_t, kLineWords> before{}, after{};
  };
  /// Misses of the stores of one place by the loads of another.
  struct Note {
    Finding first;
    std::uint64_t misses = 0;
    std::atomic<std::uint64_t> repeats{0};
  };

  static std::uint64_t line_of(std::uint64_t address) { return address / kLineBytes; }
  static std::size_t index_of(std::uint64_t line) { return line * 0x9E37'79B9'7F4A'7C15 >> (64 - kSlotBits); }
  std::mutex& lock_of(std::uint64_t line) { return locks_[index_of(line) % locks_.size()]; }

  /// Makes those visible that touch some of the bytes and are not of `block`.
  static void reveal(Slot& slot, std::uint64_t address, unsigned width, std::uint32_t block);
  /// The first store that a look of the warp misses; `found` becomes what it finds. Null when it misses none.
  static const Store* look(const Grid& grid, Slot& slot, std::uint64_t address, unsigned width,
                           std::uint32_t block, std::byte* found);
  /// A slot without stores is free.
  static void close_empty(Slot& slot);
  void note(Warp& warp, const Instruction& load, unsigned lane, std::uint64_t address, const Store& store);
  /// What is told of such a miss at the first time.
  static Finding finding_of(const Warp& warp, const Instruction& load, unsigned lane, std::uint64_t address,
                            const Store& store, bool fenced);

  std::unique_ptr<Slot[]> slots_;
  std::array<std::mutex, 64> locks_;  ///< each for many slots
  std::atomic<bool> used_{false};
  std::mutex notes_mutex_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Note> notes_;  ///< by places of load and store
};

}  // namespace lockstep::emulator::checks
