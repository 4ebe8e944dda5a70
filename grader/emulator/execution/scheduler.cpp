#include "emulator/execution/scheduler.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <exception>
#include <iterator>
#include <memory>
#include <stdexcept>
#include <thread>
#include <utility>

#include "emulator/checks/finding_log.h"
#include "emulator/core/deadline.h"
#include "emulator/execution/async_copies.h"
#include "emulator/execution/barrier.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/progress.h"
#include "emulator/execution/units_of_work.h"
#include "emulator/execution/warp_runner.h"

namespace lockstep::emulator::execution {
namespace {

/// Passes over a block's warps in which nothing but loops happened, after which the worker looks at other
/// blocks: the block may wait for one that has not begun.
constexpr std::uint32_t kIdlePasses = 2;
/// Of registers, local memory and shared memory of all blocks that are resident.
constexpr std::size_t kMaxBlockBytes = std::size_t{4} << 30;
/// Logical times are 32 bits; a block's memory is cleared before they run out.
constexpr state::Time kLatestTime = 0x8000'0000;

std::array<std::uint32_t, 3> unfolded(std::uint64_t linear, const Dim3& extent) {
  return {static_cast<std::uint32_t>(linear % extent.x),
          static_cast<std::uint32_t>(linear / extent.x % extent.y),
          static_cast<std::uint32_t>(linear / extent.x / extent.y)};
}

/// Blocks of a cluster follow each other in the sequence; the order of clusters is the launch's.
void place_block(ThreadBlock& block, Grid& grid, std::uint64_t sequence) {
  const std::uint64_t size = grid.cluster.count(), clusters = grid.block_count / size;
  const std::uint64_t number = (grid.block_start + sequence / size * grid.block_stride) % clusters;
  const auto cluster = unfolded(number, {grid.blocks.x / grid.cluster.x, grid.blocks.y / grid.cluster.y,
                                         grid.blocks.z / grid.cluster.z});
  block.rank = static_cast<std::uint32_t>(sequence % size);
  const auto within = unfolded(block.rank, grid.cluster);
  block.index = {cluster[0] * grid.cluster.x + within[0], cluster[1] * grid.cluster.y + within[1],
                 cluster[2] * grid.cluster.z + within[2]};
  block.linear = block.index[0] + grid.blocks.x * (block.index[1] + grid.blocks.y * block.index[2]);
  block.grid = &grid;
  block.sequence = sequence;
}

/// Shared memory that the system keeps for cooperative groups is zero when a block begins.
void clear_reserved(ThreadBlock& block) {
  const program::Kernel& kernel = *block.grid->kernel;
  if (kernel.reserved_shared_bytes == 0) return;
  if (std::size_t{kernel.reserved_shared_offset} + kernel.reserved_shared_bytes > block.shared.size())
    throw std::out_of_range("what is kept for cooperative groups lies outside of the block's shared memory");
  std::memset(block.shared.data() + kernel.reserved_shared_offset, 0, kernel.reserved_shared_bytes);
  const std::uint32_t first = kernel.reserved_shared_offset / kernel.shared_granule;
  const std::uint32_t words = kernel.reserved_shared_bytes / kernel.shared_granule;
  std::fill_n(block.shadow.write_time.begin() + first, words, block.begin);
}

void begin_block(ThreadBlock& block, Grid& grid, std::uint64_t sequence) {
  place_block(block, grid, sequence);
  const auto words = grid.shared_bytes / grid.kernel->shared_granule + 1;
  if (block.now >= kLatestTime || block.shadow.write_time.size() != words || block.has_marks) {
    block.now = 0;
    block.shadow.write_time.assign(words, 0);
    block.shadow.read_time.assign(words, 0);
    block.shadow.writer.assign(words, 0);
    block.shadow.write_place.assign(words, 0);
    block.shadow.read_place.assign(words, 0);
    block.shadow.read_warps.assign(words, 0);
    block.shadow.atomic_time.assign(words, 0);
  }
  block.begin = ++block.now;
  ++block.now;
  constexpr std::byte kGarbage{0xA5};  // as on a GPU, where zeros would hide what was not initialised
  block.shared.resize(grid.shared_bytes, kGarbage);
  clear_reserved(block);
  block.seen.clear();
  block.released.clear();
  block.acquired = 0;
  block.latest_barrier = program::kNoPlace;
  block.arrivals.clear();
  block.mbarriers.clear();
  block.cluster_arriving.clear();
  block.cluster_completed.clear();
  block.has_marks = block.finished = block.stuck = false;
  block.endless_passes = 0;
  block.longest_unit = 0;
  block.unfenced_address = 0;
  block.epoch_time = 0;
  block.had_epochs = false;
  block.idle_passes = 0;
  block.warp_count = static_cast<std::uint32_t>((grid.threads.count() + kLanes - 1) / kLanes);
  block.warps.resize(block.warp_count);
  for (std::uint32_t w = 0; w < block.warp_count; ++w) {
    block.warps[w].index = w;
    block.warps[w].block = &block;
    begin_warp(block.warps[w]);
  }
}

/// The order in which a block's warps take a turn: that of their indices, or one made from the seed.
class WarpOrder {
 public:
  WarpOrder(std::uint64_t seed, const ThreadBlock& block, std::uint32_t pass) : count_(block.warp_count) {
    if (seed == 0) return;
    const std::uint64_t mixed =
        (seed ^ block.sequence * 0xD6E8'FEB8'6659'FD93 ^ pass * 0xCA5A'8263'9512'1157) *
        0x9E37'79B9'7F4A'7C15;
    start_ = static_cast<std::uint32_t>((mixed >> 32) % count_);
    backwards_ = (mixed >> 31 & 1) != 0;
  }
  std::uint32_t warp(std::uint32_t k) const { return (start_ + (backwards_ ? count_ - 1 - k : k)) % count_; }

