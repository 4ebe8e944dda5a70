// Whether blocks touch the same words of global memory unordered: looks at the stamps of what an access
// touches, and leaves the block's own.
//
// A line of memory has a pair of stamps besides those of its words. An access of the whole line, which is
// what coalesced code does, looks at and leaves just these; an access of a part leaves a mark there that
// sends others to the words.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/machine/handlers/runs.h"
#include "emulator/machine/violations.h"

namespace lockstep::emulator::LOCKSTEP_LEVEL {

template <AccessKind kind>
class GlobalRaceCheck {
 public:
  /// For lanes that access `width` bytes at `addresses`, at least 4. `value`: what a store is about to write.
  GlobalRaceCheck(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses, unsigned width,
                  const ValueOf* value)
      : warp_(warp), instruction_(instruction), addresses_(addresses), width_(width), value_(value) {
    ThreadBlock& block = *warp.block;
    const std::uint32_t now = block.grid->clock.load(std::memory_order_relaxed);
    if (now != block.turn_time) begin_turn(block, now);
    const StampBook& book = *block.grid->stamps;
    first_ = book.first();
    turn_ = block.turn;
    own_ = book.instructions();
    mine_ = turn_ + (instruction.counter - block.grid->kernel->first_counter);
  }

  void check(Runs runs) {
    if (runs.continues == 0 && width_ == 4) {
      for (Mask left = runs.starts; left != 0; left &= left - 1) check_word(first_lane(left));
      return;
    }
    for_runs(runs, [this](unsigned lane, unsigned lanes) {
      const std::uint64_t begin = addresses_[lane], end = begin + std::uint64_t{lanes} * width_;
      for (std::uint64_t address = begin; address < end;) {
        const std::uint64_t next = std::min(end, (address | (GlobalMemory::kLineBytes - 1)) + 1);
        check_line(address, static_cast<unsigned>(next - address) / 4,
                   lane + static_cast<unsigned>(address - begin) / width_);
        address = next;
      }
    });
  }

 private:
  enum Of : unsigned { writer, reader };

  /// What check_line does, for the one word of a lane that has no neighbours.
  void check_word(unsigned lane) {
    const std::uint64_t address = addresses_[lane];
    const GlobalMemory& memory = *warp_.block->grid->memory;
    Stamp* line = memory.line_stamps(address);
    Stamp* word = memory.stamps(address);
    const Stamp wrote = is_split(line[writer]) ? word[writer] : line[writer];
    if (is_foreign(wrote)) examine(lane, address, wrote, writer);
    constexpr Of kOwn = kind == AccessKind::load ? reader : writer;
    if constexpr (kind == AccessKind::store) {
      const Stamp read = is_split(line[reader]) ? word[reader] : line[reader];
      if (is_foreign(read)) examine(lane, address, read, reader);
    }
    if constexpr (kind != AccessKind::atomic) {
      split<kOwn>(line, memory.line_words(address));
      word[kOwn] = kOwn == reader ? joined(word[reader]) : mine_;
    }
  }

  void examine(unsigned lane, std::uint64_t address, Stamp other, Of of) {
    examine_global_conflict(warp_, instruction_, lane, address, other, of == reader, kind, value_,
                            addresses_[lane], width_);
  }

  /// Words of one line from `address` on, the first of them lane `lane`'s.
  void check_line(std::uint64_t address, unsigned words, unsigned lane) {
    const GlobalMemory& memory = *warp_.block->grid->memory;
    Stamp* line = memory.line_stamps(address);
    Stamp* stamps = memory.stamps(address);
    look<writer>(line, stamps, address, words, lane);
    if constexpr (kind == AccessKind::store) {
      look<reader>(line, stamps, address, words, lane);
      if (words == GlobalMemory::kLineWords) {
        line[writer] = mine_;
      } else {
        split<writer>(line, memory.line_words(address));
        for (unsigned k = 0; k < 2 * words; ++k) stamps[k] = k % 2 == writer ? mine_ : stamps[k];
      }
    }
    if constexpr (kind == AccessKind::load) {
      if (words == GlobalMemory::kLineWords && !is_split(line[reader])) {
        line[reader] = joined(line[reader]);
      } else {
        split<reader>(line, memory.line_words(address));
        if (warp_.block->had_turns || has_acquired()) {
          for (unsigned k = 0; k < words; ++k) stamps[2 * k + reader] = joined(stamps[2 * k + reader]);
        } else {
          const Stamp many = mine_ + own_;
          for (unsigned k = 0; k < 2 * words; ++k)
            stamps[k] = k % 2 != reader ? stamps[k] : is_foreign(stamps[k]) ? many : mine_;
        }
      }
    }
  }

  /// Whether the words of a line must be asked.
  bool is_split(Stamp line) const { return line >= (kSplitLine | first_); }
  /// Whether a stamp is of this launch and not of this turn.
  bool is_foreign(Stamp stamp) const {
    return stamp >= first_ && stamp - turn_ >= own_ && stamp < kSplitLine;
  }
  /// The stamp of a word that this access reads too. Readers that are ordered before this one are forgotten:
  /// who is ordered after this one is ordered after them all.
  Stamp joined(Stamp stamp) const {
    const ThreadBlock& block = *warp_.block;
    if (!is_foreign(stamp) || (block.had_turns && is_own(block, stamp))) return mine_;
    return has_acquired() && is_ordered_before(warp_, stamp) ? mine_ : mine_ + own_;
  }
  /// Whether other blocks may be ordered before this one.
  bool has_acquired() const {
    const Grid& grid = *warp_.block->grid;
    return grid.acquired != nullptr &&
           grid.acquired[warp_.block->linear].load(std::memory_order_relaxed) != 0;
  }

  /// Examines those words that another block wrote or read.
  template <Of of>
  void look(const Stamp* line, const Stamp* stamps, std::uint64_t address, unsigned words, unsigned lane) {
    const bool ask_words = is_split(line[of]);
    std::uint32_t found = is_foreign(line[of]) ? 1U : 0U;
    if (ask_words) {
      for (unsigned k = 0; k < 2 * words; ++k) found |= k % 2 == of && is_foreign(stamps[k]) ? 1U : 0U;
    }
    for (unsigned k = 0; found != 0 && k < words; ++k) {
      const Stamp other = ask_words ? stamps[2 * k + of] : line[of];
      const unsigned at = lane + 4 * k / width_;
      if (is_foreign(other)) examine(at, address + 4 * k, other, of);
    }
  }

  /// From now on the line's words are asked.
  template <Of of>
  void split(Stamp* line, Stamp* line_words) const {
    const Stamp before = line[of];
    if (is_split(before)) return;
    if (before >= first_ && before < kSplitLine) {
      for (unsigned k = 0; k < GlobalMemory::kLineWords; ++k) line_words[2 * k + of] = before;
    }
    line[of] = kSplitLine | mine_;
  }

  Warp& warp_;
  const Instruction& instruction_;
  const std::uint64_t* addresses_;
  unsigned width_;
  const ValueOf* value_;
  Stamp first_ = 0, turn_ = 0;
  std::uint32_t own_ = 0;  ///< stamps of the turn
  Stamp mine_ = 0;
};

}  // namespace lockstep::emulator::LOCKSTEP_LEVEL
