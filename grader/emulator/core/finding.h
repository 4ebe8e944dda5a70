// A finding of the emulated device: what it is and everything that is known of it, as data.
//
// No sentence is in it: report/finding_words.h has those, by cause. What it quotes are names that the program
// chose and the texts of exceptions, which are not parsed.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::emulator {

/// A place in source code. Of a chain of inlined calls it is the innermost line in the file of the kernel, so
/// in its helpers and lambdas, but not in the headers that it includes.
struct SourceLine {
  std::string file;  ///< as the compiler saw it; empty when unknown
  std::uint32_t line = 0;
  auto operator<=>(const SourceLine&) const = default;
};

struct Finding {
  enum class Kind : std::uint8_t {
    out_of_bounds,       ///< an address outside every allocation, or beyond the end of its own
    misaligned,          ///< an address that is no multiple of the access width
    uninitialised_read,  ///< a read of memory that nothing wrote
    race,                ///< two accesses, one a write, with nothing that orders them
    bad_sync,            ///< a barrier, shuffle or vote that its threads do not meet together
    deadlock,            ///< every warp of the grid waits
    time_limit,          ///< stopped at the deadline
    trap,
    assertion,
    unsupported,
    stack_overflow,
    bad_launch,   ///< a launch that hardware would refuse
    bad_image,    ///< a module that cannot be loaded
    bad_call,     ///< a call of the runtime that it refused; only where the device is asked to note them
    leak,         ///< memory that the program never freed; likewise
    no_progress,  ///< every warp that can run repeats itself, and nothing changes any more
    stale_read,   ///< an old value where another block had stored, with no fence behind; may be no mistake
  };

