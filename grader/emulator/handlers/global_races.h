// Whether blocks, or threads of one block, touch the same words of global memory unordered: looks at the
// visits that earlier accesses left where an access touches, and leaves its own.
//
// A line of memory has visits besides those of its words. An access of the whole line, which is what
// coalesced code does, looks at and leaves just these; an access of a part leaves a mark there that sends
// others to the words. So does an access of a part of a word, and sends others to the bytes.
//
// A line is held while it is looked at: of two accesses by two workers one comes second, and finds the other.
// What a store writes it writes before it lets go, so that who comes second finds the value too. Held lines
// are written to, and workers that hold the same one wait for each other: an access that would leave nothing
// new, as most of those to what many blocks read or add to, looks without holding.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <thread>

#include "emulator/checks/violations.h"
#include "emulator/handlers/runs.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {

using memory::kReader;
using memory::kWriter;
using memory::LineVisits;
using memory::Moment;
using memory::Stamp;
using memory::Visit;
using memory::Visitor;

/// What another worker may be leaving at this moment.
inline Visit read_visit(const Visit& visit) {
  Visit found;
  __atomic_load(&visit, &found, __ATOMIC_ACQUIRE);
  return found;
}

/// A line's last writer, as soon as nobody holds the line.
inline Visit read_when_free(const Visit& writer) {
  for (unsigned round = 1;; ++round) {
    const Visit found = read_visit(writer);
    if (found != memory::kHeldVisit) return found;
    constexpr unsigned kRounds = 64;  // then its holder may be waiting for this processor
    if (round % kRounds == 0) std::this_thread::yield();
    _mm_pause();
  }
}

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
    for (;;) {
      read_when_free(writer);
      Visit found, held = memory::kHeldVisit;
      __atomic_exchange(&writer, &held, &found, __ATOMIC_ACQUIRE);
      if (found != memory::kHeldVisit) return found;
    }
  }

  bool shared_;
  LineVisits* line_ = nullptr;
};

template <AccessKind kind>
class GlobalRaceCheck {
 public:
  GlobalRaceCheck(Warp& warp, const Instruction& instruction, Mask active, const std::uint64_t* addresses,
                  unsigned width, const ValueOf* value = nullptr)
      : warp_(warp),
        memory_(*warp.block->grid->memory),
        instruction_(instruction),
        access_{kind, active, addresses, width, value},
        width_shift_(static_cast<unsigned>(std::countr_zero(width))),
        line_(warp.block->grid->many_workers) {
    state::ThreadBlock& block = *warp.block;
    const std::uint32_t now = block.grid->clock.load(std::memory_order_relaxed);
    if (now != block.epoch_time || !checks::has_moments(block)) checks::begin_epoch(block, now);
    const memory::StampBook& book = *block.grid->stamps;
    first_ = book.first();
    epoch_ = block.epoch;
    own_ = book.instructions();
    current_ = book.first_at(now);
    mine_ = epoch_ + (instruction.counter - block.grid->kernel->first_counter);
    const auto moment_at = [&](Time time) {
      return time < block.moments_begin ? 0 : (time - block.moments_begin + 1) << memory::kMomentTimeShift;
    };
    warp_index_ = warp.index;
    now_ = moment_at(block.now) | warp.index;
    ordered_ = moment_at(warp.ordered) | memory::kMomentThreads;
    // A fence of the warp and a later acquire of the block order its lanes too.
    const Time fenced = std::min(warp.fenced, std::max(block.acquired, Time{1}) - 1);
    synced_ = moment_at(std::max(warp.synced, fenced)) | memory::kMomentThreads;
    if constexpr (kind == AccessKind::load) joins_all_ = !block.had_epochs && !has_acquired();
    if (width >= kWordBytes) {
      line_sharers_ = (kWordShift + kLineShift - width_shift_) << memory::kMomentSharersShift;
    } else {
      word_sharers_ = (kWordShift - width_shift_) << memory::kMomentSharersShift;
    }
  }

