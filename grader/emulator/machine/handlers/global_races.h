// Whether blocks, or warps of one block, touch the same words of global memory unordered: looks at the stamps
// and moments of what an access touches, and leaves its own.
//
// A line of memory has a pair of stamps besides those of its words. An access of the whole line, which is
// what coalesced code does, looks at and leaves just these; an access of a part leaves a mark there that
// sends others to the words. So does an access of a part of a word, and sends others to the bytes.
#pragma once

#include <algorithm>
#include <cstdint>

#include "emulator/machine/handlers/runs.h"
#include "emulator/machine/violations.h"

namespace lockstep::emulator::LOCKSTEP_LEVEL {

/// What is kept of a line, a word or a byte: its writer's, then its reader's.
struct Touches {
  Stamp* stamps;
  Moment* moments;
  Touches operator+(unsigned n) const { return {stamps + 2 * n, moments + 2 * n}; }
};

template <AccessKind kind>
class GlobalRaceCheck {
 public:
  /// For lanes that access `width` bytes at `addresses`. `value`: what a store is about to write.
  GlobalRaceCheck(Warp& warp, const Instruction& instruction, const std::uint64_t* addresses, unsigned width,
                  const ValueOf* value)
      : warp_(warp),
        memory_(*warp.block->grid->memory),
        instruction_(instruction),
        addresses_(addresses),
        width_(width),
        value_(value) {
    ThreadBlock& block = *warp.block;
    const std::uint32_t now = block.grid->clock.load(std::memory_order_relaxed);
    if (now != block.turn_time) begin_turn(block, now);
    const StampBook& book = *block.grid->stamps;
    first_ = book.first();
    turn_ = block.turn;
    own_ = book.instructions();
    mine_ = turn_ + (instruction.counter - block.grid->kernel->first_counter);
    if (block.warp_count == 1) return;
    has_others_ = true;
    const std::uint32_t time = block.now - block.begin + 1;
    moment_ = time < kMomentTimes ? time << kMomentTimeShift | warp.index : 0;
    ordered_ = warp.ordered < block.begin ? 0 : warp.ordered - block.begin + 1;
  }

  void check(Runs runs) {
    if (runs.continues == 0 && width_ == kWordBytes) {
      for (Mask left = runs.starts; left != 0; left &= left - 1) check_word(first_lane(left));
      return;
    }
    for_runs(runs, [this](unsigned lane, unsigned lanes) {
      const std::uint64_t begin = addresses_[lane], end = begin + std::uint64_t{lanes} * width_;
      // Parts of words, if any, come first and last.
      const std::uint64_t words_begin = std::min(end, (begin + kWordBytes - 1) & ~(kWordBytes - 1));
      const std::uint64_t words_end = std::max(words_begin, end & ~(kWordBytes - 1));
      check_bytes(begin, words_begin, lane);
      for (std::uint64_t address = words_begin; address < words_end;) {
        const std::uint64_t next = std::min(words_end, (address | (GlobalMemory::kLineBytes - 1)) + 1);
        check_line(address, static_cast<unsigned>(next - address) / kWordBytes,
                   lane + static_cast<unsigned>(address - begin) / width_);
        address = next;
      }
      check_bytes(words_end, end, lane + static_cast<unsigned>(words_end - begin) / width_);
    });
  }

 private:
  enum Of : unsigned { writer, reader };
  static constexpr Of kOwn = kind == AccessKind::load ? reader : writer;
  static constexpr std::uint64_t kWordBytes = 4;
  static constexpr Moment kWho = (Moment{1} << kMomentTimeShift) - 1;

  Touches line_at(std::uint64_t address) const {
    return {memory_.line_stamps(address), memory_.line_moments(address)};
  }
  Touches word_at(std::uint64_t address) const { return {memory_.stamps(address), memory_.moments(address)}; }
  Touches byte_at(std::uint64_t address) const {
    return {memory_.byte_stamps(address), memory_.byte_moments(address)};
  }

  /// What check_line does, for the one word of a lane that has no neighbours.
  void check_word(unsigned lane) {
    const std::uint64_t address = addresses_[lane];
    const Touches line = line_at(address), word = word_at(address);
    look_at_word<writer>(is_split(line.stamps[writer]) ? word : line, address, lane);
    if constexpr (kind == AccessKind::store) {
      look_at_word<reader>(is_split(line.stamps[reader]) ? word : line, address, lane);
    }
    if constexpr (kind != AccessKind::atomic) {
      split_line<kOwn>(line, address);
      leave_at_word(word, address);
    }
  }

