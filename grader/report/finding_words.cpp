#include "report/finding_words.h"

#include <fmt/args.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <span>

#include "emulator/core/image.h"
#include "emulator/cudart/library/runtime_names.h"
#include "text/demangled.h"
#include "text/printable.h"

namespace lockstep::report {
namespace {

using emulator::Finding;
using emulator::SourceLine;
using Cause = Finding::Cause;
using Kind = Finding::Kind;
using result::Verdict;

constexpr const char* kWhichBarrier =
    "which condition or loop do not all threads of the block go through together? Move the barrier out of "
    "it, so that all come to it equally often.";
constexpr const char* kWhichLanes =
    "which condition keeps the others away? All lanes that the mask names must come here: move this out of "
    "the condition, and let that decide what becomes of the result.";
constexpr const char* kWhichMask =
    "bit l of the mask stands for lane l, and the mask names all lanes that come here: the whole warp is "
    "0xFFFFFFFF. Or should this lane not come here?";
constexpr const char* kWhatLetsGoOn = "what should let the code go on from here?";
constexpr const char* kThisMemory = "is this the memory that you mean?";
constexpr const char* kDynamicShared =
    "call cudaFuncSetAttribute before the launch, or take less memory: what is the third launch argument, in "
    "bytes?";

constexpr std::array kKinds{
    KindOfFinding{.kind = Kind::out_of_bounds,
                  .name = "out-of-bounds",
                  .verdict = Verdict::out_of_bounds,
                  .rank = 2,
                  .may_lack_work = true,
                  .question = "is there a condition that keeps threads without an element away, and does it "
                              "ask about the numbers that this index is made of? Or is the index wrong, or "
                              "the array shorter than you think?"},
    KindOfFinding{
        .kind = Kind::misaligned,
        .name = "misaligned",
        .verdict = Verdict::out_of_bounds,
        .rank = 2,
        .question = "does what each thread reads or writes at once begin at a multiple of its size?",
        .guess = "an access to several elements at once must start at a multiple of its size; where rows are "
                 "not a multiple of it long, most of them start elsewhere"},
    KindOfFinding{
        .kind = Kind::uninitialised_read,
        .name = "uninitialised-read",
        .verdict = Verdict::uninitialised_read,
        .rank = 6,
        .stops_kernel = false,
        .may_lack_work = true,
        .question =
            "what should have written this before: a kernel, a copy, or a fill such as `cudaMemsetAsync(…, "
            "stream)`? Memory that is only allocated holds anything. Or who should not read it?"},
    KindOfFinding{
        .kind = Kind::race, .name = "race", .verdict = Verdict::race, .rank = 5, .stops_kernel = false},
    KindOfFinding{.kind = Kind::bad_sync,
                  .name = "bad-sync",
                  .verdict = Verdict::bad_sync,
                  .rank = 3,
                  .other_place = "the other barrier",
                  .question = kWhichBarrier},
    KindOfFinding{.kind = Kind::deadlock,
                  .name = "deadlock",
                  .verdict = Verdict::bad_sync,
                  .rank = 3,
                  .never_ends = true,
                  .question = kWhichBarrier},
    KindOfFinding{.kind = Kind::time_limit,
                  .name = "time-limit",
                  .verdict = Verdict::time_limit,
                  .rank = 4,
                  .never_ends = true,
                  .may_lack_work = true,
                  .question = kWhatLetsGoOn},
    KindOfFinding{.kind = Kind::trap, .name = "trap", .verdict = Verdict::crashed, .rank = 1},
    KindOfFinding{.kind = Kind::assertion, .name = "assertion", .verdict = Verdict::crashed, .rank = 1},
    // Hardware might run it: the limit is the emulated device's, not the student's.
    KindOfFinding{.kind = Kind::unsupported,
                  .name = "unsupported",
                  .verdict = Verdict::grader_error,
                  .rank = 0,
                  .has_thread = false},
    KindOfFinding{
        .kind = Kind::stack_overflow, .name = "stack-overflow", .verdict = Verdict::crashed, .rank = 1},
    KindOfFinding{
        .kind = Kind::bad_launch,
        .name = "bad-launch",
        .verdict = Verdict::launch_failed,
        .rank = 0,
        .stops_kernel = false,
        .has_thread = false,
        .question = "compare the launch with what a device can launch: at least one block and one thread, at "
                    "most 1024 threads per block, and no more shared memory than a block may have."},
    KindOfFinding{.kind = Kind::bad_image,
                  .name = "bad-image",
                  .verdict = Verdict::launch_failed,
                  .rank = 0,
                  .has_thread = false},
    // What a refused call or a stale read spoils shows in the outputs: the judge takes these out. It does not
    // ask for leaks.
    KindOfFinding{.kind = Kind::bad_call,
                  .name = "bad-call",
                  .verdict = Verdict::grader_error,
                  .rank = 7,
                  .has_thread = false},
    KindOfFinding{
        .kind = Kind::leak, .name = "leak", .verdict = Verdict::grader_error, .rank = 7, .has_thread = false},
    KindOfFinding{.kind = Kind::no_progress,
                  .name = "no-progress",
                  .verdict = Verdict::time_limit,  // which is certain to be reached
                  .rank = 4,
                  .never_ends = true,
                  .may_lack_work = true,
                  .question = kWhatLetsGoOn},
    KindOfFinding{.kind = Kind::stale_read,
                  .name = "stale-read",
                  .verdict = Verdict::grader_error,
                  .rank = 7,
                  .stops_kernel = false,
                  .other_place = "the store"},
};

struct CauseOfFinding {
  Cause cause;
  const char* text;      ///< with the fields that `filled` knows, and numbers by their place
  const char* question;  ///< null: the kind's
  bool names_place;      ///< to a developer the sentence begins with the line, and not the kind
};

constexpr CauseOfFinding row(Cause cause, const char* text, const char* question = nullptr) {
  return {cause, text, question, false};
}

constexpr CauseOfFinding placed(Cause cause, const char* text) { return {cause, text, nullptr, true}; }

constexpr std::array kCauses{
    row(Cause::null_pointer, "{access} at address {address:#x}: a null pointer{instead}",
        "which pointer is null, and what should have set it?"),
    row(Cause::host_pointer,
        "{access} at address {address:#x}, which is in no allocation of the device: it looks like a pointer "
        "of the host{instead}",
        "where does this pointer come from? A kernel reaches memory of the device, such as cudaMalloc gives, "
        "and no array or variable of the host."),
    row(Cause::in_no_allocation, "{access} at address {address:#x}, which is in no allocation{instead}",
        "where does this pointer come from, and what is its index?"),
    row(Cause::reaches_past_end,
        "{access} that reaches {reach} bytes past the end of {object} ({bytes} bytes)"),
    row(Cause::just_past_end, "{access} just past the end of {object} ({bytes} bytes){instead}"),
    row(Cause::past_end,
        "{access} that begin {past} bytes past the end of {object} ({bytes} bytes){instead}"),
    row(Cause::far_past_end,
        "{access} that begin {past} bytes past the end of {object} ({bytes} bytes), the nearest "
        "allocation{instead}"),
    row(Cause::before_start,
        "{access} that begin {before} bytes before the start of {object} ({bytes} bytes){instead}"),
    row(Cause::far_before_start,
        "{access} that begin {before} bytes before the start of {object} ({bytes} bytes), the nearest "
        "allocation{instead}"),
    row(Cause::whole_past_end,
        "{access}, which reach {reach} bytes past the end of {object} ({bytes} bytes)"),
    row(Cause::freed_memory, "{access} of {object} ({bytes} bytes) after it was freed{instead}",
        "what frees this memory, and who still uses it?"),
    row(Cause::outside_blocks, "{access} of the device's heap, outside every block"),
    row(Cause::pinned_memory,
        "{access} of pinned host memory that the kernel was given no pointer to: pass one as an argument, or "
        "ask cudaHostGetDevicePointer for it first"),
    row(Cause::peer_memory,
        "{access} of memory of device {0}, to which the kernel's device has no access: "
        "cudaDeviceEnablePeerAccess gives it"),
    row(Cause::constant_written,
        "{access} to constant memory, '{name_of_object}', which only the host may write", kThisMemory),
    row(Cause::constant_elsewhere,
        "load of {width} bytes as constant memory, where there is {memory}, which is no __constant__",
        kThisMemory),
    row(Cause::outside_window, "{access} at offset {offset} of {window}, which has {bytes} bytes"),
    row(Cause::no_block_of_cluster, "an address {address:#x} in no block of the cluster"),
    row(Cause::no_rank_of_cluster, "an address in block {0} of a cluster of {1} blocks"),
    row(Cause::exited_block,
        "an access to the shared memory of block {0} of the cluster, whose threads have exited: a cluster "
        "barrier before their end keeps it"),
    row(Cause::destroyed_image, "use of a {image} object after it was destroyed"),
    row(Cause::no_image, "use of {address:#x} as a {image} object, which it is not"),
    row(Cause::image_of_other_kind, "use of a {other_image} object as a {image} object"),
    row(Cause::freed_image, "use of a {image} object after its memory was freed"),
    row(Cause::image_of_other_shape,
        "{image} access as {shape} of an object that shows a {other_shape} one{fetch}"),
    row(Cause::outside_surface,
        "surface {verb} of {width} bytes at x = {0} bytes, y = {1}, slice {2} of a surface of {3} bytes × "
        "{4} rows × {5} slices"),
    row(Cause::freed_twice, "free of a block ({bytes} bytes) that was freed before"),
    row(Cause::freed_inside,
        "free of an address {offset} bytes into a block ({bytes} bytes), not of its start"),
    row(Cause::freed_between_blocks, "free of an address in the device's heap where no block begins"),
    row(Cause::freed_elsewhere,
        "free of the address {address:#x}, which malloc and new in kernels did not give"),

    row(Cause::misaligned_access, "{access} at address {address:#x}, which is no multiple of {width}"),
    row(Cause::misaligned_surface,
        "surface {verb} of {width} bytes at x = {0} bytes, which is no multiple of {width}: x counts bytes, "
        "not elements"),

    row(Cause::uninitialised_global, "read of byte {offset} of {memory}, which nothing has written{used}"),
    row(Cause::uninitialised_shared,
        "read of byte {offset} of the block's shared memory, which no thread of the block has written{used}",
        "nothing has set this: shared memory begins with anything. Where something is added to it, set it to "
        "0 first, then `__syncthreads()`; where a condition keeps a thread from writing it, let that thread "
        "write 0."),
    row(Cause::uninitialised_cluster,
        "read of byte {offset} of the shared memory of block {0} of the cluster, which nothing has written"),
    row(Cause::uninitialised_texel,
        "read of element ({0}, {1}, {2}) of a {shape} array, which nothing has written"),

    row(Cause::unordered_accesses,
        "{verb} of {where}, which {other} {other_verb} at {other_line} {lacks}{also}"),
    row(Cause::copy_not_awaited,
        "{verb} of {where}, which the asynchronous copy at {other_line} writes: {other} has not waited for "
        "it (cp.async.wait_group, or the copy's mbarrier or pipeline)",
        "who waits for the copy, and which barrier then follows?"),

    row(Cause::different_barriers,
        "threads of the block wait at different barriers: some here, others at line {line_of_other}"),
    row(Cause::no_such_barrier, "barrier {0}: a block has {1}"),
    row(Cause::no_whole_warps, "a barrier of {0} threads, which are no whole warps"),
    row(Cause::outside_mask, "the lane is not in the mask {0:#010x} that it passes", kWhichMask),
    row(Cause::lanes_elsewhere,
        "{lanes} {wait} for {missing}, which must take part and {are} elsewhere{first_at}", kWhichLanes),
    row(Cause::undefined_shuffle,
        "lane {0} reads a register of a lane that takes no part in the shuffle (lanes that do: {1:#010x})",
        kWhichLanes),
    row(Cause::missing_lanes, "{name} needs all lanes of the warp, but lanes {0:#010x} take no part",
        kWhichLanes),
    row(Cause::different_matrices,
        "lanes {0:#010x} give another address or stride than the other lanes of {name}", kWhichLanes),
    row(Cause::mbarrier_missing,
        "byte {0} of shared memory holds no mbarrier: none was initialised there, or something else has "
        "written over it"),
    row(Cause::mbarrier_missing_for_bulk_copy,
        "byte {0} of shared memory holds no mbarrier to complete the copy at"),
    row(Cause::mbarrier_missing_for_copies, "byte {0} of the block's shared memory holds no mbarrier"),
    row(Cause::mbarrier_arrivals, "{0} more arrival{s} at an mbarrier whose phase waits for {1}"),
    row(Cause::mbarrier_bytes, "an mbarrier that waits for {0} bytes; at most {1} are possible"),
    row(Cause::mbarrier_count, "an mbarrier of {0} arrivals; 1 to {1} are possible"),
    row(Cause::mbarrier_full, "more arrivals than an mbarrier can wait for"),
    row(Cause::mbarrier_misaligned, "an mbarrier at no multiple of 8 bytes"),
    row(Cause::mbarrier_initialised_elsewhere, "mbarrier.init in another block's shared memory"),
    row(Cause::mbarrier_awaited_elsewhere,
        "a wait at an mbarrier of another block: threads wait at those of their own"),
    row(Cause::mbarrier_no_arrivals, "no arrivals: the count of an arrival is at least 1"),
    row(Cause::mbarrier_completed, "an arrival with .noComplete that completes the phase"),
    row(Cause::bulk_copy_size, "a bulk copy of {0} bytes, which is no multiple of {1}"),
    row(Cause::bulk_copy_to_other_block, "a bulk copy whose mbarrier is not in the block that it copies to"),
    row(Cause::bulk_copy_from_other_block, "a bulk copy from another block's shared memory"),
    row(Cause::cluster_arrived_twice,
        "the thread arrives at the cluster's barrier again, with no wait after its last arrival"),
    row(Cause::cluster_never_arrived, "the thread waits at the cluster's barrier, where it has not arrived"),

    row(Cause::mbarriers_never_complete,
        "{0} warps wait for mbarriers that no thread will complete; the one here still waits for {1} "
        "arrivals and {2} bytes"),
    row(Cause::cluster_never_meets,
        "{0} of the block's warps wait at the cluster's barrier, where not all of its threads arrive"),
    row(Cause::block_never_meets, "{1} of the block's warps wait at barrier {2}{elsewhere}"),
    row(Cause::threads_never_meet, "barrier {1} waits for {2} threads, and {3} have come{elsewhere}"),

    row(Cause::deadline, "the kernel was stopped at the time limit; this is where the warp was"),

    row(Cause::trap_instruction, "the kernel executed a trap instruction"),
    row(Cause::trap_of_plain_launch,
        "the kernel executed a trap instruction: grid.sync() needs a launch by cudaLaunchCooperativeKernel"),
    row(Cause::jump_table_left, "a jump table is left at its end"),
    row(Cause::pure_virtual_call, "a call of a virtual function that is pure in the object's class"),
    row(Cause::null_function, "a call through a null pointer to a function"),
    row(Cause::host_function,
        "a call through the pointer {address:#x}, which looks like a function's address on the host; the "
        "device has another, which its own code can keep in a __device__ variable for cudaMemcpyFromSymbol "
        "to read"),
    row(Cause::kernel_called,
        "a call through a pointer to {function}, which is a kernel: only a launch runs it"),
    row(Cause::function_of_other_type,
        "a call through a pointer to {function}, as if it had other parameters or another result"),
    row(Cause::data_called, "a call through a pointer to {data}, which is data and no function"),
    row(Cause::no_function, "a call through the pointer {address:#x}, where no function is"),

    row(Cause::failed_assertion, "the assertion `{name}` failed"),

    row(Cause::foreign_function,
        "a call of a function that was loaded apart from the kernel, from another source file or for another "
        "device, which the emulated device does not support yet"),
    placed(Cause::unsupported_instruction, "the emulated device does not support the instruction {name} yet"),
    placed(Cause::unsupported_function,
           "the emulated device does not support the device function {name} yet"),
    row(Cause::unsupported_otherwise, "{detail}"),

    row(Cause::stack_full, "{0} calls deep, the thread's stack is full"),
    row(Cause::stacks_full, "{0} calls deep, the stacks of the launch's threads take more than {1} MiB"),

    row(Cause::empty_launch,
        "a grid of {0} × {1} × {2} blocks of {3} × {4} × {5} threads; there must be at least one of each",
        "round the number of blocks up, as `(n + kThreads - 1) / kThreads` does, and launch nothing where "
        "there is nothing to do."),
    row(Cause::block_too_large, "a block of {0} × {1} × {2} = {3} threads; a block has at most {4}",
        "give a block fewer threads, such as 256, and the grid more blocks."),
    row(Cause::block_not_compiled, "a block of {0} threads, where the kernel was compiled for at most {1}"),
    row(Cause::block_of_other_shape, "the kernel was compiled for another shape of block"),
    row(Cause::grid_too_large, "a grid of {0} × {1} × {2} blocks; at most {3} × {4} × {5} are possible"),
    row(Cause::static_shared_too_large,
        "{0} bytes of static shared memory, of which the compiler for a GPU takes {1}; more is possible as "
        "dynamic shared memory",
        kDynamicShared),
    row(Cause::shared_too_large, "{0} bytes of shared memory; a block has at most {1}"),
    row(Cause::dynamic_shared_not_allowed,
        "a launch with {0} bytes of dynamic shared memory, where the kernel may have {1}: "
        "cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, …) allows it more",
        kDynamicShared),
    row(Cause::cluster_of_other_shape, "the kernel was compiled for clusters of another shape"),
    row(Cause::cluster_too_large, "a cluster of {0} × {1} × {2} blocks; at most {3} are possible"),
    row(Cause::grid_not_of_clusters,
        "a grid of {0} × {1} × {2} blocks, which is not made of clusters of {3} × {4} × {5}"),
    row(Cause::cluster_needs_too_much,
        "a cluster of {0} blocks, whose threads need more registers and local memory than the emulated "
        "device has"),
    row(Cause::cooperative_too_large, "a cooperative launch of {0} blocks; {1} fit on the device at once"),
    row(Cause::machine_too_small, "the machine cannot hold the launch: {detail}"),
    row(Cause::launch_otherwise, "{detail}"),

    row(Cause::rejected_image, "{detail}"),

    row(Cause::refused_call, "{call}"),
    row(Cause::refused_null, "{call}: one of its pointers is null"),
    row(Cause::refused_direction,
        "{call}: its direction is not that of its pointers, of which one is of the host where it should be "
        "the device's, or the other way round"),
    row(Cause::refused_range, "{call}: {reason}"),
    row(Cause::refused_otherwise, "{call}: {detail}"),

    row(Cause::never_freed,
        "{0} allocation{s} of {1} bytes {was} never freed: in order of allocation {list} of the program's "
        "{2}"),

    row(Cause::endless_loop,
        "livelock: nothing changes any more while the thread repeats this loop{polled}{others_wait}"
        "{unbegun}"),

    row(Cause::unfenced_store,
        "read of {width} bytes at {where}, which found what was there before block {0} stored at "
        "{other_line}: no fence of that block had followed the store yet",
        "which store signals to other blocks that the value is there? A __threadfence() must stand between "
        "the two, the value first; or both are one word."),
    row(Cause::unfenced_reader,
        "read of {width} bytes at {where}, which found what was there before block {0} stored at "
        "{other_line}: a fence followed the store, and none of the reading block has come since",
        "which read shows that the value is there? A __threadfence() must stand between that and this read; "
        "or both are one word."),
};

/// Whether the rows are those of the enumeration, in its order: one that lacks its row does not compile.
constexpr bool are_complete() {
  for (std::size_t k = 0; k < kKinds.size(); ++k) {
    if (kKinds[k].kind != static_cast<Kind>(k)) return false;
  }
  for (std::size_t k = 0; k < kCauses.size(); ++k) {
    if (kCauses[k].cause != static_cast<Cause>(k)) return false;
  }
  return kKinds.back().kind == Kind::stale_read && kCauses.back().cause == Finding::kLastCause;
}
static_assert(are_complete());

const CauseOfFinding& row_of(Cause cause) { return kCauses.at(static_cast<std::size_t>(cause)); }

std::string place_text(const SourceLine& line) {
  return line.line == 0 ? "an unknown line"
                        : fmt::format("{}:{}", line.file.substr(line.file.rfind('/') + 1), line.line);
}

const char* verb_of(Finding::Access access) {
  switch (access) {
    case Finding::Access::read:
      return "read";
    case Finding::Access::write:
      return "write";
    case Finding::Access::atomic:
      return "atomic operation";
    case Finding::Access::none:
      break;
  }
  return "access";
}

/// "read of 4 bytes", or just "4 bytes" of a call.
std::string access_text(const Finding& finding) {
  if (finding.access == Finding::Access::none) return fmt::format("{} bytes", finding.width);
  return fmt::format("{} of {} bytes", verb_of(finding.access), finding.width);
}

/// The object by its name in quotes, or what else it is.
std::string object_text(const Finding& finding, const char* unnamed) {
  return finding.object.name.empty() ? unnamed : "'" + finding.object.name + "'";
}

std::string any_object_text(const Finding& finding) {
  return object_text(
      finding, finding.space == Finding::Space::heap ? "a block of the device's heap" : "an allocation");
}

std::string memory_text(const Finding& finding) { return object_text(finding, "global memory"); }

bool has_object(const Finding& finding) { return finding.object != Finding::Object{}; }

std::string where_text(const Finding& finding) {
  if (finding.space == Finding::Space::shared)
    return fmt::format("byte {} of shared memory", offset_of(finding));
  if (!has_object(finding)) return fmt::format("address {:#x}", finding.address);
  return fmt::format("byte {} of {}", offset_of(finding), memory_text(finding));
}

const char* window_text(const Finding& finding) {
  switch (finding.space) {
    case Finding::Space::local:
      return "the thread's local memory";
    case Finding::Space::parameters:
      return "the kernel's parameters";
    default:
      return "the block's shared memory";
  }
}

std::string data_text(const Finding& finding) {
  if (finding.space == Finding::Space::shared) return "shared memory";
  if (finding.space == Finding::Space::local) return "a local variable";
  return any_object_text(finding);
}

/// What lies where the virtual functions of an object should be.
const char* instead_text(const Finding& finding) {
  if (!finding.of_virtual_call) return "";
  return finding.cause == Cause::host_pointer
             ? ", to the virtual functions of an object that was constructed on the host; a kernel must "
               "construct it"
             : ", in place of the virtual functions of an object that no kernel has constructed";
}

std::string thread_text(const Finding& finding) {
  const auto extent = [&](std::size_t d) { return std::max(finding.block_shape[d], 1U); };
  const std::uint32_t number = finding.other_number;
  if (extent(1) == 1 && extent(2) == 1) return fmt::format("thread {}", number % extent(0));
  const std::uint32_t row = number / extent(0);
  return fmt::format("thread ({}, {}, {})", number % extent(0), row % extent(1), row / extent(1));
}

/// Who did the earlier access.
std::string other_text(const Finding& finding) {
  switch (finding.other) {
    case Finding::Other::same_thread:
      return "the thread";
    case Finding::Other::thread:
      return thread_text(finding);
    case Finding::Other::threads_of_warp:
      return "other threads of the warp";
    case Finding::Other::warp:
      return fmt::format("warp {}", finding.other_number);
    case Finding::Other::another_warp:
      return "another warp";
    case Finding::Other::block:
      return fmt::format("block {}", finding.other_number);
    case Finding::Other::other_blocks:
      return "other blocks";
    case Finding::Other::none:
      break;
  }
  return "another thread";
}

/// What lacks between the two accesses of a race. Which barrier a warp lacks is for the question to a
/// student: threads of other warps may come to the same lines in another case.
const char* lacks_text(const Finding& finding, Reader reader) {
  switch (finding.scope) {
    case Finding::Scope::warp:
      return reader == Reader::student ? "with no barrier between these threads of one warp"
                                       : "with no __syncwarp() between";
    case Finding::Scope::block:
      return "with no __syncthreads() between";
    default:
      return "in the same launch, with no fence followed by an atomic operation or the store of a flag "
             "between the two blocks";
  }
}

/// Of a race in a word that atomic operations change as well, and of one whose access hopes for more than
/// `volatile` gives.
const char* also_text(const Finding& finding) {
  if (finding.changed_atomically) return "; atomic operations change it too";
  return finding.is_volatile ? "; a volatile access waits for no other thread" : "";
}

std::string used_text(const Finding& finding) {
  return finding.used_at.line == 0 ? "" : fmt::format(", and is used at {}", place_text(finding.used_at));
}

std::string lanes_text(std::uint32_t lanes) {
  constexpr int kFew = 4;
  if (lanes == 0) return "no lane";
  const int first = std::countr_zero(lanes), last = 31 - std::countl_zero(lanes);
  const int count = std::popcount(lanes);
  if (count == 1) return fmt::format("lane {}", first);
  if (last - first + 1 == count) return fmt::format("lanes {} to {}", first, last);
  std::string names = fmt::format("lanes {}", first);
  int left = std::min(count, kFew) - 1;
  for (std::uint32_t more = lanes & (lanes - 1); left > 0; more &= more - 1, --left)
    names += fmt::format(", {}", std::countr_zero(more));
  return count > kFew ? names + ", …" : names;
}

const char* shape_text(std::int64_t number) {
  constexpr std::array kShapes{
      "1D", "2D", "3D", "layered 1D", "layered 2D", "cubemap", "layered cubemap", "linear-memory"};
  static_assert(kShapes.size() == static_cast<std::size_t>(emulator::Image::Shape::buffer) + 1);
  const auto shape = static_cast<std::uint64_t>(number);
  return shape < kShapes.size() ? kShapes[shape] : "unknown";
}

std::string call_text(const Finding& finding, std::int64_t code) {
  const auto* error = static_cast<int>(code) == code
                          ? emulator::cudart::library::error_text(static_cast<int>(code))
                          : nullptr;
  if (error == nullptr) return fmt::format("{} returned error {}", finding.name, code);
  return fmt::format("{} returned {} ({})", finding.name, error->name, error->sentence);
}

/// "1, 2, 4 and 7 more".
std::string list_text(std::span<const std::int64_t> numbers, std::int64_t count) {
  std::string text;
  for (std::size_t k = 0; k < numbers.size(); ++k)
    text += fmt::format("{}{}", k == 0 ? "" : ", ", numbers[k]);
  const std::int64_t shown = std::ssize(numbers);
  return count > shown ? text + fmt::format(" and {} more", count - shown) : text;
}

/// What a loop looks at, when all it does is that.
std::string polled_text(const Finding& finding) {
  if (!has_object(finding)) return "";
  return fmt::format(", and looks at byte {} of {} ({} bytes){}", offset_of(finding),
                     any_object_text(finding), finding.object.bytes,
                     finding.sees_no_host_writes
                         ? ", where it sees nothing of what the host writes before the kernel has ended"
                         : "");
}

std::string others_wait_text(const Finding& finding) {
  constexpr std::array kFor{"", "for an mbarrier", "for lanes of their warp", "at the barrier",
                            "at the cluster's barrier"};
  if (finding.awaited == Finding::Awaited::nothing) return "";
  return fmt::format("; others of its block wait {} at line {}",
                     kFor.at(static_cast<std::size_t>(finding.awaited)), finding.awaited_line);
}

/// Of warps that wait at other barriers than the one that is reported.
std::string elsewhere_text(std::int64_t warps) {
  if (warps == 0) return ", and no other thread of the block is left to reach it";
  return fmt::format(", and the block's other {} warps wait at other barriers", warps);
}

std::string unbegun_text(std::int64_t unbegun, std::int64_t blocks) {
  if (unbegun <= 0) return "";
  return fmt::format("; {} of the {} blocks have not begun, as those before them do not end", unbegun,
                     blocks);
}

/// The text of a cause with the finding's facts in it.
std::string filled(Cause cause, const Finding& finding, Reader reader) {
  constexpr std::size_t kMaxPlaces = 6;  // of numbers in a text
  std::array<std::int64_t, kMaxPlaces> n{};
  std::copy_n(finding.numbers.begin(), std::min(finding.numbers.size(), n.size()), n.begin());
  fmt::dynamic_format_arg_store<fmt::format_context> facts;
  for (const std::int64_t number : n) facts.push_back(number);
  const auto add = [&](const char* name, const auto& value) { facts.push_back(fmt::arg(name, value)); };

  const Finding::Object& object = finding.object;
  const std::uint64_t end = object.begin + object.bytes;
  add("access", access_text(finding));
  add("verb", verb_of(finding.access));
  add("width", finding.width);
  add("address", finding.address);
  add("offset", offset_of(finding));
  add("past", finding.address - end);
  add("before", object.begin - finding.address);
  add("reach", finding.address + finding.width - end);
  add("object", any_object_text(finding));
  add("memory", memory_text(finding));
  add("name_of_object", object.name);
  add("bytes", object.bytes);
  add("window", window_text(finding));
  add("data", data_text(finding));
  add("instead", instead_text(finding));
  add("where", where_text(finding));
  add("used", used_text(finding));

  add("other", other_text(finding));
  add("other_verb", finding.other_access == Finding::Access::read ? "read" : "wrote");
  add("other_line", place_text(finding.other_line));
  add("line_of_other", finding.other_line.line);
  add("lacks", lacks_text(finding, reader));
  add("also", also_text(finding));

  const bool is_texture = finding.space == Finding::Space::texture;
  add("image", is_texture ? "texture" : "surface");
  add("other_image", is_texture ? "surface" : "texture");
  add("shape", shape_text(n[cause == Cause::uninitialised_texel ? 3 : 0]));
  add("other_shape", shape_text(n[1]));
  add("fetch",
      n[1] == static_cast<std::int64_t>(emulator::Image::Shape::buffer) ? ", which tex1Dfetch reads" : "");

  const auto waiting = static_cast<std::uint32_t>(n[0]), missing = static_cast<std::uint32_t>(n[1]);
  add("lanes", lanes_text(waiting));
  add("wait", std::has_single_bit(waiting) ? "waits" : "wait");
  add("missing", lanes_text(missing));
  add("are", std::has_single_bit(missing) ? "is" : "are");
  add("first_at", n[2] == 0 ? "" : fmt::format(", the first of them at line {}", n[2]));
  add("elsewhere", elsewhere_text(n[0]));

  add("polled", polled_text(finding));
  add("others_wait", others_wait_text(finding));
  add("unbegun", unbegun_text(n[0], n[1]));

  add("s", n[0] == 1 ? "" : "s");
  add("was", n[0] == 1 ? "was" : "were");
  const std::span listed(finding.numbers);
  add("list", list_text(listed.subspan(std::min<std::size_t>(listed.size(), 3)), n[0]));
  add("name", finding.name);
  add("function", text::demangled(finding.name));
  add("detail", finding.detail);
  add("call", call_text(finding, n[0]));
  const bool has_reason =
      cause == Cause::refused_range && emulator::kind_of(finding.reason) == Kind::out_of_bounds;
  add("reason", has_reason ? filled(finding.reason, finding, reader) : "");
  return fmt::vformat(row_of(cause).text, facts);
}

std::string text_of(const SourceLine& line) {
  return text::printable(line.file) + ':' + std::to_string(line.line);
}

std::string text_of(const std::array<std::uint32_t, 3>& index) {
  return fmt::format("({}, {}, {})", index[0], index[1], index[2]);
}

/// The lines from the innermost function to the kernel, when there are several.
std::string way_to(const Finding& finding) {
  if (finding.stack.size() < 2) return {};
  std::string text = "  in " + text_of(finding.stack.front()) + '\n';
  for (std::size_t k = 1; k < finding.stack.size(); ++k)
    text += "    called at " + text_of(finding.stack[k]) + '\n';
  return text;
}

}  // namespace

const KindOfFinding& row_of(Kind kind) { return kKinds.at(static_cast<std::size_t>(kind)); }

std::int64_t offset_of(const Finding& finding) {
  constexpr std::int64_t kMax = 0x7FFF'FFFF, kModulus = 0x1'0000'0000;
  const auto offset = static_cast<std::int64_t>(finding.address - finding.object.begin);
  const bool in_window = finding.space == Finding::Space::shared || finding.space == Finding::Space::local ||
                         finding.space == Finding::Space::parameters;
  // Its addresses have 32 bits: a negative index appears as one just below 2^32.
  return in_window && offset > kMax && offset < kModulus ? offset - kModulus : offset;
}

std::string sentence_of(const Finding& finding, Reader reader) {
  std::string place;
  if (row_of(finding.cause).names_place) {
    if (finding.line.line == 0) {
      place = finding.detail + ": ";
    } else if (reader == Reader::developer) {
      place = fmt::format("{}:{}: ", finding.line.file, finding.line.line);
    }
  }
  return place + filled(finding.cause, finding, reader);
}

const char* question_of(const Finding& finding) {
  const char* question = row_of(finding.cause).question;
  return question == nullptr ? row_of(finding.kind).question : question;
}

std::string text_of(const Finding& finding) {
  const KindOfFinding& kind = row_of(finding.kind);
  std::string text = kind.name;
  if (!finding.kernel.empty()) text += " in " + text::printable(text::demangled(finding.kernel));
  if (!finding.line.file.empty() && !row_of(finding.cause).names_place)
    text += " at " + text_of(finding.line);
  text += "\n  " + text::printable(sentence_of(finding, Reader::developer)) + '\n';
  text += way_to(finding);
  if (!finding.other_line.file.empty()) {
    text += fmt::format("  {}: {}\n", kind.other_place, text_of(finding.other_line));
  }
  if (kind.has_thread) {
    text += "  block " + text_of(finding.block) + ", thread " + text_of(finding.thread);
    if (finding.count > 1) text += fmt::format(", the first of {} times", finding.count);
    text += '\n';
  }
  return text;
}

}  // namespace lockstep::report
