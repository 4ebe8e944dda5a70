// What a measurement leaves on the host for its curve: sums and state of multi_tau at some instants, and sums
// of counts.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "17-multi-tau/multi_tau.h"

namespace lockstep::multi_tau_study {

/// Everything that has been summed up to an instant; all of it is exact.
struct Snapshot {
  long long elapsed = 0;                 ///< instants
  std::vector<unsigned long long> sums;  ///< as multi_tau leaves them
  std::vector<unsigned> state;           ///< likewise
  std::vector<std::uint64_t> totals;     ///< counts of each sensor
};

/// Products of a group and position, and the counts that they were made of, up to bin `bin`.
struct Edge {
  long long bin = 0;            ///< number of the newest bin, from 1
  std::uint64_t products = 0;   ///< sum of all products
  std::uint64_t undelayed = 0;  ///< counts up to the end of the newest bin
  std::uint64_t delayed = 0;    ///< counts up to the end of the bin that it is multiplied with
};

/// Delay of a group's position, in instants.
constexpr long long delay_of(int group, int position) {
  return kPositions * ((1LL << group) - 1) + (static_cast<long long>(position) << group);
}

/// The bin before the first whose product counts: that one's delayed bin lies within the measurement.
constexpr long long last_bin_left_out(int group, int position) {
  return kPositions + position - (kPositions >> group);
}

/// Instants for which sums of 64 bits hold, whatever the counts are: each adds at most 255² 2^(groups - 1).
constexpr long long most_instants(int groups) {
  constexpr std::uint64_t kMaxSum = ~std::uint64_t{0}, kMaxProduct = 255 * 255;
  return static_cast<long long>(kMaxSum / (kMaxProduct << (groups - 1)));
}

/// Throws std::runtime_error where a measurement of `elapsed` instants cannot take so many more.
inline void must_hold(long long elapsed, std::size_t more, int groups) {
  if (elapsed > most_instants(groups) - static_cast<long long>(more))
    throw std::runtime_error("sums of " + std::to_string(groups) + " groups hold " +
                             std::to_string(most_instants(groups)) + " instants, and there are more");
}

/// Sums of the counts that a measurement begins with, and of all so far.
class Totals {
 public:
  /// `width`: sensors of a frame, a multiple of 8.
  Totals(std::size_t width, int groups)
      : width_(width),
        groups_(groups),
        totals_(width, 0),
        begin_(static_cast<std::size_t>(groups) * kBegin * width, 0) {}

  void add(const unsigned char* counts, std::size_t instants) {
    while (instants > 0 && elapsed_ < kBeginInstants) {
      for (std::size_t s = 0; s < width_; ++s) totals_[s] += counts[s];
      ++elapsed_, --instants, counts += width_;
      for (int g = 0; g < groups_ && elapsed_ % (1LL << g) == 0; ++g) {
        const auto bin = static_cast<std::size_t>(elapsed_ >> g);
        if (bin >= kBegin) continue;
        for (std::size_t s = 0; s < width_; ++s)
          begin_[place(g, bin) + s] = static_cast<std::uint32_t>(totals_[s]);
      }
    }
    elapsed_ += static_cast<long long>(instants);
    while (instants > 0) {
      const std::size_t taken = std::min(instants, kAtOnce);
      add_rows(counts, taken);
      instants -= taken, counts += taken * width_;
    }
  }

  const std::vector<std::uint64_t>& all() const { return totals_; }

  /// Counts of a sensor up to the end of bin `bin` of a group, for bins up to kBegin.
  std::uint64_t at_begin(int group, long long bin, std::size_t sensor) const {
    return begin_[place(group, static_cast<std::size_t>(bin)) + sensor];
  }

 private:
  static constexpr std::size_t kBegin = 2 * kPositions;  ///< bins 0 to kBegin - 1 are kept
  static constexpr long long kBeginInstants = 1LL << (5 + kMostGroups);
  static constexpr std::size_t kAtOnce = 257;  ///< rows whose bytes a sum of 16 bits holds

  std::size_t place(int group, std::size_t bin) const {
    return (static_cast<std::size_t>(group) * kBegin + bin) * width_;
  }

  /// Eight sensors in a word: their even bytes and their odd ones are added up as numbers of 16 bits.
  void add_rows(const unsigned char* counts, std::size_t rows) {
    constexpr std::uint64_t kEven = 0x00ff00ff00ff00ff;
    for (std::size_t first = 0; first < width_; first += 8) {
      std::uint64_t even = 0, odd = 0;
      for (std::size_t row = 0; row < rows; ++row) {
        std::uint64_t word;
        std::memcpy(&word, counts + row * width_ + first, sizeof word);
        even += word & kEven, odd += word >> 8 & kEven;
      }
      for (unsigned i = 0; i < 4; ++i) {
        totals_[first + 2 * i] += even >> 16 * i & 0xffff;
        totals_[first + 2 * i + 1] += odd >> 16 * i & 0xffff;
      }
    }
  }

