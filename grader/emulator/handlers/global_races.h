// Whether blocks, or warps of one block, touch the same words of global memory unordered: looks at the visits
// that earlier accesses left where an access touches, and leaves its own.
//
// A line of memory has visits besides those of its words. An access of the whole line, which is what
// coalesced code does, looks at and leaves just these; an access of a part leaves a mark there that sends
// others to the words. So does an access of a part of a word, and sends others to the bytes.
//
// A line is held while it is looked at: of two accesses by two workers one comes second, and finds the other.
// What a store writes it writes before it lets go, so that who comes second finds the value too.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>

#include "emulator/checks/violations.h"
#include "emulator/handlers/runs.h"

namespace lockstep::emulator::LOCKSTEP_LEVEL {

/// A line of memory whose visits, and those of its words and bytes, one worker at a time looks at.
class HeldLine {
 public:
  /// `shared`: with other workers, who wait until the line is let go.
  explicit HeldLine(bool shared) : shared_(shared) {}
  HeldLine(const HeldLine&) = delete;
  HeldLine& operator=(const HeldLine&) = delete;
  ~HeldLine() { let_go(); }

  bool is(const LineVisits& line) const { return line_ == &line; }
  void take(LineVisits& line) {
    if (!shared_) {
      visits = line;
    } else {
      visits[kWriter] = wait_for(line[kWriter]);
      visits[kReader] = line[kReader];
    }
    line_ = &line;
  }
  void let_go() {
    if (line_ == nullptr) return;
    (*line_)[kReader] = visits[kReader];
    __atomic_store(&(*line_)[kWriter], &visits[kWriter], __ATOMIC_RELEASE);
    line_ = nullptr;
  }

  LineVisits visits;  ///< of the line, as they will be when it is let go

 private:
  static Visit wait_for(Visit& writer) {
    Visit found, held = kHeldVisit;
    for (unsigned round = 1;; ++round) {
      __atomic_exchange(&writer, &held, &found, __ATOMIC_ACQUIRE);
      if (found != kHeldVisit) return found;
      constexpr unsigned kRounds = 64;  // then its holder may be waiting for this processor
      if (round % kRounds == 0) std::this_thread::yield();
      _mm_pause();
    }
  }

  bool shared_;
  LineVisits* line_ = nullptr;
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
        value_(value),
        line_(warp.block->grid->many_workers) {
    ThreadBlock& block = *warp.block;
    const std::uint32_t now = block.grid->clock.load(std::memory_order_relaxed);
    if (now != block.turn_time) begin_turn(block, now);
    const StampBook& book = *block.grid->stamps;
    first_ = book.first();
    turn_ = block.turn;
    own_ = book.instructions();
    const Stamp mine = turn_ + (instruction.counter - block.grid->kernel->first_counter);
    warp_index_ = warp.index;
    Moment moment = 0;
    if (block.warp_count > 1) {
      const std::uint32_t time = block.now - block.begin + 1;
      moment = time < kMomentTimes ? time << kMomentTimeShift | warp.index : 0;
      ordered_ = warp.ordered < block.begin ? 0 : warp.ordered - block.begin + 1;
    }
    mine_ = Visit(mine, moment);
    if constexpr (kind == AccessKind::load) joins_all_ = !block.had_turns && !has_acquired();
  }

  void check(Runs runs) {
    if (runs.continues == 0 && width_ == kWordBytes) {
      for (Mask left = runs.starts; left != 0; left &= left - 1) check_word(first_lane(left));
      return line_.let_go();
    }
    for_runs(runs, [this](unsigned lane, unsigned lanes) {
      const std::uint64_t begin = addresses_[lane], end = begin + std::uint64_t{lanes} * width_;
      const auto lane_at = [&](std::uint64_t address) {
        return lane + static_cast<unsigned>(address - begin) / width_;
      };
      for (std::uint64_t address = begin; address < end;) {
        const std::uint64_t next = std::min(end, (address | (GlobalMemory::kLineBytes - 1)) + 1);
        // Parts of words, if any, come first and last.
        const std::uint64_t words_begin = std::min(next, (address + kWordBytes - 1) & ~(kWordBytes - 1));
        const std::uint64_t words_end = std::max(words_begin, next & ~(kWordBytes - 1));
        hold(address);
        check_bytes(address, words_begin, lane_at(address));
        if (words_begin != words_end) {
          check_words(words_begin, static_cast<unsigned>(words_end - words_begin) / kWordBytes,
                      lane_at(words_begin));
        }
        check_bytes(words_end, next, lane_at(words_end));
        store(lane_at(address), static_cast<unsigned>(next - address) / width_);
        address = next;
      }
    });
    line_.let_go();
  }

