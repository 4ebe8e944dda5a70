// Floods a map that may be larger than the device's memory, in strips of rows, at each of several levels.
//
// Of a strip, `flood` marks what its sources reach: those that were asked for, and the cells of the rows
// above and below it that have water. A strip whose neighbour has gained water beside it is flooded again,
// until no strip is left to flood. Water only ever spreads, and each cell beside water that is below the
// level is reached in the end, so the result is that of the whole map, byte for byte.
//
// Levels rise. Water at one level is water at all higher ones, so a cell needs one number: at how many of the
// levels it has water. A strip that is on the device is flooded at all levels that need it.
//
// While a strip is flooded, a thread brings the next one: it reads heights in portions into two pinned
// buffers, copies them to the device on a stream of its own, and takes away the counts of a strip that
// leaves.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <future>
#include <limits>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "19-flood/flood.h"
#include "device.h"
#include "grid.h"
#include "height_file.h"
#include "levels.h"
#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"
#include "study/event.h"
#include "temporary_file.h"

namespace lockstep::flood_study {

struct FloodRequest {
  std::vector<float> levels;  ///< rising, 1 to kMaxLevels
  int neighbourhood = 4;
  std::vector<Cell> sources;     ///< in ascending order, none twice
  std::size_t rows = 0;          ///< of a strip; 0: as many as fit
  std::size_t memory_bytes = 0;  ///< of the device's memory; 0: most of what is free
};

/// What was done, for people.
struct FloodWork {
  std::size_t strips = 0, rows = 0;  ///< `rows` of a strip; the last one may have fewer
  std::size_t loads = 0;             ///< strips brought to the device
};

class Strips {
 public:
  /// Throws std::runtime_error where not even a strip of one row fits.
  Strips(HeightFile& map, FloodRequest request);
  /// Throws what reading does, and CudaError.
  FloodWork run();
  /// At how many of the levels, the highest ones, the cells of a row have water; after run().
  void read_counts(std::size_t row, unsigned char* counts) const {
    counts_.read(counts, columns_, row * columns_);
  }

 private:
  using Bytes = std::vector<unsigned char>;  ///< a number of levels for each column

  /// What is known of a strip's first or last row.
  struct Seam {
    Bytes water;  ///< at how many levels there is water
    Bytes wet;    ///< at how many the cell is below the level; empty before it has been read
  };
  /// Of a strip's heights.
  struct Heights {
    float lowest = 0, highest = 0;
    bool has_unknown = false;
    Bytes top_wet = {}, bottom_wet = {};  ///< `wet` of the seams
  };
  struct Strip {
    std::size_t first = 0, rows = 0;
    std::size_t first_source = 0, sources = 0;
    std::vector<bool> is_due = {};  ///< by count - 1: to be flooded at the level of this count
    Seam top = {}, bottom = {};
    bool is_stored = false;  ///< counts_ holds what was found
    // Of its heights, once they have been read: as in Heights.
    float lowest = 0, highest = 0;
    bool has_unknown = false;
    bool is_known() const { return !top.wet.empty(); }
    bool is_any_due() const { return std::find(is_due.begin(), is_due.end(), true) != is_due.end(); }
  };
  /// Place for a strip on the device.
  struct Slot {
    explicit Slot(std::size_t cells) : heights(cells * sizeof(float)), counts(cells) {}
    DeviceBytes heights, counts;
    std::optional<std::size_t> strip;
    std::uint64_t used = 0;
    bool is_changed = false;  ///< since the counts were last stored
  };
  /// What reading a strip says of it.
  struct Loaded {
    Slot* slot;
    std::size_t strip;
    std::optional<std::size_t> stored;  ///< the strip that left
    std::optional<Heights> heights;     ///< of one that is read the first time
  };

  std::size_t choose_rows(std::size_t slots) const;
  std::size_t device_bytes(std::size_t rows, std::size_t slots) const;
  std::size_t workspace_bytes(std::size_t rows) const;
  void cut_into_strips(std::size_t rows);
  void allocate(std::size_t slots);

  std::optional<std::size_t> next_due();
  std::optional<std::size_t> expected_after(std::size_t strip) const;
  bool may_cross(const Strip& from, bool downwards) const;
  Slot& bring(std::size_t strip);
  void bring_meanwhile(std::size_t strip, const Slot& busy);
  void settle();
  Slot& least_used(const Slot* busy);
  Slot* slot_of(std::size_t strip);
  void take_over(Loaded loaded);
  Loaded load(Slot& slot, std::size_t strip);
  std::optional<Heights> load_heights(const Slot& slot, const Strip& strip);
  void store_counts(const Slot& slot);