  /// Why: one row of the table of sentences for each. Those of one kind stand together, as kFirstCauses says.
  /// In brackets what `numbers` holds.
  enum class Cause : std::uint8_t {
    // out_of_bounds: where the access lies
    null_pointer,
    host_pointer,  ///< in no allocation, and as addresses of the host are
    in_no_allocation,
    reaches_past_end,    ///< begins inside `object` and ends beyond it
    just_past_end,       ///< begins where `object` ends
    past_end,            ///< further beyond the end of `object`
    far_past_end,        ///< so far that another object may be meant
    before_start,        ///< before the start of `object`
    far_before_start,    ///< likewise
    whole_past_end,      ///< reaches_past_end of a copy that is done in pieces
    freed_memory,        ///< in `object`, which was freed
    outside_blocks,      ///< of the device's heap, in none of its blocks
    pinned_memory,       ///< of the host, to which the kernel was given no pointer
    peer_memory,         ///< of a device that the kernel's may not access [its number]
    constant_written,    ///< `object` is constant memory
    constant_elsewhere,  ///< a load of constant memory from `object`, which is none
    outside_window,      ///< `address` is an offset within `space`, which has object.bytes
    no_block_of_cluster,
    no_rank_of_cluster,  ///< an address in it is asked for [the rank, blocks of the cluster]
    exited_block,        ///< shared memory of a block of the cluster that has exited [its rank]
    destroyed_image,
    no_image,  ///< `address` is used as a handle
    image_of_other_kind,
    freed_image,
    image_of_other_shape,  ///< [Image::Shape of the access, and of the image]
    outside_surface,       ///< [x in bytes, y, slice, bytes of a row, rows, slices]
    freed_twice,
    freed_inside,  ///< not where `object` begins
    freed_between_blocks,
    freed_elsewhere,  ///< outside the device's heap
    // misaligned
    misaligned_access,
    misaligned_surface,  ///< [x in bytes]
    // uninitialised_read
    uninitialised_global,
    uninitialised_shared,
    uninitialised_cluster,  ///< shared memory of another block of the cluster [its rank]
    uninitialised_texel,    ///< [x, y, slice, Image::Shape]
    // race
    unordered_accesses,
    copy_not_awaited,  ///< an asynchronous copy may still write there
    // bad_sync
    different_barriers,
    no_such_barrier,     ///< [number, barriers of a block]
    no_whole_warps,      ///< [threads of the barrier]
    outside_mask,        ///< of a lane that is not in the mask that it passes [the mask]
    lanes_elsewhere,     ///< [lanes that wait, lanes that are missing, line of the first of these or 0]
    undefined_shuffle,   ///< [lane, lanes that take part]
    missing_lanes,       ///< `name` needs all lanes [those that take no part]
    different_matrices,  ///< lanes give `name` another address or stride than the others [these lanes]
    mbarrier_missing,    ///< where one is used [offset in shared memory]
    mbarrier_missing_for_bulk_copy,  ///< [the same]
    mbarrier_missing_for_copies,     ///< [the same]
    mbarrier_arrivals,               ///< more than it waits for [arrivals, those that it waits for]
    mbarrier_bytes,                  ///< [bytes to wait for, most that are possible]
    mbarrier_count,                  ///< [arrivals to wait for, most that are possible]
    mbarrier_full,
    mbarrier_misaligned,
    mbarrier_initialised_elsewhere,  ///< in another block's shared memory
    mbarrier_awaited_elsewhere,      ///< likewise
    mbarrier_no_arrivals,
    mbarrier_completed,  ///< by an arrival that must not
    bulk_copy_size,      ///< [bytes, of which it must be a multiple]
    bulk_copy_to_other_block,
    bulk_copy_from_other_block,
    cluster_arrived_twice,
    cluster_never_arrived,
    // deadlock
    mbarriers_never_complete,  ///< [warps that wait, arrivals that one waits for, bytes]
    cluster_never_meets,       ///< [warps that wait]
    block_never_meets,         ///< at a barrier of all threads [warps that wait elsewhere, here, barrier]
    threads_never_meet,        ///< [warps that wait elsewhere, barrier, its threads, those that came]
    // time_limit
    deadline,
    // trap
    trap_instruction,
    trap_of_plain_launch,  ///< of a kernel with grid.sync()
    jump_table_left,
    pure_virtual_call,
    null_function,
    host_function,
    kernel_called,           ///< `name`
    function_of_other_type,  ///< `name`
    data_called,             ///< in `space`, or `object`
    no_function,
    // assertion
    failed_assertion,  ///< `name` is the expression
    // unsupported
    foreign_function,
    unsupported_instruction,  ///< `name`; `detail` the function that has it
    unsupported_function,     ///< likewise
    unsupported_otherwise,    ///< `detail`
    // stack_overflow
    stack_full,   ///< [calls deep]
    stacks_full,  ///< of all threads together [calls deep, MiB]
    // bad_launch
    empty_launch,        ///< [grid x, y, z, block x, y, z]
    block_too_large,     ///< [x, y, z, threads, most]
    block_not_compiled,  ///< for so many threads [threads, most]
    block_of_other_shape,
    grid_too_large,              ///< [x, y, z, most x, y, z]
    static_shared_too_large,     ///< [bytes, most]
    shared_too_large,            ///< [bytes, most]
    dynamic_shared_not_allowed,  ///< [bytes, most that the kernel may have]
    cluster_of_other_shape,
    cluster_too_large,       ///< [x, y, z, most blocks]
    grid_not_of_clusters,    ///< [grid x, y, z, cluster x, y, z]
    cluster_needs_too_much,  ///< [blocks]
    cooperative_too_large,   ///< [blocks, those that fit]
    machine_too_small,       ///< `detail`
    launch_otherwise,        ///< `detail`
    // bad_image
    rejected_image,  ///< `detail`
    // bad_call: `name` is the function [cudaError_t]
    refused_call,
    refused_null,
    refused_direction,  ///< of a copy
    refused_range,      ///< `reason` is a cause of kind out_of_bounds
    refused_otherwise,  ///< `detail`
    // leak
    never_freed,  ///< [allocations of this size, the size, allocations of the program, their numbers]
    // no_progress
    endless_loop,  ///< [blocks that have not begun, blocks]
    // stale_read
    unfenced_store,   ///< [block that stored]
    unfenced_reader,  ///< a fence followed the store, and none of the reading block has come since [the same]
  };
  static constexpr Cause kLastCause = Cause::unfenced_reader;

  enum class Access : std::uint8_t { none, read, write, atomic };
  enum class Space : std::uint8_t { global, heap, shared, local, parameters, texture, surface };
  /// Within what an order or a meeting lacks: the threads of one warp, and so on.
  enum class Scope : std::uint8_t { none, warp, block, cluster, grid };
  /// Of a race: who did the earlier access.
  enum class Other : std::uint8_t {
    none,
    same_thread,
    thread,           ///< of the block, counted through it
    threads_of_warp,  ///< of the same warp
    warp,
    another_warp,  ///< which is not known
    block,
    other_blocks,
  };
  /// Of a thread that makes no progress: what others of its block wait for.
  enum class Awaited : std::uint8_t { nothing, mbarrier, lanes, barrier, cluster_barrier };

  /// What an access is told of: an allocation, a block of the kernels' heap, a window.
  struct Object {
    std::string name;  ///< empty where it has none
    std::uint64_t begin = 0, bytes = 0;
    bool operator==(const Object&) const = default;
  };

