#include "emulator/program/register_allocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "emulator/analysis/register_accesses.h"

namespace lockstep::emulator::program {
namespace {

/// Beyond this many bits of live sets (hostile code), each register gets a place of its own.
constexpr std::size_t kMaxLiveBits = std::size_t{1} << 28;
/// Likewise beyond this many words of sets joined: branches in the wrong order need a pass for each.
constexpr std::size_t kMaxLiveWork = std::size_t{1} << 26;
constexpr std::size_t kMaxRegisters = std::size_t{1} << 16;

std::vector<bool> read_registers(const ptx::Function& function) {
  std::vector<bool> is_read(function.registers.size());
  const auto read = [&](std::uint32_t r) { is_read[r] = true; };
  for (const ptx::Instruction& instruction : function.instructions) {
    if (instruction.guard >= 0) read(static_cast<std::uint32_t>(instruction.guard));
    for (std::size_t k = analysis::writes_first(instruction) ? 1 : 0; k < instruction.operands.size(); ++k)
      analysis::for_registers(instruction.operands[k], read);
  }
  return is_read;
}

class BitSet {
 public:
  explicit BitSet(std::size_t bits) : words_((bits + 63) / 64) {}
  bool test(std::size_t bit) const { return (words_[bit / 64] >> (bit % 64) & 1) != 0; }
  void set(std::size_t bit) { words_[bit / 64] |= std::uint64_t{1} << (bit % 64); }
  /// this |= from & ~except; true when that added something.
  bool add(const BitSet& from, const BitSet& except) {
    bool changed = false;
    for (std::size_t k = 0; k < words_.size(); ++k) {
      const std::uint64_t grown = words_[k] | (from.words_[k] & ~except.words_[k]);
      changed |= grown != words_[k];
      words_[k] = grown;
    }
    return changed;
  }
  template <class F>
  void for_each(F f) const {
    for (std::size_t k = 0; k < words_.size(); ++k) {
      for (std::uint64_t left = words_[k]; left != 0; left &= left - 1) {
        f(static_cast<std::uint32_t>(64 * k + static_cast<unsigned>(__builtin_ctzll(left))));
      }
    }
  }

 private:
  std::vector<std::uint64_t> words_;
};

struct Interval {
  std::uint64_t begin = ~std::uint64_t{0}, end = 0;
  std::uint32_t index = 0;
  bool used() const { return begin <= end; }
  void cover(std::uint64_t position) {
    begin = std::min(begin, position);
    end = std::max(end, position);
  }
};

/// Instructions of block b, its ending one included.
std::pair<std::uint32_t, std::uint32_t> range_of(const std::vector<BasicBlock>& blocks, std::size_t b,
                                                 std::size_t n) {
  return {blocks[b].first, b + 1 < blocks.size() ? blocks[b + 1].first : static_cast<std::uint32_t>(n)};
}

std::vector<Interval> live_intervals(const ptx::Function& function, const analysis::Successors& successors,
                                     const std::vector<BasicBlock>& blocks) {
  const std::size_t registers = function.registers.size(), n = function.instructions.size();
  std::vector<Interval> intervals(registers);
  for (std::uint32_t r = 0; r < registers; ++r) intervals[r].index = r;
  // An instruction reads at 2i and writes at 2i + 1, so a result may take the place of an operand that ends
  // there.
  for (std::size_t i = 0; i < n; ++i) {
    analysis::for_accesses(
        function.instructions[i], [&](std::uint32_t r) { intervals[r].cover(2 * i); },
        [&](std::uint32_t r) { intervals[r].cover(2 * i + 1); });
  }
  const auto everywhere = [&] {
    for (Interval& interval : intervals) {
      if (interval.used()) interval = {0, 2 * n + 1, interval.index};
    }
    return intervals;
  };
  std::size_t edges = 0;
  for (const auto& targets : successors) edges += targets.size();
  if (registers * (blocks.size() + edges) > kMaxLiveBits) return everywhere();
  std::vector<BitSet> live_in(blocks.size(), BitSet(registers)), written(blocks.size(), BitSet(registers));
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    const auto [first, last] = range_of(blocks, b, n);
    for (std::uint32_t i = first; i < last; ++i) {
      analysis::for_accesses(
          function.instructions[i],
          [&](std::uint32_t r) {
            if (!written[b].test(r)) live_in[b].set(r);
          },
          [&](std::uint32_t r) { written[b].set(r); });
    }
  }
  std::size_t work = 0;
  for (bool changed = true; changed;) {
    changed = false;
    work += edges * ((registers + 63) / 64);
    if (work > kMaxLiveWork) return everywhere();
    for (std::size_t b = blocks.size(); b-- > 0;) {
      for (const std::uint32_t successor : successors[b])
        changed |= live_in[b].add(live_in[successor], written[b]);
    }
  }
  for (std::size_t b = 0; b < blocks.size(); ++b) {
    // Named apart, because clang 14 cannot capture a structured binding.
    const std::uint64_t first = range_of(blocks, b, n).first, last = range_of(blocks, b, n).second;
    live_in[b].for_each([&](std::uint32_t r) { intervals[r].cover(2 * first); });
    for (const std::uint32_t successor : successors[b]) {
      // Alive at the end of the block: until after its last instruction.
      live_in[successor].for_each([&](std::uint32_t r) { intervals[r].cover(2 * last); });
    }
  }
  return intervals;
}

}  // namespace