 private:
  std::uint32_t count_;
  std::uint32_t start_ = 0;
  bool backwards_ = false;
};

enum class BlockState : std::uint8_t { finished, running, idle };

class WorkerLoop {
 public:
  WorkerLoop(Grid& grid, Worker& worker, std::size_t most_resident, ProgressWatch progress)
      : grid_(grid),
        worker_(worker),
        most_resident_(most_resident),
        cluster_blocks_(grid.cluster.count()),
        progress_(progress) {}

  /// Runs blocks until none is left. A machine that runs out of memory ends the launch, not the process.
  void run() noexcept {
    try {
      run_blocks();
    } catch (const std::exception& error) {
      Finding finding = Finding::make(Finding::Cause::machine_too_small);
      finding.kernel = grid_.kernel->info.name;
      finding.detail = error.what();
      grid_.findings->add(std::move(finding));
      grid_.fail(LaunchResult::Status::launch_failure);
    }
  }

 private:
  void run_blocks() {
    std::size_t next = 0;
    std::size_t idle_blocks = 0;  // one after the other
    while (!grid_.stop.load(std::memory_order_relaxed)) {
      if (worker_.resident.empty() && !begin_next()) return progress_.finished();
      next %= worker_.resident.size();
      ThreadBlock& block = *worker_.resident[next];
      if (block.finished) {  // others of its cluster are not
        ++next;
        continue;
      }
      if (++passes_ % kPassesPerLook == 0) check_deadline(block);
      bool moved = false;
      switch (run_pass(block)) {
        case BlockState::finished:
          end_block(block);
          moved = true;
          break;
        case BlockState::running:
          moved = true;
          break;
        case BlockState::idle:
          check_deadline(block);
          moved = worker_.resident.size() + cluster_blocks_ <= most_resident_ && begin_next();
          ++next;
          break;
      }
      if (moved) {
        idle_blocks = 0;
        progress_.moved();
      } else if (++idle_blocks >= worker_.resident.size()) {
        idle_blocks = 0;
        if (progress_.is_livelock(worker_)) {
          grid_.livelock = true;
          grid_.fail(LaunchResult::Status::launch_timeout);
        }
      }
    }
    if (grid_.livelock) report_livelock(grid_, worker_);
    for (const auto& block : worker_.resident) {
      if (!block->output.empty()) worker_.output.emplace_back(block->linear, std::move(block->output));
    }
  }