  void flood_strip(Slot& slot);
  void flood_level(const Slot& slot, std::size_t count);
  void take_seams(Slot& slot);
  void spread(const Bytes& before, const Bytes& water, Strip& other, const Seam& beside);
  std::vector<int> sources_of(const Strip& strip, std::size_t count) const;
  float level_of(std::size_t count) const { return request_.levels[request_.levels.size() - count]; }

  // A strip is read in at least some portions, so that one is copied while the next is read.
  static constexpr std::size_t kMaxPortionBytes = std::size_t{8} << 20, kMinPortions = 4;

  HeightFile& map_;
  FloodRequest request_;
  std::size_t columns_;
  TemporaryFile counts_;
  FloodWork work_;
  std::vector<Strip> strips_;
  bool goes_down_ = true;
  std::size_t last_ = 0;
  std::uint64_t uses_ = 0;

  std::vector<std::unique_ptr<Slot>> slots_;
  std::unique_ptr<DeviceBytes> mask_, sources_, workspace_;
  std::size_t portion_rows_ = 1;
  std::unique_ptr<PinnedBytes> portions_[2], counts_portion_;
  study::Event copied_[2];
  Stream compute_, copies_;
  std::future<Loaded> loading_;  // last: its thread uses the rest
};

inline Strips::Strips(HeightFile& map, FloodRequest request)
    : map_(map), request_(std::move(request)), columns_(map.grid().columns) {
  constexpr std::size_t kMaxSlots = 3;  // a strip, the next and the one before
  const std::size_t all = map_.grid().rows;
  if (request_.memory_bytes == 0) {
    std::size_t free = 0, total = 0;
    CHECK_CUDA(cudaMemGetInfo(&free, &total));
    request_.memory_bytes = free - free / 10;
  }
  std::size_t rows = choose_rows(1);
  const bool is_cut = request_.rows != 0 && request_.rows < all;
  if (rows < all || is_cut) rows = choose_rows(kMaxSlots);
  if (is_cut) rows = std::min(rows, request_.rows);
  if (rows == 0)
    throw std::runtime_error("not enough memory of the device: strips of one row need " +
                             std::to_string((device_bytes(1, kMaxSlots) >> 20) + 1) + " MiB");
  cut_into_strips(rows);
  counts_.resize(all * columns_);
  allocate(std::min(kMaxSlots, strips_.size()));
}

inline std::size_t Strips::workspace_bytes(std::size_t rows) const {
  return flood_workspace_bytes(static_cast<int>(rows), static_cast<int>(columns_));
}

inline std::size_t Strips::device_bytes(std::size_t rows, std::size_t slots) const {
  const std::size_t cells = rows * columns_, sources = request_.sources.size() + 2 * columns_;
  return slots * cells * (sizeof(float) + 1) + cells + workspace_bytes(rows) + sources * sizeof(int);
}

/// The most that fit; 0 where none does.
inline std::size_t Strips::choose_rows(std::size_t slots) const {
  constexpr auto kMaxCells = static_cast<std::size_t>(std::numeric_limits<int>::max());
  std::size_t fits = 0, beyond = std::min(map_.grid().rows, kMaxCells / columns_) + 1;
  while (beyond - fits > 1) {
    const std::size_t middle = fits + (beyond - fits) / 2;
    (device_bytes(middle, slots) <= request_.memory_bytes ? fits : beyond) = middle;
  }
  return fits;
}

inline void Strips::cut_into_strips(std::size_t rows) {
  const std::size_t all = map_.grid().rows;
  std::size_t source = 0;
  for (std::size_t first = 0; first < all; first += rows) {
    Strip strip{.first = first, .rows = std::min(rows, all - first), .first_source = source};
    while (source < request_.sources.size() && request_.sources[source].row < first + strip.rows) ++source;
    strip.sources = source - strip.first_source;
    strip.is_due.assign(request_.levels.size(), strip.sources > 0);
    strip.top.water.assign(columns_, 0);
    strip.bottom.water.assign(columns_, 0);
    strips_.push_back(std::move(strip));
  }
  work_.strips = strips_.size();
  work_.rows = rows;
}

inline void Strips::allocate(std::size_t slots) {
  const std::size_t rows = strips_.front().rows, cells = rows * columns_;
  for (std::size_t slot = 0; slot < slots; ++slot) slots_.push_back(std::make_unique<Slot>(cells));
  std::size_t sources = 0;
  for (const Strip& strip : strips_) sources = std::max(sources, strip.sources + 2 * columns_);
  mask_ = std::make_unique<DeviceBytes>(cells);
  sources_ = std::make_unique<DeviceBytes>(sources * sizeof(int));
  workspace_ =
      std::make_unique<DeviceBytes>(std::max(workspace_bytes(rows), workspace_bytes(strips_.back().rows)));
  portion_rows_ = std::clamp<std::size_t>(kMaxPortionBytes / (columns_ * sizeof(float)), 1,
                                          (rows - 1) / kMinPortions + 1);
  for (auto& portion : portions_)
    portion = std::make_unique<PinnedBytes>(portion_rows_ * columns_ * sizeof(float));
  counts_portion_ = std::make_unique<PinnedBytes>(portion_rows_ * columns_);
}

inline FloodWork Strips::run() {
  while (const std::optional<std::size_t> strip = next_due()) {
    Slot& slot = bring(*strip);
    if (const auto expected = expected_after(*strip)) bring_meanwhile(*expected, slot);
    flood_strip(slot);
  }
  settle();
  for (const auto& slot : slots_)
    if (slot->is_changed) store_counts(*slot);
  return work_;
}

// --- which strip is next ---

/// To and fro over the map, so that water goes far in either direction before a strip is brought again.
inline std::optional<std::size_t> Strips::next_due() {
  for (int turns = 0; turns < 2; ++turns, goes_down_ = !goes_down_) {
    for (std::size_t strip = last_;;) {
      if (strips_[strip].is_any_due()) return last_ = strip;
      if (goes_down_ ? strip + 1 == strips_.size() : strip == 0) break;
      strip = goes_down_ ? strip + 1 : strip - 1;
    }
  }
  return std::nullopt;
}

/// The strip that is probably due when this one has been flooded.
inline std::optional<std::size_t> Strips::expected_after(std::size_t strip) const {
  const auto further = [&](bool downwards) -> std::optional<std::size_t> {
    const std::size_t end = downwards ? strips_.size() - 1 : 0;
    if (strip == end) return std::nullopt;
    const std::size_t beside = downwards ? strip + 1 : strip - 1;
    if (may_cross(strips_[strip], downwards)) return beside;
    for (std::size_t other = beside;; other = downwards ? other + 1 : other - 1) {
      if (strips_[other].is_any_due()) return other;
      if (other == end) return std::nullopt;
    }
  };
  if (const auto found = further(goes_down_)) return found;
  return further(!goes_down_);
}

/// Whether water of a strip could bring more into its neighbour, by the heights at the seam.
inline bool Strips::may_cross(const Strip& from, bool downwards) const {
  const Strip& other = *(&from + (downwards ? 1 : -1));
  const Seam &seam = downwards ? from.bottom : from.top, &beside = downwards ? other.top : other.bottom;
  const std::size_t reach = request_.neighbourhood == 8 ? 1 : 0;
  for (std::size_t column = 0; column < columns_; ++column) {
    const std::size_t end = std::min(column + reach + 1, columns_);
    for (std::size_t to = column - std::min(column, reach); to < end; ++to) {
      const std::size_t wet = other.is_known() ? beside.wet[to] : request_.levels.size();
      if (std::min<std::size_t>(seam.wet[column], wet) > beside.water[to]) return true;
    }
  }
  return false;
}

// --- strips come to the device ---

inline Strips::Slot* Strips::slot_of(std::size_t strip) {
  for (const auto& slot : slots_)
    if (slot->strip == strip) return slot.get();
  return nullptr;
}

inline Strips::Slot& Strips::least_used(const Slot* busy) {
  Slot* found = nullptr;
  for (const auto& slot : slots_)
    if (slot.get() != busy && (found == nullptr || slot->used < found->used)) found = slot.get();
  return *found;
}

inline Strips::Slot& Strips::bring(std::size_t strip) {
  settle();
  Slot* slot = slot_of(strip);
  if (slot == nullptr) {
    slot = &least_used(nullptr);
    take_over(load(*slot, strip));
  }
  slot->used = ++uses_;
  return *slot;
}

inline void Strips::bring_meanwhile(std::size_t strip, const Slot& busy) {
  if (slot_of(strip) != nullptr) return;
  Slot& slot = least_used(&busy);
  loading_ = std::async(std::launch::async, [this, &slot, strip] { return load(slot, strip); });
}

/// Waits for the strip that is being brought, if there is one.
inline void Strips::settle() {
  if (loading_.valid()) take_over(loading_.get());
}

/// Notes what was found on a strip that has come to the device.
inline void Strips::take_over(Loaded loaded) {
  ++work_.loads;
  if (loaded.stored) strips_[*loaded.stored].is_stored = true;
  loaded.slot->strip = loaded.strip;
  loaded.slot->is_changed = false;
  loaded.slot->used = ++uses_;
  if (!loaded.heights) return;
  Strip& strip = strips_[loaded.strip];
  strip.lowest = loaded.heights->lowest;
  strip.highest = loaded.heights->highest;
  strip.has_unknown = loaded.heights->has_unknown;
  strip.top.wet = std::move(loaded.heights->top_wet);
  strip.bottom.wet = std::move(loaded.heights->bottom_wet);
}

/// Changes nothing of the strips, which the other thread reads.
inline Strips::Loaded Strips::load(Slot& slot, std::size_t number) {
  Loaded loaded{.slot = &slot, .strip = number, .stored = std::nullopt, .heights = std::nullopt};
  if (slot.is_changed) {
    store_counts(slot);
    loaded.stored = slot.strip;
  }
  const Strip& strip = strips_[number];
  loaded.heights = load_heights(slot, strip);
  const std::size_t cells = strip.rows * columns_;
  if (strip.is_stored) {
    for (std::size_t row = 0; row < strip.rows; row += portion_rows_) {
      const std::size_t bytes = std::min(portion_rows_, strip.rows - row) * columns_;
      counts_.read(counts_portion_->as<void>(), bytes, (strip.first + row) * columns_);
      CHECK_CUDA(cudaMemcpyAsync(slot.counts.as<unsigned char>() + row * columns_,
                                 counts_portion_->as<void>(), bytes, cudaMemcpyHostToDevice, copies_));
      copies_.wait();
    }
  } else {
    CHECK_CUDA(cudaMemsetAsync(slot.counts.as<void>(), 0, cells, copies_));
  }
  copies_.wait();
  return loaded;
}

/// What is found on them, of a strip that is read the first time.
inline std::optional<Strips::Heights> Strips::load_heights(const Slot& slot, const Strip& strip) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  Heights found{.lowest = kInfinity, .highest = -kInfinity};
  const auto wet_counts = [this](const float* heights) {
    Bytes counts(columns_);
    std::transform(heights, heights + columns_, counts.begin(),
                   [this](float height) { return wet_count(request_.levels, height); });
    return counts;
  };
  std::size_t portion = 0;
  for (std::size_t row = 0; row < strip.rows; row += portion_rows_, portion = 1 - portion) {
    const std::size_t rows = std::min(portion_rows_, strip.rows - row), cells = rows * columns_;
    auto* heights = portions_[portion]->as<float>();
    copied_[portion].wait();
    map_.read_rows(strip.first + row, rows, heights);
    CHECK_CUDA(cudaMemcpyAsync(slot.heights.as<float>() + row * columns_, heights, cells * sizeof(float),
                               cudaMemcpyHostToDevice, copies_));
    copied_[portion].record(copies_);
    if (strip.is_known()) continue;
    if (row == 0) found.top_wet = wet_counts(heights);
    if (row + rows == strip.rows) found.bottom_wet = wet_counts(heights + cells - columns_);
    for (std::size_t i = 0; i < cells; ++i) {
      found.has_unknown |= std::isnan(heights[i]);
      found.lowest = std::min(found.lowest, heights[i]);  // which NaN is not
      found.highest = std::max(found.highest, heights[i]);
    }
  }
  if (strip.is_known()) return std::nullopt;
  return found;
}