Allocation allocate_registers(const ptx::Function& function, const analysis::Successors& successors,
                              const std::vector<BasicBlock>& blocks) {
  if (function.registers.size() > kMaxRegisters) {
    throw DeviceError(DeviceError::Code::invalid_image,
                      fmt::format("{} declares {} registers; the emulated device takes {}", function.name,
                                  function.registers.size(), kMaxRegisters));
  }
  std::vector<Interval> intervals = live_intervals(function, successors, blocks);
  std::erase_if(intervals, [](const Interval& interval) { return !interval.used(); });
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });

  enum Pool : std::uint8_t { kNarrow, kWide, kPredicate };
  const auto pool_of = [&](std::uint32_t r) {
    const ptx::Type type = function.registers[r].type;
    return type == ptx::Type::pred ? kPredicate : ptx::bytes_of(type) >= 8 ? kWide : kNarrow;
  };
  Allocation allocation;
  allocation.is_read = read_registers(function);
  allocation.registers.resize(function.registers.size());
  std::array<std::vector<Slot>, 3> spare;
  std::array<std::uint32_t, 3> alive{};
  std::set<std::pair<std::uint64_t, std::uint32_t>> active;  // (end, register)
  for (const Interval& interval : intervals) {
    while (!active.empty() && active.begin()->first < interval.begin) {
      const std::uint32_t ended = active.begin()->second;
      spare[pool_of(ended)].push_back(allocation.registers[ended].slot);
      --alive[pool_of(ended)];
      active.erase(active.begin());
    }
    const Pool pool = pool_of(interval.index);
    RegisterPlace& place = allocation.registers[interval.index];
    place.first = static_cast<std::uint32_t>(interval.begin / 2);
    place.last = static_cast<std::uint32_t>(interval.end / 2);
    Slot& slot = place.slot;
    if (!spare[pool].empty()) {
      slot = spare[pool].back();
      spare[pool].pop_back();
    } else if (pool == kPredicate) {
      slot = allocation.predicates++;
    } else {
      slot = allocation.row_bytes;
      allocation.row_bytes += (pool == kWide ? 8 : 4) * kLanes;
    }
    ++alive[pool];
    allocation.widest = std::max(allocation.widest, alive[kNarrow] + 2 * alive[kWide]);
    active.emplace(interval.end, interval.index);
  }
  return allocation;
}

}  // namespace lockstep::emulator::program
