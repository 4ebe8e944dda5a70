// State of a grid while it runs: grid, thread block, warp, split.
//
// A warp is one or more splits: sets of lanes at the same place. Usually there is one. A branch that lanes
// take both ways makes two; splits that reach the same block with the same callers become one again. Nothing
// here blocks a host thread: a warp that waits is simply not run, so a worker can hold as many blocks as
// hardware would keep resident.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "emulator/machine/async_copies.h"
#include "emulator/machine/atomic_words.h"
#include "emulator/machine/clock.h"
#include "emulator/machine/counters.h"
#include "emulator/machine/device_heap.h"
#include "emulator/machine/image_table.h"
#include "emulator/machine/mbarrier.h"
#include "emulator/machine/memory.h"
#include "emulator/machine/partings.h"
#include "emulator/machine/program.h"
#include "emulator/machine/span.h"
#include "emulator/machine/undefined_values.h"
#include "emulator/machine/unfenced_stores.h"

namespace lockstep::emulator {

struct Frame {
  const Function* function = nullptr;
  std::uint32_t block = 0;       ///< that runs next
  std::uint32_t rows = 0;        ///< byte offset of the frame in Warp::rows
  std::uint32_t predicates = 0;  ///< index of the frame's first predicate
  std::uint32_t local = 0;       ///< byte offset of the frame in the thread's local memory
  bool operator==(const Frame&) const = default;
};

struct Split {
  enum class State : std::uint8_t { ready, meeting, at_barrier, at_cluster_barrier };
  Mask lanes = 0;
  Frame frame;
  std::vector<Frame> callers;
  State state = State::ready;
  bool admitted = false;              ///< may pass the gate of the block that it stands before
  Mask members = 0;                   ///< lanes that it meets there, as its own mask names them
  bool deferred = false;              ///< went round a loop often while others waited; they go first now
  std::uint32_t back_edges = 0;       ///< while others waited
  std::uint32_t barrier = 0;          ///< number, State::at_barrier
  std::uint32_t barrier_threads = 0;  ///< that the barrier waits for; 0: all of the block
  Mask votes = 0;                     ///< lanes that bring "true" to a barrier that reduces
  std::uint32_t all_votes = 0, voters = 0;  ///< what the barrier found when it opened
};

struct ThreadBlock;
struct Worker;

/// A load that missed an unfenced store.
struct MissedLook {
  const Instruction* load = nullptr;
  unsigned lane = 0;
  std::uint64_t address = 0;
  std::atomic<std::uint64_t>* repeats = nullptr;  ///< what to count when the lane looks again
};

struct Warp {
  // What handlers read, valid while a split runs.
  std::byte* rows = nullptr;     ///< current frame
  Mask* predicates = nullptr;    ///< current frame
  std::uint32_t local_base = 0;  ///< current frame in the thread's local memory
  ThreadBlock* block = nullptr;
  Worker* worker = nullptr;
  const Instruction* end = nullptr;  ///< behind what the runner executes in one go; a load may draw it nearer
  bool stop = false;                 ///< a handler asks the warp to stop: the launch has failed
  bool yields = false;               ///< a handler asks that others run first: what it waits for is not there
  std::uint32_t polls = 0;           ///< in this turn, that found what the warp had found before

  std::uint32_t index = 0;  ///< in its block
  Mask threads = 0;         ///< lanes that are threads: all but in a block's last warp
  Mask live = 0;            ///< threads that have not exited
  Mask carry = 0;           ///< condition code CC.CF
  std::array<std::uint32_t, kLanes> thread_x{}, thread_y{}, thread_z{};
  Time ordered = 0;  ///< accesses of any warp up to this time happened before what this warp does now
  Time synced = 0;   ///< likewise for the warp's own lanes
  Time fenced = 0;   ///< accesses of the warp up to this time lie before a fence of its own
  /// Digests of the latest synchronising loads: who, where, what it found. A loop may poll several words in
  /// turn, so neighbouring instructions, by their counter, have places of their own.
  std::array<std::uint64_t, 4> latest_polls{};
  std::vector<MissedLook> missed_looks;  ///< that the warp has not repeated
  std::vector<Split> splits;
  std::size_t current = 0;
  AsyncCopies copies;
  const Instruction* failed_wait = nullptr;  ///< at an mbarrier, in its latest turn
  std::uint64_t awaited = 0;                 ///< the mbarrier's word there
  std::array<Mask, 16> at_barrier{};  ///< by number: lanes that have arrived there, while others have not
  Mask at_cluster = 0;  ///< lanes that have arrived at the cluster's barrier, which has not opened since
  Mask owes_cluster_wait = 0;  ///< lanes that have arrived and not waited