  /// Of lanes that are not in `runs` others access the same.
  void check(Runs runs) {
    if (kind == AccessKind::load && (runs.starts | runs.continues) != access_.active)
      byte_sharers_ = word_sharers_ = line_sharers_ = memory::kSeveralThreads;
    if (kind != AccessKind::store && adds_nothing(runs)) return;
    if (runs.continues == 0 && access_.width == kWordBytes) {
      for (Mask left = runs.starts; left != 0; left &= left - 1) check_word(first_lane(left));
      return line_.let_go();
    }
    for_runs(runs, [this](unsigned lane, unsigned lanes) {
      const std::uint64_t begin = access_.addresses[lane];
      const std::uint64_t end = begin + (std::uint64_t{lanes} << width_shift_);
      const auto lane_at = [&](std::uint64_t address) {
        return lane + (static_cast<unsigned>(address - begin) >> width_shift_);
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
        store(lane_at(address), static_cast<unsigned>(next - address) >> width_shift_);
        address = next;
      }
    });
    line_.let_go();
  }

 private:
  static constexpr Visitor kOwn = kind == AccessKind::load ? kReader : kWriter;
  static constexpr std::uint64_t kWordBytes = 4;
  static constexpr unsigned kWordShift = 2, kLineShift = 5;  ///< parts, as powers of two
  static_assert(GlobalMemory::kLineWords == 1U << kLineShift);

  /// Holds the line of an address from now on, and no other.
  void hold(std::uint64_t address) {
    LineVisits& line = memory_.line_visits(address);
    if (line_.is(line)) return;
    line_.let_go();
    line_.take(line);
  }

  /// Whether it is plain without holding a line that this access finds nothing, and leaves nothing that is
  /// not there: it meets no other thread's write, and is an atomic operation, which leaves no visit, or reads
  /// what several blocks have read since the clock ticked last.
  bool adds_nothing(Runs runs) const {
    if (access_.width < kWordBytes) return false;
    const auto is_plain = [this](unsigned lane, unsigned lanes) {
      const std::uint64_t begin = access_.addresses[lane],
                          end = begin + (std::uint64_t{lanes} << width_shift_);
      for (std::uint64_t address = begin; address < end;) {
        const std::uint64_t next = std::min(end, (address | (GlobalMemory::kLineBytes - 1)) + 1);
        if (!adds_nothing(address, next, lane_of_byte(lane, static_cast<unsigned>(address - begin))))
          return false;
        address = next;
      }
      return true;
    };
    bool all = true;
    for_runs(runs, [&](unsigned lane, unsigned lanes) { all = all && is_plain(lane, lanes); });
    return all;
  }
  /// Of words of one line.
  bool adds_nothing(std::uint64_t begin, std::uint64_t end, unsigned lane) const {
    const LineVisits& visits = memory_.line_visits(begin);
    // Who finds the line held waits and looks again: if it held the line too, the next one would find it
    // held, and so on among many workers for as long as the kernel runs.
    const Visit writer = read_when_free(visits[kWriter]), reader = read_visit(visits[kReader]);
    const bool asks_readers = kind == AccessKind::load && is_split(reader);
    if (kind == AccessKind::load && !asks_readers && !is_of_several_blocks(reader)) return false;
    for (std::uint64_t address = begin; address < end; address += kWordBytes) {
      const unsigned own_lane = lane_of_byte(lane, static_cast<unsigned>(address - begin));
      const Visit written = is_split(writer) ? read_visit(*memory_.word_visits(kWriter, address))
                                             : part_of(writer, word_in_line(address), kLineShift);
      if (is_split(written) || is_suspicious(written, moment_of(own_lane, word_sharers_))) return false;
      if (asks_readers && !is_of_several_blocks(read_visit(*memory_.word_visits(kReader, address))))
        return false;
    }
    return true;
  }
  /// Whether a reader's visit stands for several blocks and, as nobody can have acquired anything since,
  /// would be left so again.
  bool is_of_several_blocks(Visit reader) const {
    return (reader.moment() & memory::kMomentSharers) == memory::kSeveralBlocks &&
           reader.stamp() >= current_ && reader.stamp() < memory::kSplitLine;
  }

  /// Writes what some lanes store, before another worker looks at the line.
  void store(unsigned lane, unsigned lanes) {
    if constexpr (kind != AccessKind::store) return;
    if (warp_.block->grid->many_workers)
      access_.value->write(lane, lanes, access_.width, memory_.host(access_.addresses[lane]));
  }

