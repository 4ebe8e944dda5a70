// State of a launch: the grid, and the host threads that run its blocks (block.h, warp.h).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/deadline.h"
#include "emulator/counters/counters.h"
#include "emulator/counters/span.h"
#include "emulator/memory/atomic_words.h"
#include "emulator/memory/device_heap.h"
#include "emulator/memory/image_table.h"
#include "emulator/memory/memory.h"
#include "emulator/memory/stamps.h"
#include "emulator/program/program.h"
#include "emulator/state/block.h"

namespace lockstep::emulator::checks {
class FindingLog;
class UnfencedStores;
}  // namespace lockstep::emulator::checks

namespace lockstep::emulator::state {

/// A line whose accesses are recorded for drawing.
struct TraceRequest {
  std::string file_suffix;
  std::uint32_t line = 0;
};

struct Grid {
  const program::Kernel* kernel = nullptr;
  const DeviceProperties* properties = nullptr;
  memory::GlobalMemory* memory = nullptr;
  memory::DeviceHeap* heap = nullptr;  ///< null where no kernel has used one
  const memory::ImageTable* images = nullptr;
  Dim3 blocks, threads;
  Dim3 cluster;                 ///< blocks of a cluster
  bool clustered = false;       ///< the program asked for clusters
  DeviceAddress workspace = 0;  ///< where the blocks of a cooperative launch meet
  std::uint32_t dynamic_shared_bytes = 0;
  std::uint32_t shared_bytes = 0;
  std::vector<std::byte> parameters;
  DeviceMask reach = kEveryDevice;  ///< devices whose memory it may access
  bool checks = true;
  bool many_blocks = false;   ///< more than one: races between blocks are possible
  bool many_threads = false;  ///< more than one in all: races in global memory are possible
  bool many_workers = false;  ///< more than one runs its blocks
  std::optional<memory::StampBook> stamps;
  std::atomic<std::uint32_t> clock{1};  ///< logical time, one more at every fence
  /// By block, null when nothing fences: when it has released, what it had released when it last left
  /// something that others may find, and when it has acquired.
  std::unique_ptr<std::atomic<std::uint32_t>[]> released, signalled, acquired;
  memory::AtomicWords* atomic_words = nullptr;  ///< of all launches
  /// Null when there are none that another block could miss.
  checks::UnfencedStores* unfenced_stores = nullptr;
  std::unique_ptr<std::atomic<bool>[]>
      stored_several;  ///< by block: more than one place since its last fence; null as unfenced_stores
  std::atomic<std::uint64_t> next_block{0};
  std::uint64_t block_count = 0;
  std::uint64_t seed = 0;                           ///< 0: warps take turns in their order
  std::uint64_t block_stride = 1, block_start = 0;  ///< order of blocks: (start + k × stride) mod count
  std::atomic<bool> stop{false};
  std::atomic<LaunchResult::Status> status{LaunchResult::Status::ok};
  std::optional<Deadline> deadline;
  std::chrono::nanoseconds used_before{
      0};  ///< of the processor's time, for the same deadline, by other launches
  std::atomic<std::size_t> output_bytes{0};  ///< that printf has written
  std::atomic<std::size_t> stack_bytes{0};   ///< that calls have added to what warps had when they began
  checks::FindingLog* findings = nullptr;    ///< of all launches
  std::atomic<bool> livelock{false};         ///< and will never end
  std::vector<bool> traced_places;           ///< by place; empty when nothing is traced
  std::mutex trace_mutex;
  std::map<std::uint32_t, AccessTrace> traces;  ///< by instruction, each of the lowest warp that came there

  // A fault ends the launch. Several blocks may fault before all have stopped: the one that began first
  // counts, and those before it are run to their end, so that the outcome does not depend on the workers'
  // timing.
  static constexpr std::uint64_t kNoFault = ~std::uint64_t{0};
  std::atomic<std::uint64_t> faulted{kNoFault};  ///< sequence of the block that counts
  std::mutex fault_mutex;
  std::optional<Finding> fault;

  /// Ends the launch at once, wherever its blocks are: the first caller's status counts.
  void fail(LaunchResult::Status why) {
    auto expected = LaunchResult::Status::ok;
    status.compare_exchange_strong(expected, why);
    stop.store(true, std::memory_order_relaxed);
  }
  /// Ends the launch with a fault of one block.
  void fail_at(std::uint64_t sequence, LaunchResult::Status why, Finding finding) {
    const std::lock_guard lock(fault_mutex);
    if (stop || sequence >= faulted.load(std::memory_order_relaxed)) return;
    faulted.store(sequence, std::memory_order_relaxed);
    fault = std::move(finding);
    status = why;
  }
  /// Whether a block has nothing more to do in a launch that has failed.
  bool ended(std::uint64_t sequence) const {
    return stop.load(std::memory_order_relaxed) || sequence >= faulted.load(std::memory_order_relaxed);
  }
};

/// Bytes between what different processors write: a line of the cache, and the one that is fetched with it.
inline constexpr std::size_t kApart = 128;

/// One host thread that runs blocks.
struct alignas(kApart) Worker {
  Grid* grid = nullptr;
  counters::Counters counters;
  /// Allocations of the latest global load, store and atomic, to save the search.
  std::array<memory::GlobalMemory::Allocation, 3> recent;
  std::vector<std::unique_ptr<ThreadBlock>> resident;
  std::vector<std::unique_ptr<ThreadBlock>> spare;            ///< to use again: their constants are in place
  std::vector<std::pair<std::uint64_t, std::string>> output;  ///< of finished blocks, by linear index
  /// The texture or surface object that was used last, to save the search.
  ImageHandle recent_handle = 0;
  const memory::ImageObject* recent_image = nullptr;
  /// What the worker did that others may wait for, or that goes on by itself: stores and copies, atomics that
  /// changed something, arrivals at barriers, blocks of the heap, looks at a clock. A worker that does none
  /// of it may be standing still.
  std::uint64_t changes = 0;
  std::uint64_t polled_address = 0;  ///< of the latest synchronising load or atomic of global memory
  counters::Span span;               ///< of the blocks that have ended here
};

}  // namespace lockstep::emulator::state