  /// Words of one line from `address` on, the first of them lane `lane`'s.
  void check_line(std::uint64_t address, unsigned words, unsigned lane) {
    const Touches line = line_at(address), first = word_at(address);
    look<writer>(line, first, address, words, lane);
    if constexpr (kind == AccessKind::store) look<reader>(line, first, address, words, lane);
    if constexpr (kind == AccessKind::atomic) return;
    if (words == GlobalMemory::kLineWords && (kind == AccessKind::store || !is_split(line.stamps[reader]))) {
      leave(line);
      return;
    }
    split_line<kOwn>(line, address);
    if constexpr (kind == AccessKind::store) {
      for (unsigned k = 0; k < 2 * words; ++k) first.stamps[k] = k % 2 == writer ? mine_ : first.stamps[k];
      if (!has_others_) return;
      for (unsigned k = 0; k < 2 * words; ++k)
        first.moments[k] = k % 2 == writer ? moment_ : first.moments[k];
    } else {
      leave_reads(first, address, words);
    }
  }

  /// Leaves the reads of words of a line that is split.
  void leave_reads(Touches first, std::uint64_t address, unsigned words) {
    std::uint32_t splits = 0;
    for (unsigned k = 0; k < 2 * words; ++k) splits |= k % 2 == reader && is_split(first.stamps[k]) ? 1U : 0U;
    if (splits != 0 || warp_.block->had_turns || has_acquired()) {
      for (unsigned k = 0; k < words; ++k) leave_at_word(first + k, address + kWordBytes * k);
      return;
    }
    if (has_others_) {
      for (unsigned k = 0; k < 2 * words; ++k) {
        const Moment before = first.moments[k], after = joined(first.stamps[k], before);
        first.moments[k] = k % 2 == reader ? after : before;
      }
    }
    const Stamp many = mine_ + own_;
    for (unsigned k = 0; k < 2 * words; ++k)
      first.stamps[k] = k % 2 != reader ? first.stamps[k] : is_foreign(first.stamps[k]) ? many : mine_;
  }

  /// Bytes from `begin` on, below `end`, which lie in one word; the first of them lane `lane`'s.
  void check_bytes(std::uint64_t begin, std::uint64_t end, unsigned lane) {
    if (begin == end) return;
    const Touches line = line_at(begin), word = word_at(begin);
    const auto look_at = [&]<Of of>() {
      const Touches whole = is_split(line.stamps[of]) ? word : line;
      for (std::uint64_t byte = begin; byte < end; ++byte) {
        const Touches touches = is_split(whole.stamps[of]) ? byte_at(byte) : whole;
        look_at_one<of>(touches, byte, lane + static_cast<unsigned>(byte - begin) / width_);
      }
    };
    look_at.template operator()<writer>();
    if constexpr (kind == AccessKind::store) look_at.template operator()<reader>();
    if constexpr (kind != AccessKind::atomic) {
      split_line<kOwn>(line, begin);
      split<kOwn>(word, byte_at(begin & ~(kWordBytes - 1)), kWordBytes);
      for (std::uint64_t byte = begin; byte < end; ++byte) leave(byte_at(byte));
    }
  }

  /// Whether the parts must be asked.
  bool is_split(Stamp whole) const { return whole >= (kSplitLine | first_); }
  /// Whether a stamp is of this launch and not of this turn.
  bool is_foreign(Stamp stamp) const {
    return stamp >= first_ && stamp - turn_ >= own_ && stamp < kSplitLine;
  }
  /// Whether a moment of this block is another warp's too and not before all that this warp does now.
  bool is_unordered(Moment moment) const {
    return (moment >> kMomentTimeShift > ordered_) & ((moment & kWho) != warp_.index);
  }
  /// Whether a touch may be unordered before this one.
  bool is_suspicious(Stamp stamp, Moment moment) const {
    const bool touched = (stamp >= first_) & (stamp < kSplitLine);
    const bool other = (stamp - turn_ >= own_) | (has_others_ & is_unordered(moment));
    return touched & other;
  }
  /// The stamp of a word that this access reads too. Readers that are ordered before this one are forgotten:
  /// who is ordered after this one is ordered after them all.
  Stamp joined(Stamp stamp) const {
    if (!is_foreign(stamp) || is_of_earlier_turn(stamp)) return mine_;
    return has_acquired() && is_ordered_before(warp_, stamp) ? mine_ : mine_ + own_;
  }
  /// Likewise of its moment, which says nothing where the stamp is another block's.
  Moment joined(Stamp stamp, Moment moment) const {
    const bool is_beside = (stamp - turn_ < own_) & is_unordered(moment);
    return moment_ | (is_beside ? kSeveralWarps : 0);
  }
  bool is_of_earlier_turn(Stamp stamp) const { return warp_.block->had_turns && is_own(*warp_.block, stamp); }
  /// Whether other blocks may be ordered before this one.
  bool has_acquired() const {
    const Grid& grid = *warp_.block->grid;
    return grid.acquired != nullptr &&
           grid.acquired[warp_.block->linear].load(std::memory_order_relaxed) != 0;
  }