  /// This access, of a line, a word or a byte with so many sharers, of which `lane` has the first byte.
  Moment moment_of(unsigned lane, Moment sharers) const {
    return now_ | sharers | lane << memory::kMomentLaneShift;
  }
  Visit visit_of(unsigned lane, Moment sharers) const { return Visit(mine_, moment_of(lane, sharers)); }
  /// The lane of a run that has byte `k` of it.
  unsigned lane_of_byte(unsigned lane, unsigned k) const { return lane + (k >> width_shift_); }
  unsigned lane_of_word(unsigned lane, unsigned k) const { return lane_of_byte(lane, kWordBytes * k); }

  /// The one word of a lane that has no neighbours.
  void check_word(unsigned lane) {
    const std::uint64_t address = access_.addresses[lane];
    hold(address);
    look_at_word<kWriter>(address, lane);
    if constexpr (kind == AccessKind::store) look_at_word<kReader>(address, lane);
    if constexpr (kind != AccessKind::atomic) {
      split_line(address);
      leave_at_word(address, lane);
    }
    store(lane, 1);
  }

  /// Words of the held line from `address` on, the first of them lane `lane`'s.
  void check_words(std::uint64_t address, unsigned words, unsigned lane) {
    look<kWriter>(address, words, lane);
    if constexpr (kind == AccessKind::store) look<kReader>(address, words, lane);
    if constexpr (kind == AccessKind::atomic) return;
    Visit& line = line_.visits[kOwn];
    if (words == GlobalMemory::kLineWords &&
        (kind == AccessKind::store || (!is_split(line) && !is_mixed(line, line_sharers_)))) {
      return leave(line, visit_of(lane, line_sharers_));
    }
    split_line(address);
    if constexpr (kind == AccessKind::store) {
      Visit* const visits = memory_.word_visits(kWriter, address);
      for (unsigned k = 0; k < words; ++k) visits[k] = visit_of(lane_of_word(lane, k), word_sharers_);
    } else {
      leave_reads(address, words, lane);
    }
  }

  /// Leaves the reads of words of a line that is split.
  void leave_reads(std::uint64_t address, unsigned words, unsigned lane) {
    Visit* const visits = memory_.word_visits(kReader, address);
    std::uint32_t splits = 0;
    for (unsigned k = 0; k < words; ++k)
      splits |= std::uint32_t{is_split(visits[k])} | std::uint32_t{is_mixed(visits[k], word_sharers_)};
    if (splits != 0 || !joins_all_) {
      for (unsigned k = 0; k < words; ++k) leave_at_word(address + kWordBytes * k, lane_of_word(lane, k));
    } else {
      for (unsigned k = 0; k < words; ++k)
        visits[k] = joined(visits[k], visit_of(lane_of_word(lane, k), word_sharers_));
    }
  }

  /// Bytes from `begin` on, below `end`, which lie in one word; the first of them lane `lane`'s.
  void check_bytes(std::uint64_t begin, std::uint64_t end, unsigned lane) {
    if (begin == end) return;
    const auto lane_at = [&](std::uint64_t byte) {
      return lane_of_byte(lane, static_cast<unsigned>(byte - begin));
    };
    const auto look_at = [&]<Visitor of>() {
      const Visit whole = word_visit<of>(begin);
      for (std::uint64_t byte = begin; byte < end; ++byte)
        look_at_one<of>(byte_visit<of>(whole, byte), byte, lane_at(byte));
    };
    look_at.template operator()<kWriter>();
    if constexpr (kind == AccessKind::store) look_at.template operator()<kReader>();
    if constexpr (kind != AccessKind::atomic) {
      split_line(begin);
      split_word(begin);
      for (std::uint64_t byte = begin; byte < end; ++byte)
        leave(*memory_.byte_visits(kOwn, byte), visit_of(lane_at(byte), byte_sharers_));
    }
  }