  std::size_t width_;
  int groups_;
  long long elapsed_ = 0;
  std::vector<std::uint64_t> totals_;
  std::vector<std::uint32_t> begin_;
};

/// A measurement while it goes on: sums at its end, and at the ends of blocks of time, of which it has 8 to
/// 15 once it is long enough. Where blocks end depends on the number of instants alone, never on packets.
class Measurement {
 public:
  /// `sensors` is filled up to `width`, a multiple of 32, by sensors without counts.
  Measurement(std::size_t sensors, std::size_t width, int groups)
      : sensors_(sensors), width_(width), groups_(groups), totals_(width, groups) {
    const std::size_t all = width * static_cast<std::size_t>(groups);
    latest_.sums.resize(all * kPositions);
    latest_.state.resize(all * kStateWords);
    latest_.totals.resize(width);
    blocks_.push_back(latest_);
  }

  std::size_t sensors() const { return sensors_; }
  std::size_t width() const { return width_; }
  int groups() const { return groups_; }
  const Snapshot& latest() const { return latest_; }
  /// The begin, and the ends of all whole blocks.
  const std::vector<Snapshot>& blocks() const { return blocks_; }
  long long block_instants() const { return block_; }

  /// Of so many instants to come those that belong to the block that has begun.
  std::size_t until_block_ends(std::size_t instants) const {
    return std::min(instants, static_cast<std::size_t>(block_ - latest_.elapsed % block_));
  }

  /// Takes what multi_tau made of a piece of a packet that until_block_ends() allows: frames of `width`
  /// counts. `take` copies sums and state into the vectors that it is given. Throws as must_hold().
  template <class Take>
  void add(const unsigned char* counts, std::size_t instants, Take take) {
    must_hold(latest_.elapsed, instants, groups_);
    totals_.add(counts, instants);
    latest_.elapsed += static_cast<long long>(instants);
    latest_.totals = totals_.all();
    take(latest_.sums, latest_.state);
    must_hold_newest(counts, instants);
    if (latest_.elapsed % block_ != 0) return;
    blocks_.push_back(latest_);
    if (blocks_.size() <= kMaxBlocks) return;
    // Two blocks become one.
    for (std::size_t i = 1; 2 * i < blocks_.size(); ++i) blocks_[i] = std::move(blocks_[2 * i]);
    blocks_.resize((blocks_.size() + 1) / 2);
    block_ *= 2;
  }

  /// Up to the last bin whose product is left out.
  Edge begin_edge(int group, int position, std::size_t sensor) const {
    Edge edge{.bin = last_bin_left_out(group, position)};
    edge.undelayed = totals_.at_begin(group, edge.bin, sensor);
    if ((kPositions >> group) != 0) return edge;
    // Delayed bins end at instants 32, 32 + 2^g, …: that of this bin began before the measurement.
    edge.delayed = totals_.at_begin(0, kPositions, sensor);
    edge.products = edge.delayed * (edge.undelayed - totals_.at_begin(group, edge.bin - 1, sensor));
    return edge;
  }

  /// Of one sensor, by group and position.
  std::vector<Edge> edges(const Snapshot& snapshot, std::size_t sensor) const {
    std::vector<Edge> edges;
    edges.reserve(static_cast<std::size_t>(groups_) * kPositions);
    std::uint64_t delayed = snapshot.totals[sensor];
    for (int g = 0; g < groups_; ++g) {
      const std::size_t group = sensor * static_cast<std::size_t>(groups_) + static_cast<std::size_t>(g);
      const unsigned* const state = &snapshot.state[group * kStateWords];
      const long long bin = snapshot.elapsed >> g;
      const std::uint64_t undelayed = snapshot.totals[sensor] - state[kPositions + 1];
      for (int p = 0; p < kPositions; ++p) {
        const auto place = group * kPositions + static_cast<std::size_t>(p);
        edges.push_back({bin, snapshot.sums[place], undelayed, delayed});
        delayed -= state[p];
      }
      // The next group begins where position 32 does, or one bin earlier where its own turn was earlier.
      if (bin % 2 != 0) delayed -= state[kPositions];
    }
    return edges;
  }

 private:
  static constexpr std::size_t kMaxBlocks = 16;
  static constexpr long long kShortestBlock = 256;

  /// Group 0 holds the newest counts themselves.
  void must_hold_newest(const unsigned char* counts, std::size_t instants) const {
    const std::size_t words = static_cast<std::size_t>(groups_) * kStateWords;
    for (std::size_t i = 0; i < std::min<std::size_t>(instants, kPositions + 1); ++i)
      for (std::size_t s = 0; s < width_; ++s)
        if (latest_.state[s * words + i] != counts[(instants - 1 - i) * width_ + s])
          throw std::runtime_error(
              "multi_tau left a state that does not hold the newest counts: see ./lockstep grade multi-tau");
  }

  std::size_t sensors_, width_;
  int groups_;
  Totals totals_;
  Snapshot latest_;
  std::vector<Snapshot> blocks_;
  long long block_ = kShortestBlock;
};

}  // namespace lockstep::multi_tau_study