  std::vector<std::byte> row_storage;
  std::vector<Mask> predicate_storage;
  std::vector<std::byte> local;   ///< [lane][byte]: kLanes × local_bytes
  std::uint32_t local_bytes = 0;  ///< of one thread
  Partings partings;
  UndefinedValues undefined;
  WarpPath path;
};

/// One word of shared memory as the race check sees it. A word is Kernel::shared_granule bytes.
struct SharedShadow {
  std::vector<Time> write_time, read_time;
  std::vector<std::uint32_t> writer;  ///< thread (10 bits), atomic, copy in flight, volatile (1 bit each)
  std::vector<Time> atomic_time;      ///< of the latest atomic operation
  std::vector<std::uint32_t> write_place;
  std::vector<std::uint32_t> read_place;  ///< see read_stamp
  std::vector<std::uint32_t> read_warps;  ///< mask over the block's warps
};

inline constexpr std::uint32_t kAtomicWriter = 1U << 10;
/// The word is the target of a copy that nobody has waited for; its write_time is kInFlight.
inline constexpr std::uint32_t kCopyWriter = 1U << 11;
inline constexpr std::uint32_t kVolatileWriter = 1U << 12;
inline constexpr Time kInFlight = 0xFFFF'FFFF;

struct Grid;
struct Cluster;

/// Threads that have arrived at a barrier and do not wait there.
struct Arrivals {
  std::uint32_t threads = 0;
  Clock clock;
};

struct ThreadBlock {
  Grid* grid = nullptr;
  std::array<std::uint32_t, 3> index{};
  std::uint32_t linear = 0;
  std::uint64_t sequence = 0;  ///< in the order in which the launch begins its blocks
  Time begin = 1;              ///< accesses before this time belong to an earlier block in the same memory
  Time now = 1;
  std::vector<Warp> warps;
  std::uint32_t warp_count = 0;
  Stamp turn = 0;                 ///< first of those that this block gives to global memory now
  std::uint32_t turn_time = 0;    ///< of the grid's clock when the turn began; 0 when none has
  bool had_turns = false;         ///< besides this one: stamps outside of it may be this block's
  Time moments_begin = 0;         ///< moments count from here
  Stamp moments_turn = 0;         ///< the turn that began then; what came before it is no longer told apart
  std::uint32_t idle_passes = 0;  ///< over all warps without one finishing or a barrier opening
  std::uint64_t unfenced_address =
      0;  ///< of its first relaxed store since its last fence; 0 when there is none
  std::uint32_t unfenced_since = 0;  ///< the time of that fence
  std::vector<std::byte> shared;
  SharedShadow shadow;
  std::vector<Time> seen;  ///< [warp][other]: until when other's accesses are ordered before warp's
  Clock released;          ///< by accesses to shared memory that release
  Time acquired = 0;       ///< when a warp last did what acquires global memory
  std::uint32_t latest_barrier = kNoPlace;           ///< place of the latest that all threads have met
  std::map<std::uint32_t, Arrivals> arrivals;        ///< at barriers, of threads that do not wait; by number
  std::map<std::uint32_t, MbarrierClock> mbarriers;  ///< by offset: those between init and inval
  AsyncArrivals async_arrivals;
  bool has_marks = false;  ///< the latest block in this memory left copies in flight
  Cluster* cluster = nullptr;
  std::uint32_t rank = 0;                     ///< in its cluster
  Clock cluster_arriving, cluster_completed;  ///< what arrivals at the cluster's barrier released
  bool finished = false;                      ///< its memory stays until the cluster has finished
  bool stuck = false;                ///< no warp can go on before another block of the cluster does something
  std::uint32_t endless_passes = 0;  ///< one after the other in which all warps waited, some at mbarriers
  std::string output;                ///< of printf
  std::uint64_t longest_unit = 0;    ///< of work, of those that have ended
};

/// Findings of one launch or of several, equal ones merged.
class FindingLog {
 public:
  /// Counts `finding` when its kind and lines were seen before, else keeps it (up to limits of their number
  /// and their bytes: hostile programs have names without end).
  void add(Finding finding);
  std::vector<Finding> take();