  /// Begins the next cluster: a block, or as many as the launch asked for.
  bool begin_next() {
    const std::uint64_t taken = grid_.next_block.fetch_add(cluster_blocks_, std::memory_order_relaxed);
    if (taken >= grid_.block_count || grid_.ended(taken)) return false;
    auto cluster = std::make_unique<Cluster>();
    for (std::uint64_t rank = 0; rank < cluster_blocks_; ++rank) {
      std::unique_ptr<ThreadBlock> block;
      if (worker_.spare.empty()) {
        block = std::make_unique<ThreadBlock>();
      } else {
        block = std::move(worker_.spare.back());
        worker_.spare.pop_back();
      }
      begin_block(*block, grid_, taken + rank);
      for (Warp& warp : block->warps) warp.worker = &worker_;
      block->cluster = cluster.get();
      cluster->blocks.push_back(block.get());
      worker_.resident.push_back(std::move(block));
    }
    clusters_.push_back(std::move(cluster));
    return true;
  }

  /// A block's memory goes when that of its whole cluster does: the others may still reach it until then.
  void end_block(ThreadBlock& block) {
    if (!block.output.empty()) worker_.output.emplace_back(block.linear, std::exchange(block.output, {}));
    block.finished = true;
    worker_.span.add(span_of(block));
    Cluster* cluster = block.cluster;
    const auto is_finished = [](const ThreadBlock* other) { return other->finished; };
    if (!std::ranges::all_of(cluster->blocks, is_finished)) return;
    for (ThreadBlock* ended : cluster->blocks) end_copies(*ended);
    const auto part = std::stable_partition(worker_.resident.begin(), worker_.resident.end(),
                                            [&](const auto& other) { return other->cluster != cluster; });
    std::move(part, worker_.resident.end(), std::back_inserter(worker_.spare));
    worker_.resident.erase(part, worker_.resident.end());
    std::erase_if(clusters_, [&](const auto& other) { return other.get() == cluster; });
  }

  /// Lets every warp of the block that can run have a turn.
  BlockState run_pass(ThreadBlock& block) {
    resting_.clear();
    std::size_t unfinished = 0;
    bool yielded = false, finished_one = false;
    const WarpOrder order(grid_.seed, block, passes_);
    for (std::uint32_t k = 0; k < block.warp_count; ++k) {
      Warp& warp = block.warps[order.warp(k)];
      if (warp.splits.empty()) continue;
      switch (run_warp(warp)) {
        case Rest::finished:
          finished_one = true;
          break;
        case Rest::at_barrier:
          resting_.push_back(&warp);
          ++unfinished;
          break;
        case Rest::yielded:
          yielded = true;
          ++unfinished;
          check_deadline(block);  // a slice of a long loop takes milliseconds, and a block has many warps
          break;
      }
      if (grid_.ended(block.sequence)) return BlockState::finished;
    }
    if (unfinished == 0) return BlockState::finished;
    if (grid_.seed != 0) std::ranges::sort(resting_, {}, &Warp::index);  // who is named does not depend on it
    // Each is done, whatever the others found.
    const bool barrier_opened = !resting_.empty() && open_barriers(block, resting_, unfinished);
    const bool cluster_opened = open_cluster_barrier(*block.cluster);
    const bool arrival_opened = an_arrival_opened();
    const bool opened = barrier_opened || cluster_opened || arrival_opened;
    if (opened || finished_one) {
      for (ThreadBlock* other : block.cluster->blocks) other->stuck = false;
    }
    if (!opened && !yielded) return report_stuck(block, finished_one);
    if (waits_endlessly(block)) return BlockState::finished;
    if (opened || finished_one) {
      block.idle_passes = 0;
      return BlockState::running;
    }
    if (++block.idle_passes < kIdlePasses) return BlockState::running;
    // A block that waits, in a launch that has failed, may wait for the block that faulted.
    return grid_.faulted == Grid::kNoFault ? BlockState::idle : BlockState::finished;
  }

  /// Whether a barrier opened in this pass because another warp arrived there and went on.
  bool an_arrival_opened() const {
    return std::ranges::any_of(resting_, [](const Warp* warp) {
      return std::ranges::any_of(warp->splits,
                                 [](const Split& split) { return split.state == Split::State::ready; });
    });
  }