inline void Strips::store_counts(const Slot& slot) {
  const Strip& strip = strips_[*slot.strip];
  for (std::size_t row = 0; row < strip.rows; row += portion_rows_) {
    const std::size_t bytes = std::min(portion_rows_, strip.rows - row) * columns_;
    CHECK_CUDA(cudaMemcpyAsync(counts_portion_->as<void>(), slot.counts.as<unsigned char>() + row * columns_,
                               bytes, cudaMemcpyDeviceToHost, copies_));
    copies_.wait();
    counts_.write(counts_portion_->as<void>(), bytes, (strip.first + row) * columns_);
  }
}

// --- a strip is flooded ---

inline void Strips::flood_strip(Slot& slot) {
  Strip& strip = strips_[*slot.strip];
  for (std::size_t count = request_.levels.size(); count > 0; --count) {
    if (!strip.is_due[count - 1]) continue;
    strip.is_due[count - 1] = false;
    flood_level(slot, count);
  }
  slot.is_changed = true;
  take_seams(slot);
}

inline void Strips::flood_level(const Slot& slot, std::size_t count) {
  const Strip& strip = strips_[*slot.strip];
  const float level = level_of(count);
  if (!(strip.lowest < level)) return;  // wholly dry
  const std::vector<int> sources = sources_of(strip, count);
  if (sources.empty()) return;
  const std::size_t cells = strip.rows * columns_;
  const auto raised = static_cast<unsigned char>(count);
  if (strip.highest < level && !strip.has_unknown) {  // wholly wet
    raise_counts(nullptr, slot.counts.as<unsigned char>(), cells, raised, compute_);
    compute_.wait();
    return;
  }
  CHECK_CUDA(cudaMemcpyAsync(sources_->as<void>(), sources.data(), sources.size() * sizeof(int),
                             cudaMemcpyHostToDevice, compute_));
  flood(slot.heights.as<float>(), sources_->as<int>(), mask_->as<unsigned char>(),
        static_cast<int>(strip.rows), static_cast<int>(columns_), static_cast<int>(sources.size()), level,
        request_.neighbourhood, workspace_->as<void>(), compute_);
  raise_counts(mask_->as<unsigned char>(), slot.counts.as<unsigned char>(), cells, raised, compute_);
  compute_.wait();
}

