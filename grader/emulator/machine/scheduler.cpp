#include "emulator/machine/scheduler.h"

#include <fmt/format.h>

#include <algorithm>
#include <thread>
#include <utility>

#include "emulator/machine/barrier.h"
#include "emulator/machine/warp_runner.h"

namespace lockstep::emulator {
namespace {

/// Passes over a block's warps in which nothing but loops happened, after which the worker looks at other
/// blocks: the block may wait for one that has not begun.
constexpr std::uint32_t kIdlePasses = 2;
/// Logical times are 32 bits; a block's memory is cleared before they run out.
constexpr Time kLatestTime = 0x8000'0000;

void begin_block(ThreadBlock& block, Grid& grid, std::uint64_t sequence) {
  const std::uint64_t linear = (grid.block_start + sequence * grid.block_stride) % grid.block_count;
  block.grid = &grid;
  block.sequence = sequence;
  block.linear = static_cast<std::uint32_t>(linear);
  block.index = {static_cast<std::uint32_t>(linear % grid.blocks.x),
                 static_cast<std::uint32_t>(linear / grid.blocks.x % grid.blocks.y),
                 static_cast<std::uint32_t>(linear / grid.blocks.x / grid.blocks.y)};
  const auto words = grid.shared_bytes / grid.kernel->shared_granule + 1;
  if (block.now >= kLatestTime || block.shadow.write_time.size() != words) {
    block.now = 0;
    block.shadow.write_time.assign(words, 0);
    block.shadow.read_time.assign(words, 0);
    block.shadow.writer.assign(words, 0);
    block.shadow.write_place.assign(words, 0);
    block.shadow.read_place.assign(words, 0);
    block.shadow.read_warps.assign(words, 0);
  }
  block.begin = ++block.now;
  block.shared.resize(grid.shared_bytes);
  block.seen.clear();
  block.turn_time = 0;
  block.had_turns = false;
  block.idle_passes = 0;
  block.warp_count = static_cast<std::uint32_t>((grid.threads.count() + kLanes - 1) / kLanes);
  block.warps.resize(block.warp_count);
  for (std::uint32_t w = 0; w < block.warp_count; ++w) {
    block.warps[w].index = w;
    block.warps[w].block = &block;
    begin_warp(block.warps[w]);
  }
}

enum class BlockState : std::uint8_t { finished, running, idle };

class WorkerLoop {
 public:
  WorkerLoop(Grid& grid, Worker& worker, std::size_t most_resident)
      : grid_(grid), worker_(worker), most_resident_(most_resident) {}

  /// Runs blocks until none is left. A machine that runs out of memory ends the launch, not the process.
  void run() noexcept {
    try {
      run_blocks();
    } catch (const std::exception& error) {
      Finding finding;
      finding.kind = Finding::Kind::bad_launch;
      finding.kernel = grid_.kernel->info.name;
      finding.message = fmt::format("the machine cannot hold the launch: {}", error.what());
      grid_.findings.add(std::move(finding));
      grid_.fail(LaunchResult::Status::launch_failure);
    }
  }

 private:
  void run_blocks() {
    std::size_t next = 0;
    while (!grid_.stop.load(std::memory_order_relaxed)) {
      if (worker_.resident.empty() && !begin_next()) return;
      next %= worker_.resident.size();
      ThreadBlock& block = *worker_.resident[next];
      if (++passes_ % kPassesPerLook == 0) check_deadline(block);
      switch (run_pass(block)) {
        case BlockState::finished:
          if (!block.output.empty())
            worker_.output.emplace_back(block.linear, std::exchange(block.output, {}));
          worker_.spare.push_back(std::move(worker_.resident[next]));
          worker_.resident.erase(worker_.resident.begin() + static_cast<std::ptrdiff_t>(next));
          break;
        case BlockState::running:
          break;
        case BlockState::idle:
          check_deadline(block);
          if (worker_.resident.size() < most_resident_) begin_next();
          ++next;
          break;
      }
    }
    for (const auto& block : worker_.resident) {
      if (!block->output.empty()) worker_.output.emplace_back(block->linear, std::move(block->output));
    }
  }

  bool begin_next() {
    const std::uint64_t taken = grid_.next_block.fetch_add(1, std::memory_order_relaxed);
    if (taken >= grid_.block_count || grid_.ended(taken)) return false;
    std::unique_ptr<ThreadBlock> block;
    if (worker_.spare.empty()) {
      block = std::make_unique<ThreadBlock>();
    } else {
      block = std::move(worker_.spare.back());
      worker_.spare.pop_back();
    }
    begin_block(*block, grid_, taken);
    for (Warp& warp : block->warps) warp.worker = &worker_;
    worker_.resident.push_back(std::move(block));
    return true;
  }