  /// Whether the parts must be asked.
  bool is_split(Visit whole) const { return whole.stamp() >= (memory::kSplitLine | first_); }
  /// Whether a stamp is of this launch and not of this epoch.
  bool is_foreign(Stamp stamp) const {
    return (stamp >= first_) & (stamp - epoch_ >= own_) & (stamp < memory::kSplitLine);
  }
  bool is_of_warp(Moment moment) const {
    return (moment & (memory::kMomentWarps | memory::kSeveralWarps)) == warp_index_;
  }
  /// Whether a moment of this block is other threads' than those of `mine`, and not before all that this warp
  /// does now.
  bool is_unordered(Moment moment, Moment mine) const {
    const bool of_others = ((moment ^ mine) & memory::kMomentThreads) != 0;
    return of_others & (moment > (is_of_warp(moment) ? synced_ : ordered_));
  }
  /// Whether a visit may be unordered before this one.
  bool is_suspicious(Visit visit, Moment mine) const {
    const Stamp stamp = visit.stamp();
    const bool touched = (stamp >= first_) & (stamp < memory::kSplitLine), others = stamp - epoch_ >= own_;
    const bool unordered = is_unordered(visit.moment(), mine);
    return touched & (others | unordered);
  }
  /// Whether lanes of the warp share in another way what they have read, with no barrier since: then which of
  /// them are the same is for the parts to say.
  bool is_mixed(Visit before, Moment sharers) const {
    const Moment earlier = before.moment() & memory::kMomentSharers;
    const bool differs =
        (earlier != sharers) & (earlier != memory::kSeveralThreads) & (sharers != memory::kSeveralThreads);
    const bool is_own = before.stamp() - epoch_ < own_, of_warp = is_of_warp(before.moment());
    const bool is_later = before.moment() > synced_;
    return differs & is_own & of_warp & is_later;
  }
  /// The visit to a word that this access reads too, without a branch, as words of one access differ. The
  /// moment says nothing where the stamp is another block's.
  Visit joined(Visit before, Visit mine) const {
    const bool foreign = is_foreign(before.stamp());
    const Stamp others = foreign ? own_ : 0;
    const bool is_own = before.stamp() - epoch_ < own_;
    const bool is_beside = is_own & is_unordered(before.moment(), mine.moment());
    const bool of_warp = is_of_warp(before.moment());
    const Moment dropped = (is_beside & of_warp) ? memory::kMomentSharers : 0;
    const Moment added = foreign     ? memory::kSeveralBlocks
                         : is_beside ? (of_warp ? memory::kSeveralThreads : memory::kSeveralWarps)
                                     : 0;
    return Visit(mine.stamp() + others, (mine.moment() & ~dropped) | added);
  }
  /// The same where some of the readers are ordered before this one. They are forgotten: who is ordered after
  /// this one is ordered after them all.
  Visit joined_in_order(Visit before, Visit mine) const {
    const bool is_forgotten =
        is_foreign(before.stamp()) && (is_of_earlier_epoch(before.stamp()) ||
                                       (has_acquired() && checks::is_ordered_before(warp_, before.stamp())));
    return is_forgotten ? mine : joined(before, mine);
  }
  bool is_of_earlier_epoch(Stamp stamp) const {
    return warp_.block->had_epochs && checks::is_own(*warp_.block, stamp);
  }
  /// Whether other blocks may be ordered before this one.
  bool has_acquired() const {
    const Grid& grid = *warp_.block->grid;
    return grid.acquired != nullptr &&
           grid.acquired[warp_.block->linear].load(std::memory_order_relaxed) != 0;
  }

  static Visit part_of(Visit whole, unsigned part, unsigned log_parts) {
    return Visit(whole.stamp(), memory::moment_of_part(whole.moment(), part, log_parts));
  }
  static unsigned word_in_line(std::uint64_t address) {
    return static_cast<unsigned>(address % GlobalMemory::kLineBytes / kWordBytes);
  }
  /// What is known of a word of the held line, be it of the line as a whole.
  template <Visitor of>
  Visit word_visit(std::uint64_t address) const {
    const Visit line = line_.visits[of];
    return is_split(line) ? *memory_.word_visits(of, address)
                          : part_of(line, word_in_line(address), kLineShift);
  }
  /// What is known of a byte, be it of its word, `whole`.
  template <Visitor of>
  Visit byte_visit(Visit whole, std::uint64_t address) const {
    return is_split(whole) ? *memory_.byte_visits(of, address)
                           : part_of(whole, address % kWordBytes, kWordShift);
  }

  /// A byte, or a word that no lanes share.
  template <Visitor of>
  void look_at_one(Visit visit, std::uint64_t address, unsigned lane) {
    if (!is_suspicious(visit, moment_of(lane, byte_sharers_))) return;
    checks::examine_global_conflict(warp_, instruction_, access_, lane, address,
                                    {visit.stamp(), visit.moment(), of == kReader});
  }