 private:
  static constexpr Visitor kOwn = kind == AccessKind::load ? kReader : kWriter;
  static constexpr std::uint64_t kWordBytes = 4;
  static constexpr Moment kWho = (Moment{1} << kMomentTimeShift) - 1;

  /// Holds the line of an address from now on, and no other.
  void hold(std::uint64_t address) {
    LineVisits& line = memory_.line_visits(address);
    if (line_.is(line)) return;
    line_.let_go();
    line_.take(line);
  }

  /// Writes what some lanes store, before another worker looks at the line.
  void store(unsigned lane, unsigned lanes) {
    if constexpr (kind != AccessKind::store) return;
    if (warp_.block->grid->many_workers) value_->write(lane, lanes, width_, memory_.host(addresses_[lane]));
  }

  /// The one word of a lane that has no neighbours.
  void check_word(unsigned lane) {
    const std::uint64_t address = addresses_[lane];
    hold(address);
    look_at_word<kWriter>(address, lane);
    if constexpr (kind == AccessKind::store) look_at_word<kReader>(address, lane);
    if constexpr (kind != AccessKind::atomic) {
      split_line(address);
      leave_at_word(address);
    }
    store(lane, 1);
  }

  /// Words of the held line from `address` on, the first of them lane `lane`'s.
  void check_words(std::uint64_t address, unsigned words, unsigned lane) {
    look<kWriter>(address, words, lane);
    if constexpr (kind == AccessKind::store) look<kReader>(address, words, lane);
    if constexpr (kind == AccessKind::atomic) return;
    Visit& line = line_.visits[kOwn];
    if (words == GlobalMemory::kLineWords && (kind == AccessKind::store || !is_split(line)))
      return leave(line);
    split_line(address);
    if constexpr (kind == AccessKind::store) {
      std::fill_n(memory_.word_visits(kWriter, address), words, mine_);
    } else {
      leave_reads(address, words);
    }
  }

  /// Leaves the reads of words of a line that is split.
  void leave_reads(std::uint64_t address, unsigned words) {
    Visit* const visits = memory_.word_visits(kReader, address);
    std::uint32_t splits = 0;
    for (unsigned k = 0; k < words; ++k) splits |= is_split(visits[k]) ? 1U : 0U;
    if (splits != 0 || !joins_all_) {
      for (unsigned k = 0; k < words; ++k) leave_at_word(address + kWordBytes * k);
    } else {
      for (unsigned k = 0; k < words; ++k) visits[k] = joined(visits[k]);
    }
  }

  /// Bytes from `begin` on, below `end`, which lie in one word; the first of them lane `lane`'s.
  void check_bytes(std::uint64_t begin, std::uint64_t end, unsigned lane) {
    if (begin == end) return;
    const auto look_at = [&]<Visitor of>() {
      const Visit whole = word_visit<of>(begin);
      for (std::uint64_t byte = begin; byte < end; ++byte) {
        look_at_one<of>(is_split(whole) ? *memory_.byte_visits(of, byte) : whole, byte,
                        lane + static_cast<unsigned>(byte - begin) / width_);
      }
    };
    look_at.template operator()<kWriter>();
    if constexpr (kind == AccessKind::store) look_at.template operator()<kReader>();
    if constexpr (kind != AccessKind::atomic) {
      split_line(begin);
      split(*memory_.word_visits(kOwn, begin), memory_.byte_visits(kOwn, begin & ~(kWordBytes - 1)),
            kWordBytes);
      for (std::uint64_t byte = begin; byte < end; ++byte) leave(*memory_.byte_visits(kOwn, byte));
    }
  }

  /// Whether the parts must be asked.
  bool is_split(Visit whole) const { return whole.stamp() >= (kSplitLine | first_); }
  /// Whether a stamp is of this launch and not of this turn.
  bool is_foreign(Stamp stamp) const {
    return (stamp >= first_) & (stamp - turn_ >= own_) & (stamp < kSplitLine);
  }
  /// Whether a moment of this block is another warp's too and not before all that this warp does now.
  bool is_unordered(Moment moment) const {
    return (moment >> kMomentTimeShift > ordered_) & ((moment & kWho) != warp_index_);
  }
  /// Whether a visit may be unordered before this one.
  bool is_suspicious(Visit visit) const {
    const Stamp stamp = visit.stamp();
    const bool touched = (stamp >= first_) & (stamp < kSplitLine), others = stamp - turn_ >= own_;
    const bool unordered = is_unordered(visit.moment());
    return touched & (others | unordered);
  }
  /// The visit to a word that this access reads too, without a branch, as words of one access differ. The
  /// moment says nothing where the stamp is another block's.
  Visit joined(Visit before) const {
    const Stamp others = is_foreign(before.stamp()) ? own_ : 0;
    const bool is_own = before.stamp() - turn_ < own_, unordered = is_unordered(before.moment());
    const bool is_beside = is_own & unordered;
    return Visit(mine_.stamp() + others, mine_.moment() | (is_beside ? kSeveralWarps : 0));
  }
  /// The same where some of the readers are ordered before this one. They are forgotten: who is ordered after
  /// this one is ordered after them all.
  Visit joined_in_order(Visit before) const {
    const bool is_forgotten =
        is_foreign(before.stamp()) &&
        (is_of_earlier_turn(before.stamp()) || (has_acquired() && is_ordered_before(warp_, before.stamp())));
    return is_forgotten ? mine_ : joined(before);
  }
  bool is_of_earlier_turn(Stamp stamp) const { return warp_.block->had_turns && is_own(*warp_.block, stamp); }
  /// Whether other blocks may be ordered before this one.
  bool has_acquired() const {
    const Grid& grid = *warp_.block->grid;
    return grid.acquired != nullptr &&
           grid.acquired[warp_.block->linear].load(std::memory_order_relaxed) != 0;
  }