  /// All warps of the block wait at barriers that did not open: it is at its end unless another block of its
  /// cluster can still do something.
  BlockState report_stuck(ThreadBlock& block, bool finished_one) {
    block.stuck = true;
    const auto rests = [](const ThreadBlock* other) { return other->finished || other->stuck; };
    if (!std::ranges::all_of(block.cluster->blocks, rests)) return BlockState::idle;
    if (finished_one) return BlockState::running;  // a barrier may open now that nobody waits for its warp
    if (grid_.faulted != Grid::kNoFault && cluster_blocks_ > 1) return BlockState::finished;
    report_deadlock(block, resting_);
    return BlockState::finished;
  }

  /// Whether the warps of the block's cluster have all been waiting for so long, at mbarriers and barriers,
  /// that nothing will change any more; then the launch has failed.
  bool waits_endlessly(ThreadBlock& block) {
    const bool waits = std::ranges::all_of(block.warps, [](const Warp& warp) {
      return warp.splits.empty() || warp.failed_wait != nullptr ||
             warp.splits[0].state != Split::State::ready;
    });
    if (!waits) {
      for (ThreadBlock* other : block.cluster->blocks) other->endless_passes = 0;
      return false;
    }
    if (++block.endless_passes == 1) waits_since_ = std::chrono::steady_clock::now();
    if (block.endless_passes % kEndlessPasses != 0 ||
        std::chrono::steady_clock::now() - waits_since_ < kEndlessTime) {
      return false;
    }
    const auto rests = [](const ThreadBlock* other) {
      return other->finished || other->stuck || other->endless_passes >= kEndlessPasses;
    };
    if (!std::ranges::all_of(block.cluster->blocks, rests)) return false;
    report_endless_wait(block);
    return true;
  }

  void check_deadline(ThreadBlock& block) {
    if (!grid_.deadline || is_in_time(*grid_.deadline)) return;
    for (const Warp& warp : block.warps) {
      if (warp.splits.empty()) continue;
      const Split& split = warp.splits[warp.current < warp.splits.size() ? warp.current : 0];
      grid_.findings->add(
          make_finding(warp, next_place(split), first_lane(split.lanes), Finding::Cause::deadline));
      break;
    }
    grid_.fail(LaunchResult::Status::launch_timeout);
  }

  bool is_in_time(const Deadline& deadline) const {
    const auto now = std::chrono::steady_clock::now();
    if (now < deadline.due) return true;
    if (now >= deadline.latest) return false;
    const std::chrono::nanoseconds used = processor_time(CLOCK_THREAD_CPUTIME_ID) - used_at_begin_;
    return grid_.used_before + used < deadline.processor_time;
  }

  static constexpr std::uint32_t kPassesPerLook = 64;
  /// What tells an endless wait from one for a copy or a thread that is about to come.
  static constexpr std::uint32_t kEndlessPasses = 4096;
  static constexpr std::chrono::milliseconds kEndlessTime{1000};