inline std::vector<int> Strips::sources_of(const Strip& strip, std::size_t count) const {
  std::vector<int> sources;
  for (std::size_t i = 0; i < strip.sources; ++i) {
    const Cell& cell = request_.sources[strip.first_source + i];
    sources.push_back(static_cast<int>((cell.row - strip.first) * columns_ + cell.column));
  }
  const std::size_t reach = request_.neighbourhood == 8 ? 1 : 0;
  // Cells of `row` beside water of the neighbour.
  const auto add = [&](const Bytes& water, std::size_t row) {
    for (std::size_t column = 0; column < columns_; ++column) {
      const std::size_t end = std::min(column + reach + 1, columns_);
      bool has_water = false;
      for (std::size_t from = column - std::min(column, reach); from < end; ++from)
        has_water = has_water || water[from] >= count;
      if (has_water) sources.push_back(static_cast<int>(row * columns_ + column));
    }
  };
  if (&strip != &strips_.front()) add((&strip - 1)->bottom.water, 0);
  if (&strip != &strips_.back()) add((&strip + 1)->top.water, strip.rows - 1);
  return sources;
}

/// Takes over the water of the strip's first and last row, and has its neighbours flooded where they gain
/// some.
inline void Strips::take_seams(Slot& slot) {
  Strip& strip = strips_[*slot.strip];
  const auto read = [&](Seam& seam, std::size_t row) {
    CHECK_CUDA(cudaMemcpyAsync(seam.water.data(), slot.counts.as<unsigned char>() + row * columns_, columns_,
                               cudaMemcpyDeviceToHost, compute_));
  };
  const Bytes top_before = strip.top.water, bottom_before = strip.bottom.water;
  read(strip.top, 0);
  read(strip.bottom, strip.rows - 1);
  compute_.wait();
  if (&strip != &strips_.front()) spread(top_before, strip.top.water, *(&strip - 1), (&strip - 1)->bottom);
  if (&strip != &strips_.back()) spread(bottom_before, strip.bottom.water, *(&strip + 1), (&strip + 1)->top);
}

/// Notes at which levels `other` gains water across its row `beside`. Only water that was not there `before`
/// counts: so each call adds some, and there is an end, whatever `flood` does.
inline void Strips::spread(const Bytes& before, const Bytes& water, Strip& other, const Seam& beside) {
  const std::size_t reach = request_.neighbourhood == 8 ? 1 : 0;
  for (std::size_t column = 0; column < columns_; ++column) {
    if (water[column] <= before[column]) continue;
    const std::size_t end = std::min(column + reach + 1, columns_);
    for (std::size_t to = column - std::min(column, reach); to < end; ++to) {
      const std::size_t wet = other.is_known() ? beside.wet[to] : request_.levels.size();
      const std::size_t most = std::min<std::size_t>(water[column], wet);
      for (std::size_t count = std::max(before[column], beside.water[to]) + std::size_t{1}; count <= most;
           ++count)
        other.is_due[count - 1] = true;
    }
  }
}

}  // namespace lockstep::flood_study