 private:
  std::mutex mutex_;
  std::vector<Finding> findings_;
  std::size_t bytes_ = 0;
};

/// A line whose accesses are recorded for drawing.
struct TraceRequest {
  std::string file_suffix;
  std::uint32_t line = 0;
};

struct Grid {
  const Kernel* kernel = nullptr;
  const DeviceProperties* properties = nullptr;
  GlobalMemory* memory = nullptr;
  DeviceHeap* heap = nullptr;  ///< null where no kernel has used one
  const ImageTable* images = nullptr;
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
  std::optional<StampBook> stamps;
  std::atomic<std::uint32_t> clock{1};  ///< logical time, one more at every fence
  std::unique_ptr<std::atomic<std::uint32_t>[]> released, acquired;  ///< by block; null when nothing fences
  AtomicWords* atomic_words = nullptr;                               ///< of all launches
  UnfencedStores* unfenced_stores = nullptr;  ///< null when there are none that another block could miss
  std::unique_ptr<std::atomic<bool>[]>
      stored_several;  ///< by block: more than one place since its last fence; null as unfenced_stores
  std::atomic<std::uint64_t> next_block{0};
  std::uint64_t block_count = 0;
  std::uint64_t seed = 0;                           ///< 0: warps take turns in their order
  std::uint64_t block_stride = 1, block_start = 0;  ///< order of blocks: (start + k × stride) mod count
  std::atomic<bool> stop{false};
  std::atomic<LaunchResult::Status> status{LaunchResult::Status::ok};
  std::optional<std::chrono::steady_clock::time_point> deadline;
  std::atomic<std::size_t> output_bytes{0};  ///< that printf has written
  std::atomic<std::size_t> stack_bytes{0};   ///< that calls have added to what warps had when they began
  FindingLog* findings = nullptr;            ///< of all launches
  std::atomic<bool> stands_still{false};     ///< and will never end
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

/// One host thread that runs blocks.
struct Worker {
  Grid* grid = nullptr;
  Counters counters;
  /// Allocations of the latest global load, store and atomic, to save the search.
  std::array<GlobalMemory::Allocation, 3> recent;
  std::vector<std::unique_ptr<ThreadBlock>> resident;
  std::vector<std::unique_ptr<ThreadBlock>> spare;            ///< to use again: their constants are in place
  std::vector<std::pair<std::uint64_t, std::string>> output;  ///< of finished blocks, by linear index
  /// The texture or surface object that was used last, to save the search.
  ImageHandle recent_handle = 0;
  const ImageObject* recent_image = nullptr;
  /// What the worker did that others may wait for, or that goes on by itself: stores and copies, atomics that
  /// changed something, arrivals at barriers, blocks of the heap, looks at a clock. A worker that does none
  /// of it may be standing still.
  std::uint64_t changes = 0;
  std::uint64_t polled_address = 0;  ///< of the latest synchronising load or atomic of global memory
  Span span;                         ///< of the blocks that have ended here
};

/// The lowest lane of a mask that names at least one.
inline unsigned first_lane(Mask lanes) { return static_cast<unsigned>(std::countr_zero(lanes)); }

/// Row of a register in the current frame.
template <class T>
inline T* row(const Warp& warp, Slot slot) {
  return reinterpret_cast<T*>(warp.rows + slot);
}

/// A finding at an instruction for one lane of a warp, with kernel, line, block and thread filled in.
Finding make_finding(const Warp& warp, std::uint32_t place, unsigned lane, Finding::Kind kind,
                     std::string message);

/// Ends the warp's block, and with it the launch, with a finding.
void fault(Warp& warp, LaunchResult::Status why, Finding finding);

}  // namespace lockstep::emulator