  /// Lets every warp of the block that can run have a turn.
  BlockState run_pass(ThreadBlock& block) {
    resting_.clear();
    std::size_t unfinished = 0;
    bool yielded = false, finished_one = false;
    for (Warp& warp : block.warps) {
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
          break;
      }
      if (grid_.ended(block.sequence)) return BlockState::finished;
    }
    if (unfinished == 0) return BlockState::finished;
    const bool opened = !resting_.empty() && open_barriers(block, resting_, unfinished);
    if (!opened && !yielded) {
      report_deadlock(block, resting_);
      return BlockState::finished;
    }
    if (opened || finished_one) {
      block.idle_passes = 0;
      return BlockState::running;
    }
    if (++block.idle_passes < kIdlePasses) return BlockState::running;
    // A block that waits, in a launch that has failed, may wait for the block that faulted.
    return grid_.faulted == Grid::kNoFault ? BlockState::idle : BlockState::finished;
  }

  void check_deadline(ThreadBlock& block) {
    if (!grid_.deadline || std::chrono::steady_clock::now() < *grid_.deadline) return;
    for (const Warp& warp : block.warps) {
      if (warp.splits.empty()) continue;
      const Split& split = warp.splits[warp.current < warp.splits.size() ? warp.current : 0];
      grid_.findings.add(
          make_finding(warp, next_place(split), first_lane(split.lanes), Finding::Kind::time_limit,
                       "the kernel was stopped at the time limit; this is where the warp was"));
      break;
    }
    grid_.fail(LaunchResult::Status::launch_timeout);
  }

  static constexpr std::uint32_t kPassesPerLook = 64;

  Grid& grid_;
  Worker& worker_;
  std::size_t most_resident_;
  std::vector<Warp*> resting_;
  std::uint32_t passes_ = 0;
};

void add_counters(Counters& total, const Counters& part) {
  for (std::size_t b = 0; b < part.blocks.size(); ++b) {
    total.blocks[b].executions += part.blocks[b].executions;
    total.blocks[b].lanes += part.blocks[b].lanes;
    total.blocks[b].divergent += part.blocks[b].divergent;
  }
  for (std::size_t t = 0; t < part.traffic.size(); ++t) {
    for (std::size_t kind = 0; kind < TrafficCounter::kKinds; ++kind) {
      total.traffic[t].by_kind[kind] += part.traffic[t].by_kind[kind];
    }
  }
}

/// Blocks that a worker can hold in the memory set aside for registers and local memory of all workers.
std::size_t affordable_blocks(const Grid& grid, unsigned workers) {
  constexpr std::size_t kBytes = std::size_t{4} << 30;
  const Function& function = *grid.kernel->function;
  const std::size_t warps = (grid.threads.count() + kLanes - 1) / kLanes;
  const std::size_t block =
      warps * (function.frame_bytes + std::size_t{kLanes} * function.local_bytes) + grid.shared_bytes;
  return std::max<std::size_t>(kBytes / workers / std::max<std::size_t>(block, 1), 1);
}

}  // namespace

std::size_t resident_blocks(const Grid& grid) {
  const DeviceProperties& card = *grid.properties;
  const auto threads = static_cast<std::size_t>(grid.threads.count() + kLanes - 1) / kLanes * kLanes;
  std::size_t per_multiprocessor = static_cast<std::size_t>(card.threads_per_multiprocessor) / threads;
  if (grid.shared_bytes > 0) {
    per_multiprocessor =
        std::min(per_multiprocessor, card.shared_bytes_per_multiprocessor / grid.shared_bytes);
  }
  constexpr std::size_t kMostPerMultiprocessor = 32;
  per_multiprocessor = std::clamp<std::size_t>(per_multiprocessor, 1, kMostPerMultiprocessor);
  return per_multiprocessor * static_cast<std::size_t>(card.multiprocessors);
}

std::string run_grid(Grid& grid, unsigned workers, Counters& counters) {
  const std::size_t capacity = resident_blocks(grid);
  const auto used = static_cast<unsigned>(std::min<std::uint64_t>(std::max(workers, 1U), grid.block_count));
  const std::size_t most_resident = std::min((capacity + used - 1) / used, affordable_blocks(grid, used));
  std::vector<Worker> pool(used);
  for (Worker& worker : pool) {
    worker.grid = &grid;
    worker.counters.blocks.resize(counters.blocks.size());
    worker.counters.traffic.resize(counters.traffic.size());
  }
  {
    std::vector<std::jthread> threads;
    for (unsigned w = 1; w < used; ++w) {
      threads.emplace_back([&, w] { WorkerLoop(grid, pool[w], most_resident).run(); });
    }
    WorkerLoop(grid, pool[0], most_resident).run();
  }
  std::vector<std::pair<std::uint64_t, std::string>> output;
  for (Worker& worker : pool) {
    add_counters(counters, worker.counters);
    std::move(worker.output.begin(), worker.output.end(), std::back_inserter(output));
  }
  std::sort(output.begin(), output.end());
  std::string text;
  for (const auto& [linear, part] : output) text += part;
  return text;
}

}  // namespace lockstep::emulator
