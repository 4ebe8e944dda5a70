// Words of global memory that atomic operations have changed, to say so where a plain access races with them.
//
// Of words that meet in one slot the latest is remembered: what is told of a race hangs on it, and nothing
// else.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace lockstep::emulator::memory {

class AtomicWords {
 public:
  /// Stores only what is new: workers that add to the same words keep sharing their slots.
  void note(std::uint64_t address) {
    if (!hold(address)) slot_of(address).store(word_of(address), std::memory_order_relaxed);
  }
  bool hold(std::uint64_t address) {
    return slot_of(address).load(std::memory_order_relaxed) == word_of(address);
  }

 private:
  static constexpr unsigned kSlotBits = 14;

  static std::uint64_t word_of(std::uint64_t address) { return address / 4; }
  std::atomic<std::uint64_t>& slot_of(std::uint64_t address) {
    return slots_[word_of(address) * 0x9E37'79B9'7F4A'7C15 >> (64 - kSlotBits)];
  }

  std::array<std::atomic<std::uint64_t>, std::size_t{1} << kSlotBits> slots_{};
};

}  // namespace lockstep::emulator::memory