  Grid& grid_;
  Worker& worker_;
  std::size_t most_resident_;
  std::uint64_t cluster_blocks_;
  std::vector<std::unique_ptr<Cluster>> clusters_;
  std::chrono::steady_clock::time_point waits_since_;
  std::chrono::nanoseconds used_at_begin_ = processor_time(CLOCK_THREAD_CPUTIME_ID);  ///< by this thread
  ProgressWatch progress_;
  std::vector<Warp*> resting_;
  std::uint32_t passes_ = 0;
};

void add_counters(counters::Counters& total, const counters::Counters& part) {
  for (std::size_t b = 0; b < part.blocks.size(); ++b) {
    total.blocks[b].executions += part.blocks[b].executions;
    total.blocks[b].lanes += part.blocks[b].lanes;
    total.blocks[b].divergent += part.blocks[b].divergent;
    total.blocks[b].idle_caused += part.blocks[b].idle_caused;
    total.blocks[b].idle_here += part.blocks[b].idle_here;
  }
  for (std::size_t t = 0; t < part.traffic.size(); ++t) {
    for (std::size_t kind = 0; kind < counters::TrafficCounter::kKinds; ++kind) {
      total.traffic[t].by_kind[kind] += part.traffic[t].by_kind[kind];
    }
    total.traffic[t].global_contention += part.traffic[t].global_contention;
    total.traffic[t].shared_contention += part.traffic[t].shared_contention;
    if (part.shared_samples[t].rank < total.shared_samples[t].rank)
      total.shared_samples[t] = part.shared_samples[t];
    if (part.global_samples[t].rank < total.global_samples[t].rank)
      total.global_samples[t] = part.global_samples[t];
  }
}

/// What a block takes before its threads call functions.
std::size_t bytes_of_block(const Grid& grid) {
  const Function& function = *grid.kernel->function;
  const std::size_t warps = (grid.threads.count() + kLanes - 1) / kLanes;
  const std::size_t warp = function.frame_bytes + std::size_t{function.predicates} * sizeof(Mask) +
                           std::size_t{kLanes} * function.local_bytes;
  return std::max<std::size_t>(warps * warp + grid.shared_bytes, 1);
}

/// Workers that have something to do, and memory for a block each; a cluster runs on one.
unsigned used_workers(const Grid& grid, unsigned workers) {
  const std::uint64_t clusters = grid.block_count / grid.cluster.count();
  const std::uint64_t affordable =
      std::max<std::uint64_t>(kMaxBlockBytes / bytes_of_block(grid) / grid.cluster.count(), 1);
  return static_cast<unsigned>(std::min({std::uint64_t{std::max(workers, 1U)}, clusters, affordable}));
}

/// Blocks that a worker can hold in the memory set aside for those of all workers.
std::size_t affordable_blocks(const Grid& grid, unsigned workers) {
  return std::max<std::size_t>(kMaxBlockBytes / workers / bytes_of_block(grid), 1);
}

}  // namespace

std::size_t resident_blocks(const Grid& grid) {
  const DeviceProperties& gpu = *grid.properties;
  const auto threads = static_cast<std::size_t>(grid.threads.count() + kLanes - 1) / kLanes * kLanes;
  std::size_t per_multiprocessor = static_cast<std::size_t>(gpu.threads_per_multiprocessor) / threads;
  if (grid.shared_bytes > 0) {
    per_multiprocessor =
        std::min(per_multiprocessor, gpu.shared_bytes_per_multiprocessor / grid.shared_bytes);
  }
  constexpr std::size_t kMaxPerMultiprocessor = 32;
  per_multiprocessor = std::clamp<std::size_t>(per_multiprocessor, 1, kMaxPerMultiprocessor);
  return per_multiprocessor * static_cast<std::size_t>(gpu.multiprocessors);
}

bool can_hold_cluster(const Grid& grid) { return affordable_blocks(grid, 1) >= grid.cluster.count(); }

std::size_t blocks_together(const Grid& grid, unsigned workers) {
  const unsigned used = used_workers(grid, workers);
  return std::min(resident_blocks(grid), used * affordable_blocks(grid, used));
}

std::string run_grid(Grid& grid, unsigned workers, counters::Counters& counters, counters::Span& span) {
  const std::size_t capacity = resident_blocks(grid);
  const unsigned used = used_workers(grid, workers);
  const std::size_t most_resident = std::max<std::size_t>(
      std::min((capacity + used - 1) / used, affordable_blocks(grid, used)), grid.cluster.count());
  grid.many_workers = used > 1;
  std::vector<Worker> pool(used);
  for (Worker& worker : pool) {
    worker.grid = &grid;
    worker.counters.blocks.resize(counters.blocks.size());
    worker.counters.traffic.resize(counters.traffic.size());
    worker.counters.shared_samples.resize(counters.shared_samples.size());
    worker.counters.global_samples.resize(counters.global_samples.size());
  }
  ProgressBoard board(used);
  const auto run_worker = [&](unsigned w) {
    WorkerLoop(grid, pool[w], most_resident, ProgressWatch(board, w)).run();
  };
  {
    std::vector<std::jthread> threads;
    for (unsigned w = 1; w < used; ++w) threads.emplace_back(run_worker, w);
    run_worker(0);
  }
  std::vector<std::pair<std::uint64_t, std::string>> output;
  for (Worker& worker : pool) {
    add_counters(counters, worker.counters);
    span.add(worker.span);
    std::move(worker.output.begin(), worker.output.end(), std::back_inserter(output));
  }
  std::sort(output.begin(), output.end());
  std::string text;
  for (const auto& [linear, part] : output) text += part;
  return text;
}

}  // namespace lockstep::emulator::execution