  /// What is known of a word of the held line, be it of the line as a whole.
  template <Visitor of>
  Visit word_visit(std::uint64_t address) const {
    const Visit line = line_.visits[of];
    return is_split(line) ? *memory_.word_visits(of, address) : line;
  }

  template <Visitor of>
  void look_at_one(Visit visit, std::uint64_t address, unsigned lane) {
    if (!is_suspicious(visit)) return;
    examine_global_conflict(warp_, instruction_, lane, address,
                            {visit.stamp(), visit.moment(), of == kReader}, kind, value_, addresses_[lane],
                            width_);
  }

  /// A word, of which `lane` is the first lane's that accesses it.
  template <Visitor of>
  void look_at_word(std::uint64_t address, unsigned lane) {
    const Visit word = word_visit<of>(address);
    const bool ask_bytes = is_split(word);
    if (!ask_bytes && !is_suspicious(word)) return;
    if (!ask_bytes && width_ >= kWordBytes) return look_at_one<of>(word, address, lane);
    for (unsigned k = 0; k < kWordBytes; ++k) {
      look_at_one<of>(ask_bytes ? *memory_.byte_visits(of, address + k) : word, address + k,
                      lane + k / width_);
    }
  }

  /// Examines those words that another warp wrote or read.
  template <Visitor of>
  void look(std::uint64_t address, unsigned words, unsigned lane) {
    const Visit line = line_.visits[of];
    if (is_split(line)) {
      const Visit* const visits = memory_.word_visits(of, address);
      std::uint32_t found = 0;
      for (unsigned k = 0; k < words; ++k)
        found |= std::uint32_t{is_suspicious(visits[k])} | std::uint32_t{is_split(visits[k])};
      if (found == 0) return;
    } else if (!is_suspicious(line)) {
      return;
    }
    for (unsigned k = 0; k < words; ++k) {
      look_at_word<of>(address + kWordBytes * k, lane + static_cast<unsigned>(kWordBytes) * k / width_);
    }
  }

  /// Leaves this access where nothing is split.
  void leave(Visit& visit) const {
    if constexpr (kOwn == kWriter) {
      visit = mine_;
    } else {
      visit = joins_all_ ? joined(visit) : joined_in_order(visit);
    }
  }
  /// Leaves it at a word of a line that is split. Bytes keep what they know of readers.
  void leave_at_word(std::uint64_t address) const {
    Visit& word = *memory_.word_visits(kOwn, address);
    if (kOwn == kWriter || !is_split(word)) return leave(word);
    for (unsigned k = 0; k < kWordBytes; ++k) leave(*memory_.byte_visits(kOwn, address + k));
  }

  /// From now on the `n` parts of a line or a word are asked.
  void split(Visit& whole, Visit* parts, unsigned n) const {
    if (is_split(whole)) return;
    if (whole.stamp() >= first_ && whole.stamp() < kSplitLine) std::fill_n(parts, n, whole);
    whole = Visit(kSplitLine | mine_.stamp(), 0);
  }
  void split_line(std::uint64_t address) {
    split(line_.visits[kOwn], memory_.word_visits(kOwn, address & ~(GlobalMemory::kLineBytes - 1)),
          GlobalMemory::kLineWords);
  }

  Warp& warp_;
  const GlobalMemory& memory_;
  const Instruction& instruction_;
  const std::uint64_t* addresses_;
  unsigned width_;
  const ValueOf* value_;
  HeldLine line_;
  Stamp first_ = 0, turn_ = 0;
  std::uint32_t own_ = 0;  ///< stamps of the turn
  std::uint32_t warp_index_ = 0, ordered_ = 0;
  Visit mine_;              ///< of this access; a block of one warp needs no moment
  bool joins_all_ = false;  ///< no earlier access of another block can be ordered before this one
};

}  // namespace lockstep::emulator::LOCKSTEP_LEVEL