  /// A word, of which `lane` is the first lane's that accesses it.
  template <Visitor of>
  void look_at_word(std::uint64_t address, unsigned lane) {
    const Visit word = word_visit<of>(address);
    const bool ask_bytes = is_split(word);
    if (!ask_bytes && !is_suspicious(word, moment_of(lane, word_sharers_))) return;
    const Moment sharers = word.moment() & memory::kMomentSharers;
    const bool is_shared = ask_bytes || (sharers != 0 && sharers < memory::kSeveralThreads);
    if (!is_shared && access_.width >= kWordBytes) return look_at_one<of>(word, address, lane);
    for (unsigned k = 0; k < kWordBytes; ++k)
      look_at_one<of>(byte_visit<of>(word, address + k), address + k, lane_of_byte(lane, k));
  }

  /// Examines those words that another thread wrote or read.
  template <Visitor of>
  void look(std::uint64_t address, unsigned words, unsigned lane) {
    const Visit line = line_.visits[of];
    if (is_split(line)) {
      const Visit* const visits = memory_.word_visits(of, address);
      std::uint32_t found = 0;
      for (unsigned k = 0; k < words; ++k) {
        const Moment mine = moment_of(lane_of_word(lane, k), word_sharers_);
        found |= std::uint32_t{is_suspicious(visits[k], mine)} | std::uint32_t{is_split(visits[k])};
      }
      if (found == 0) return;
    } else {
      const unsigned before = lane_of_word(0, word_in_line(address));
      if (!is_suspicious(line, moment_of((lane - before) % kLanes, line_sharers_))) return;
    }
    for (unsigned k = 0; k < words; ++k) look_at_word<of>(address + kWordBytes * k, lane_of_word(lane, k));
  }

  /// Leaves this access where nothing is split.
  void leave(Visit& visit, Visit mine) const {
    if constexpr (kOwn == kWriter) {
      visit = mine;
    } else {
      visit = joins_all_ ? joined(visit, mine) : joined_in_order(visit, mine);
    }
  }
  /// Leaves it at a word of a line that is split. Bytes keep what they know of readers.
  void leave_at_word(std::uint64_t address, unsigned lane) const {
    Visit& word = *memory_.word_visits(kOwn, address);
    if (kOwn == kWriter || !(is_split(word) || is_mixed(word, word_sharers_)))
      return leave(word, visit_of(lane, word_sharers_));
    split_word(address);
    for (unsigned k = 0; k < kWordBytes; ++k)
      leave(*memory_.byte_visits(kOwn, address + k), visit_of(lane_of_byte(lane, k), byte_sharers_));
  }

  /// From now on the 2^log_parts parts of a line or a word are asked.
  void split(Visit& whole, Visit* parts, unsigned log_parts) const {
    if (is_split(whole)) return;
    if (whole.stamp() >= first_ && whole.stamp() < memory::kSplitLine) {
      for (unsigned k = 0; k < 1U << log_parts; ++k) parts[k] = part_of(whole, k, log_parts);
    }
    whole = Visit(memory::kSplitLine | mine_, 0);
  }
  void split_line(std::uint64_t address) {
    split(line_.visits[kOwn], memory_.word_visits(kOwn, address & ~(GlobalMemory::kLineBytes - 1)),
          kLineShift);
  }
  void split_word(std::uint64_t address) const {
    split(*memory_.word_visits(kOwn, address), memory_.byte_visits(kOwn, address & ~(kWordBytes - 1)),
          kWordShift);
  }

  Warp& warp_;
  const GlobalMemory& memory_;
  const Instruction& instruction_;
  checks::GlobalAccess access_;
  unsigned width_shift_;
  HeldLine line_;
  Stamp first_ = 0, epoch_ = 0, mine_ = 0;
  Stamp current_ = 0;      ///< of the first epoch since the clock ticked
  std::uint32_t own_ = 0;  ///< stamps of the epoch
  std::uint32_t warp_index_ = 0;
  Moment now_ = 0, ordered_ = 0,
         synced_ = 0;       ///< of this access, without its lane; the latest ones before it
  bool joins_all_ = false;  ///< no earlier access of another block can be ordered before this one
  /// How many lanes share a byte, a word or a line of this access, kMomentSharers of its moment. A whole line
  /// is too long for lanes with less than a word each.
  Moment byte_sharers_ = 0, word_sharers_ = 0, line_sharers_ = memory::kMomentSharers;
};

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