  Kind kind = Kind::out_of_bounds;  ///< that of the cause: see make
  Cause cause = Cause::null_pointer;
  Space space = Space::global;
  Scope scope = Scope::none;
  Access access = Access::none;        ///< of a race: the later one
  Access other_access = Access::none;  ///< of a race: the earlier one
  Other other = Other::none;
  std::uint32_t other_number = 0;  ///< of that thread, warp or block
  std::uint64_t width = 0;         ///< bytes of the access
  std::uint64_t address = 0;  ///< global: generic address; shared and local: offset from the window's start
  Object object;              ///< near the address; of a loop without progress: what it looks at
  std::vector<std::int64_t> numbers;   ///< as the cause says
  std::string name, detail;            ///< likewise
  Cause reason = Cause::null_pointer;  ///< of a refused range: what is wrong with it
  bool of_virtual_call = false;        ///< the access looks for the virtual functions of an object
  bool of_updates = false;  ///< of a race: both belong to updates of an element, such as `count[k] += 1`
  bool changed_atomically = false;  ///< of a race: atomic operations change the word too
  bool is_volatile = false;         ///< of a race: the later access
  Awaited awaited = Awaited::nothing;
  std::uint32_t awaited_line = 0;
  bool sees_no_host_writes = false;  ///< `object` is memory that the host writes meanwhile
  SourceLine line;
  std::vector<SourceLine> stack;  ///< the same place innermost first, through inlined and other calls
  SourceLine other_line;          ///< of a race: the earlier access; of a stale read: the store
  SourceLine used_at;             ///< of an uninitialised read: where its value matters
  /// Of a race within a block: the latest barrier that all of its threads have met, as `stack`.
  std::vector<SourceLine> barrier;
  std::string kernel;  ///< mangled
  std::array<std::uint32_t, 3> block{}, thread{};
  std::array<std::uint32_t, 3> block_shape{1, 1, 1};  ///< threads of a block
  std::uint64_t count = 1;                            ///< times seen at this place (equal places are merged)

  bool operator==(const Finding&) const = default;

  /// A finding of a cause, with its kind.
  static Finding make(Cause cause);
};

/// A number for Finding::numbers: those of hostile programs may be larger than any that is meant.
constexpr std::int64_t signed_of(std::uint64_t number) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(number, INT64_MAX));
}

/// Why an access lies in no allocation, or an address begins no block, and what is near it.
struct Miss {
  Finding::Cause cause = Finding::Cause::null_pointer;
  Finding::Object object;
};

/// The first cause of each kind, in the order of the causes.
inline constexpr std::array kFirstCauses{
    std::pair(Finding::Cause::null_pointer, Finding::Kind::out_of_bounds),
    std::pair(Finding::Cause::misaligned_access, Finding::Kind::misaligned),
    std::pair(Finding::Cause::uninitialised_global, Finding::Kind::uninitialised_read),
    std::pair(Finding::Cause::unordered_accesses, Finding::Kind::race),
    std::pair(Finding::Cause::different_barriers, Finding::Kind::bad_sync),
    std::pair(Finding::Cause::mbarriers_never_complete, Finding::Kind::deadlock),
    std::pair(Finding::Cause::deadline, Finding::Kind::time_limit),
    std::pair(Finding::Cause::trap_instruction, Finding::Kind::trap),
    std::pair(Finding::Cause::failed_assertion, Finding::Kind::assertion),
    std::pair(Finding::Cause::foreign_function, Finding::Kind::unsupported),
    std::pair(Finding::Cause::stack_full, Finding::Kind::stack_overflow),
    std::pair(Finding::Cause::empty_launch, Finding::Kind::bad_launch),
    std::pair(Finding::Cause::rejected_image, Finding::Kind::bad_image),
    std::pair(Finding::Cause::refused_call, Finding::Kind::bad_call),
    std::pair(Finding::Cause::never_freed, Finding::Kind::leak),
    std::pair(Finding::Cause::endless_loop, Finding::Kind::no_progress),
    std::pair(Finding::Cause::unfenced_store, Finding::Kind::stale_read),
};
static_assert(std::ranges::is_sorted(kFirstCauses, {}, &std::pair<Finding::Cause, Finding::Kind>::first));

constexpr Finding::Kind kind_of(Finding::Cause cause) {
  const auto after =
      std::ranges::upper_bound(kFirstCauses, cause, {}, &std::pair<Finding::Cause, Finding::Kind>::first);
  return (after - 1)->second;
}

inline Finding Finding::make(Cause cause) {
  Finding finding;
  finding.kind = kind_of(cause);
  finding.cause = cause;
  return finding;
}

}  // namespace lockstep::emulator