  void examine(unsigned lane, std::uint64_t address, Stamp stamp, Moment moment, Of of) {
    examine_global_conflict(warp_, instruction_, lane, address, {stamp, moment, of == reader}, kind, value_,
                            addresses_[lane], width_);
  }

  template <Of of>
  void look_at_one(Touches touches, std::uint64_t address, unsigned lane) {
    if (is_suspicious(touches.stamps[of], touches.moments[of]))
      examine(lane, address, touches.stamps[of], touches.moments[of], of);
  }

  /// A word, of which `lane` is the first lane's that accesses it.
  template <Of of>
  void look_at_word(Touches word, std::uint64_t address, unsigned lane) {
    const bool ask_bytes = is_split(word.stamps[of]);
    if (!ask_bytes && !is_suspicious(word.stamps[of], word.moments[of])) return;
    if (!ask_bytes && width_ >= kWordBytes) return look_at_one<of>(word, address, lane);
    for (unsigned k = 0; k < kWordBytes; ++k)
      look_at_one<of>(ask_bytes ? byte_at(address + k) : word, address + k, lane + k / width_);
  }

  /// Examines those words that another warp wrote or read.
  template <Of of>
  void look(Touches line, Touches first, std::uint64_t address, unsigned words, unsigned lane) {
    const bool ask_words = is_split(line.stamps[of]);
    if (ask_words) {
      std::uint32_t touched = 0;
      for (unsigned k = 0; k < 2 * words; ++k) touched |= k % 2 == of && first.stamps[k] >= first_ ? 1U : 0U;
      if (touched == 0) return;
      std::uint32_t found = 0;
      for (unsigned k = 0; k < 2 * words; ++k) {
        const Stamp stamp = first.stamps[k];
        const Moment moment = first.moments[k];
        const bool suspicious = is_suspicious(stamp, moment) || is_split(stamp);
        found |= k % 2 == of && suspicious ? 1U : 0U;
      }
      if (found == 0) return;
    } else if (!is_suspicious(line.stamps[of], line.moments[of])) {
      return;
    }
    for (unsigned k = 0; k < words; ++k)
      look_at_word<of>(ask_words ? first + k : line, address + kWordBytes * k,
                       lane + static_cast<unsigned>(kWordBytes) * k / width_);
  }

  /// Leaves this access where nothing is split.
  void leave(Touches touches) const {
    if (has_others_) {
      touches.moments[kOwn] =
          kOwn == reader ? joined(touches.stamps[reader], touches.moments[reader]) : moment_;
    }
    touches.stamps[kOwn] = kOwn == reader ? joined(touches.stamps[reader]) : mine_;
  }
  /// Leaves it at a word of a line that is split. Bytes keep what they know of readers.
  void leave_at_word(Touches word, std::uint64_t address) const {
    if (kOwn == writer || !is_split(word.stamps[kOwn])) return leave(word);
    for (unsigned k = 0; k < kWordBytes; ++k) leave(byte_at(address + k));
  }

  /// From now on the `n` parts of a line or a word are asked.
  template <Of of>
  void split(Touches whole, Touches parts, unsigned n) const {
    const Stamp before = whole.stamps[of];
    if (is_split(before)) return;
    if (before >= first_ && before < kSplitLine) {
      for (unsigned k = 0; k < n; ++k) parts.stamps[2 * k + of] = before;
      for (unsigned k = 0; has_others_ && k < n; ++k) parts.moments[2 * k + of] = whole.moments[of];
    }
    whole.stamps[of] = kSplitLine | mine_;
  }
  template <Of of>
  void split_line(Touches line, std::uint64_t address) const {
    split<of>(line, word_at(address & ~(GlobalMemory::kLineBytes - 1)), GlobalMemory::kLineWords);
  }

  Warp& warp_;
  const GlobalMemory& memory_;
  const Instruction& instruction_;
  const std::uint64_t* addresses_;
  unsigned width_;
  const ValueOf* value_;
  Stamp first_ = 0, turn_ = 0;
  std::uint32_t own_ = 0;  ///< stamps of the turn
  Stamp mine_ = 0;
  bool has_others_ = false;  ///< the block has more warps than this one
  Moment moment_ = 0;        ///< of this access
  std::uint32_t ordered_ = 0;
};

}  // namespace lockstep::emulator::LOCKSTEP_LEVEL
