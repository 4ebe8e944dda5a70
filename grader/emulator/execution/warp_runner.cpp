#include "emulator/execution/warp_runner.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include "emulator/checks/violations.h"
#include "emulator/execution/barrier.h"
#include "emulator/execution/builtins.h"

namespace lockstep::emulator::execution {
namespace {

using counters::BlockCounter;

/// Backward branches (and calls) that a warp may take before another warp runs: a spinning warp must let the
/// one that it waits for go on, a computing warp should keep its registers in the cache.
constexpr std::uint32_t kBackEdgesPerSlice = 4096;
/// What a backward branch counts when registers hold undefined values: the limit of time is looked at in
/// between.
constexpr std::uint32_t kFollowedBackEdge = 64;
/// Backward branches that one split may take while other lanes of its warp wait.
constexpr std::uint32_t kBackEdgesPerSplit = 32;
constexpr std::size_t kMaxCallers = 1024;
constexpr std::uint32_t kMaxLocalBytes = 512 * 1024;
constexpr std::size_t kMaxRowBytes = std::size_t{256} * 1024 * 1024;
/// Of all warps of a launch, beyond what they begin with. A GPU has a kilobyte per thread, where the program
/// does not ask for more.
constexpr std::size_t kMaxStackBytes = std::size_t{1} << 30;

/// What a vector that must hold `needed` elements grows to: calls go on.
template <class Vector>
std::size_t grown_size(const Vector& storage, std::size_t needed) {
  return storage.size() < needed ? 2 * needed : storage.size();
}

/// What each thread's local memory grows to when it must have `bytes`.
std::uint32_t grown_local(const Warp& warp, std::uint32_t bytes) {
  if (bytes <= warp.local_bytes) return warp.local_bytes;
  return std::max(bytes, std::min(2 * warp.local_bytes, kMaxLocalBytes));
}

/// Grows each thread's local memory to at least `bytes`.
void require_local(Warp& warp, std::uint32_t bytes) {
  if (bytes <= warp.local_bytes) return;
  const std::uint32_t grown = grown_local(warp, bytes);
  std::vector<std::byte> local(std::size_t{grown} * kLanes);
  for (unsigned lane = 0; lane < kLanes && warp.local_bytes != 0; ++lane) {
    std::memcpy(local.data() + std::size_t{lane} * grown,
                warp.local.data() + std::size_t{lane} * warp.local_bytes, warp.local_bytes);
  }
  warp.local = std::move(local);
  warp.local_bytes = grown;
}

/// Writes a function's constants into its frame, for the given lanes.
void fill_constants(Warp& warp, const Frame& frame, Mask lanes) {
  std::byte* rows = warp.row_storage.data() + frame.rows;
  for (const Function::Constant& constant : frame.function->constants) {
    for (Mask left = lanes; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      if (constant.wide) {
        reinterpret_cast<std::uint64_t*>(rows + constant.row)[lane] = constant.value;
      } else {
        reinterpret_cast<std::uint32_t*>(rows + constant.row)[lane] =
            static_cast<std::uint32_t>(constant.value);
      }
    }
  }
}

/// Points the warp at the frame of a split.
void enter_frame(Warp& warp, const Frame& frame) {
  warp.rows = warp.row_storage.data() + frame.rows;
  warp.predicates = warp.predicate_storage.data() + frame.predicates;
  warp.local_base = frame.local;
}

void add_finding(Warp& warp, std::uint32_t place, Mask lanes, Finding::Cause cause,
                 std::vector<std::int64_t> numbers) {
  Finding finding = make_finding(warp, place, first_lane(lanes), cause, std::move(numbers));
  finding.scope = Finding::Scope::warp;
  warp.block->grid->findings->add(std::move(finding));
}

void fault_at(Warp& warp, std::uint32_t place, Mask lanes, LaunchResult::Status status, Finding::Cause cause,
              std::vector<std::int64_t> numbers = {}) {
  checks::fault(warp, status, make_finding(warp, place, first_lane(lanes), cause, std::move(numbers)));
}

Mask condition_of(const Warp& warp, const BasicBlock& block, Mask lanes) {
  if (block.condition == kNoSlot) return lanes;
  const Mask value = warp.predicates[block.condition];
  return lanes & (block.condition_negated ? ~value : value);
}

/// "lane 3", "lanes 0 to 15", or the first few of those that are no run.
/// Of `lanes`, those that hold the same value as the first of them.
template <class T>
Mask same_as_first(Mask lanes, const T* values) {
  const T first = values[first_lane(lanes)];
  Mask same = 0;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    same |= Mask{values[lane] == first} << lane;
  }
  return same;
}

/// The first instruction of a block that PTX spells, behind those that make its operands: the one that a
/// synchronisation point guards.
const Instruction& gated_instruction(const Function& function, const BasicBlock& block) {
  return function.instructions[block.first + block.sync_offset];
}

/// Runs one split at a time; `choose` decides which.
class WarpRunner {
 public:
  explicit WarpRunner(Warp& warp) : warp_(warp), grid_(*warp.block->grid) {}

  Rest run() {
    while (!warp_.stop) {
      if (warp_.splits.empty()) return Rest::finished;
      if (!choose()) {
        const bool all_at_barrier =
            std::all_of(warp_.splits.begin(), warp_.splits.end(), [](const Split& split) {
              return split.state == Split::State::at_barrier ||
                     split.state == Split::State::at_cluster_barrier;
            });
        if (all_at_barrier) return Rest::at_barrier;
        resolve_stall();
        continue;
      }
      if (!run_split()) return Rest::yielded;
    }
    return Rest::finished;
  }

 private:
  Split& current() { return warp_.splits[warp_.current]; }

  static bool same_place(const Split& a, const Split& b) {
    return a.frame == b.frame && a.state == b.state && a.admitted == b.admitted && a.members == b.members &&
           a.callers == b.callers;
  }

  /// Joins splits that have met and picks the one that runs next; false when none can.
  bool choose() {
    auto& splits = warp_.splits;
    if (splits.size() == 1) {
      warp_.current = 0;
      return splits[0].state == Split::State::ready;
    }
    for (std::size_t a = 0; a < splits.size(); ++a) {
      for (std::size_t b = a + 1; b < splits.size();) {
        if (splits[b].frame.block == splits[a].frame.block && same_place(splits[a], splits[b])) {
          splits[a].lanes |= splits[b].lanes;
          splits[a].votes |= splits[b].votes;
          splits[a].deferred &= splits[b].deferred;
          warp_.divergences.close(splits[a].lanes);
          // What a split that grew waits for may be here now.
          if (splits[a].state == Split::State::meeting) splits[a].state = Split::State::ready;
          splits.erase(splits.begin() + static_cast<std::ptrdiff_t>(b));
        } else {
          ++b;
        }
      }
    }
    for (const bool allow_deferred : {false, true}) {
      const Split* best = nullptr;
      for (const Split& split : splits) {
        if (split.state != Split::State::ready || (split.deferred && !allow_deferred)) continue;
        if (best == nullptr || goes_before(split, *best)) best = &split;
      }
      if (best != nullptr) {
        warp_.current = static_cast<std::size_t>(best - splits.data());
        return true;
      }
      for (Split& split : splits) split.deferred = false;
    }
    return false;
  }

  /// Deeper calls first, so that callers meet after them; then the order of blocks.
  static bool goes_before(const Split& a, const Split& b) {
    if (a.callers.size() != b.callers.size()) return a.callers.size() > b.callers.size();
    if (a.frame.function != b.frame.function) return false;
    return a.frame.function->blocks[a.frame.block].order < b.frame.function->blocks[b.frame.block].order;
  }

  /// Runs the current split until it ends, waits, or has to be chosen again; false when the warp's slice is
  /// over.
  bool run_split() {
    enter_frame(warp_, current().frame);
    for (;;) {
      Split& split = current();
      const Function& function = *split.frame.function;
      const BasicBlock& block = function.blocks[split.frame.block];
      if (block.sync_point != BasicBlock::SyncPoint::none && !std::exchange(split.admitted, false)) {
        if (!pass_gate(split, function, block)) return true;
      }
      current().members = 0;
      const Mask lanes = current().lanes;
      BlockCounter& counter = warp_.worker->counters.blocks[block.counter];
      ++counter.executions;
      counter.lanes += static_cast<std::uint64_t>(std::popcount(lanes));
      warp_.path.execute(block.spelled);
      if (!warp_.divergences.empty()) {
        warp_.divergences.charge(lanes, warp_.threads & ~lanes, block, warp_.worker->counters.blocks);
      }
      const Instruction* instruction = function.instructions.data() + block.first;
      const bool follows = warp_.undefined.any();
      for (warp_.end = instruction + (follows ? 0 : block.count); instruction != warp_.end; ++instruction) {
        Mask active = lanes;
        if (instruction->guard != kNoSlot) {
          active = guarded(*instruction, lanes);
          if (active == 0) continue;
        }
        instruction->execute(warp_, *instruction, active);
      }
      if (follows || warp_.undefined.any()) [[unlikely]]
        follow(function, block, instruction, lanes);
      if (warp_.stop) return true;
      const std::uint32_t from_order = block.order;
      if (!end_block(function, block, counter)) return true;
      // end_block may have moved the splits; a split that is alone goes on at once.
      Split& after = current();
      const bool backwards = after.frame.function != &function ||
                             after.frame.function->blocks[after.frame.block].order <= from_order;
      if (backwards) {
        if (grid_.ended(warp_.block->sequence)) {
          warp_.stop = true;
          return true;
        }
        slice_ += follows ? kFollowedBackEdge : 1;
        if (slice_ >= kBackEdgesPerSlice || std::exchange(warp_.yields, false)) {
          if (warp_.splits.size() > 1) after.deferred = true;
          return false;
        }
        if (warp_.splits.size() > 1 && ++after.back_edges >= kBackEdgesPerSplit) {
          after.back_edges = 0;
          after.deferred = true;
        }
      }
      if (warp_.splits.size() > 1) return true;
    }
  }

  Mask guarded(const Instruction& instruction, Mask lanes) const {
    if (instruction.guard == kNoSlot) return lanes;
    const Mask guard = warp_.predicates[instruction.guard];
    return lanes & (instruction.guard_negated ? ~guard : guard);
  }

  /// Runs the rest of a block while registers hold undefined values: from its begin, or from where a load has
  /// just brought one.
  void follow(const Function& function, const BasicBlock& block, const Instruction* instruction, Mask lanes) {
    checks::UndefinedValues& undefined = warp_.undefined;
    const Instruction* const begin = function.instructions.data() + block.first;
    const Instruction* const end = begin + block.count;
    const auto begins = [&](const Instruction* at) { return at == begin || at[-1].id != at->id; };
    if (instruction == begin) {
      undefined.enter(warp_, function, block, lanes);
    } else if (instruction == end || begins(instruction)) {
      undefined.after(warp_, function, instruction[-1]);
    }
    for (; instruction != end; ++instruction) {
      const Mask active = guarded(*instruction, lanes);
      if (begins(instruction)) undefined.before(warp_, function, *instruction, lanes, active);
      if (active != 0) instruction->execute(warp_, *instruction, active);
      if (instruction + 1 == end || begins(instruction + 1)) undefined.after(warp_, function, *instruction);
    }
    if (!warp_.stop) undefined.at_end(warp_, function, block, lanes);
  }

  /// Ends the current split's block: moves it on, splits it, or removes lanes. False when the split is gone.
  bool end_block(const Function& function, const BasicBlock& block, BlockCounter& counter) {
    Split& split = current();
    switch (block.end) {
      case BasicBlock::End::fall_through:
        split.frame.block = block.next;
        return true;
      case BasicBlock::End::branch:
        split.frame.block = block.target;
        return true;
      case BasicBlock::End::conditional: {
        const Mask taken = condition_of(warp_, block, split.lanes);
        if (taken == split.lanes) {
          split.frame.block = block.target;
        } else if (taken == 0) {
          split.frame.block = block.next;
        } else if (block.target == block.next) {
          split.frame.block = block.next;
        } else {
          diverge(block, counter);
          part(taken, block.target);
          current().frame.block = block.next;
        }
        return true;
      }
      case BasicBlock::End::indirect:
        return branch_indirectly(block, counter);
      case BasicBlock::End::call:
        return call(function, block, counter);
      case BasicBlock::End::leave:
        return leave(block, counter);
      case BasicBlock::End::trap: {
        const Mask taken = condition_of(warp_, block, split.lanes);
        if (taken != 0) {
          const bool lacks_grid = grid_.kernel->meets_grid && grid_.workspace == 0;
          fault_at(warp_, block.end_id, taken, LaunchResult::Status::launch_failure,
                   lacks_grid ? Finding::Cause::trap_of_plain_launch : Finding::Cause::trap_instruction);
          return false;
        }
        split.frame.block = block.next;
        return true;
      }
    }
    return true;
  }

  /// The branch at the end of the current split's block sends its lanes more than one way.
  void diverge(const BasicBlock& block, BlockCounter& counter) {
    ++counter.divergent;
    warp_.divergences.add(block.counter, current().lanes);
  }

  /// Takes `lanes` out of the current split into one of their own that goes on at `block`.
  void part(Mask lanes, std::uint32_t block) {
    Split other = current();
    other.lanes = lanes;
    other.frame.block = block;
    current().lanes &= ~lanes;
    warp_.splits.push_back(std::move(other));
  }

  bool branch_indirectly(const BasicBlock& block, BlockCounter& counter) {
    const auto* selector = row<std::uint32_t>(warp_, block.selector);
    const Mask lanes = current().lanes;
    bool diverged = false;
    for (Mask left = lanes; left != 0;) {
      const std::uint32_t index = selector[first_lane(left)];
      const Mask same = same_as_first(left, selector);
      if (index >= block.targets.size()) {
        fault_at(warp_, block.end_id, same, LaunchResult::Status::launch_failure,
                 Finding::Cause::jump_table_left);
        return false;
      }
      left &= ~same;
      if (left == 0) {
        current().frame.block = block.targets[index];
      } else {
        if (!std::exchange(diverged, true)) diverge(block, counter);
        part(same, block.targets[index]);
      }
    }
    return true;
  }

  bool call(const Function& function, const BasicBlock& block, BlockCounter& counter) {
    Split& split = current();
    const CallSite& site = function.calls[block.call];
    if (site.builtin != CallSite::Builtin::none) {
      run_builtin(warp_, site, block.end_id, split.lanes);
      split.frame.block = block.next;
      return !warp_.stop;
    }
    if (site.callee == nullptr) return call_indirectly(function, block, site, counter);
    enter_callee(split, function, block, site, *site.callee);
    return !warp_.stop;
  }

  /// Lanes that call different functions part. Their callers are the same, so that they meet behind the call.
  /// Not inlined: the loop over blocks is to stay small.
  [[gnu::noinline]] bool call_indirectly(const Function& function, const BasicBlock& block,
                                         const CallSite& site, BlockCounter& counter) {
    bool diverged = false;
    for (Mask left = current().lanes; left != 0;) {
      const auto* targets = row<std::uint64_t>(warp_, site.target);
      const std::uint64_t address = targets[first_lane(left)];
      const Mask same = same_as_first(left, targets);
      const Function* callee = grid_.kernel->function_at(address);
      if (callee == nullptr || callee->parameters.size() != site.argument_offsets.size() ||
          callee->results.size() != site.result_offsets.size()) {
        checks::report_wrong_callee(warp_, block.end_id, first_lane(same), address);
        return false;
      }
      left &= ~same;
      if (left == 0) {
        enter_callee(current(), function, block, site, *callee);
      } else {
        if (!std::exchange(diverged, true)) diverge(block, counter);
        part(same, current().frame.block);
        enter_callee(warp_.splits.back(), function, block, site, *callee);
        enter_frame(warp_, current().frame);  // which the targets of the others are in
      }
      if (warp_.stop) return false;
    }
    return true;
  }

  static std::uint32_t end_of_rows(const Frame& frame) {
    return frame.rows + (frame.function->frame_bytes + 63) / 64 * 64;
  }

  /// Where the rows of a callee may begin. Splits share the rows of a frame, each lane with a column of its
  /// own; but wide rows have other columns than narrow ones, so frames of different functions must not
  /// overlap.
  std::uint32_t free_rows(const Split& caller, std::uint32_t begin, const Function& callee) const {
    const std::uint32_t end = begin + callee.frame_bytes;
    std::uint32_t behind_all = begin;
    bool overlap = false;
    const auto look_at = [&](const Frame& frame) {
      behind_all = std::max(behind_all, end_of_rows(frame));
      const bool same = frame.function == &callee && frame.rows == begin;
      overlap = overlap || (!same && frame.rows < end && begin < end_of_rows(frame));
    };
    for (const Split& split : warp_.splits) {
      if (&split == &caller) continue;
      const Frame* sister = frame_called(caller, split);
      if (sister != nullptr && sister->function == &callee) return sister->rows;
      look_at(split.frame);
      std::for_each(split.callers.begin(), split.callers.end(), look_at);
    }
    return overlap ? behind_all : begin;
  }

  /// The frame that `split` has got by the very call at which `caller` stands: its lanes went there before.
  /// Only in one frame can both meet.
  static const Frame* frame_called(const Split& caller, const Split& split) {
    const std::size_t depth = caller.callers.size();
    if (split.callers.size() <= depth || split.callers[depth] != caller.frame ||
        !std::equal(caller.callers.begin(), caller.callers.end(), split.callers.begin())) {
      return nullptr;
    }
    return split.callers.size() == depth + 1 ? &split.frame : &split.callers[depth + 1];
  }

  void enter_callee(Split& split, const Function& function, const BasicBlock& block, const CallSite& site,
                    const Function& callee) {
    Frame frame;
    frame.function = &callee;
    frame.block = 0;
    frame.rows = free_rows(split, end_of_rows(split.frame), callee);
    frame.predicates = split.frame.predicates + function.predicates;
    frame.local = split.frame.local + function.local_bytes;
    if (split.callers.size() >= kMaxCallers || frame.local + callee.local_bytes > kMaxLocalBytes ||
        std::size_t{frame.rows} + callee.frame_bytes > kMaxRowBytes) {
      fault_at(warp_, block.end_id, split.lanes, LaunchResult::Status::illegal_address,
               Finding::Cause::stack_full, {signed_of(split.callers.size())});
      return;
    }
    const std::size_t rows = grown_size(warp_.row_storage, std::size_t{frame.rows} + callee.frame_bytes);
    const std::size_t predicates =
        grown_size(warp_.predicate_storage, std::size_t{frame.predicates} + callee.predicates);
    const std::uint32_t local = frame.local + callee.local_bytes;
    const std::size_t growth = rows - warp_.row_storage.size() +
                               (predicates - warp_.predicate_storage.size()) * sizeof(Mask) +
                               std::size_t{grown_local(warp_, local) - warp_.local_bytes} * kLanes;
    if (growth != 0 &&
        grid_.stack_bytes.fetch_add(growth, std::memory_order_relaxed) + growth > kMaxStackBytes) {
      fault_at(warp_, block.end_id, split.lanes, LaunchResult::Status::illegal_address,
               Finding::Cause::stacks_full, {signed_of(split.callers.size()), kMaxStackBytes >> 20});
      return;
    }
    warp_.row_storage.resize(rows);
    warp_.predicate_storage.resize(predicates);
    require_local(warp_, local);
    fill_constants(warp_, frame, split.lanes);
    for (std::size_t k = 0; k < site.argument_offsets.size() && k < callee.parameters.size(); ++k) {
      copy_local(split.lanes, split.frame.local + site.argument_offsets[k],
                 frame.local + callee.parameters[k].offset, callee.parameters[k].bytes);
    }
    split.callers.push_back(split.frame);
    split.frame = frame;
    enter_frame(warp_, frame);
  }

  void copy_local(Mask lanes, std::uint32_t from, std::uint32_t to, std::uint32_t bytes) {
    if (std::uint64_t{from} + bytes > warp_.local_bytes || std::uint64_t{to} + bytes > warp_.local_bytes)
      return;
    for (Mask left = lanes; left != 0; left &= left - 1) {
      std::byte* base = warp_.local.data() + std::size_t{first_lane(left)} * warp_.local_bytes;
      std::memmove(base + to, base + from, bytes);
    }
  }

  bool leave(const BasicBlock& block, BlockCounter& counter) {
    Split& split = current();
    const Mask leaving = condition_of(warp_, block, split.lanes);
    if (leaving == 0) {
      split.frame.block = block.next;
      return true;
    }
    if (leaving != split.lanes) diverge(block, counter);
    if (!block.leaves_kernel && !split.callers.empty()) {
      if (leaving != split.lanes) part(split.lanes & ~leaving, block.next);
      return_to_caller(current());
      return true;
    }
    warp_.live &= ~leaving;
    if (leaving == split.lanes) {
      warp_.splits.erase(warp_.splits.begin() + static_cast<std::ptrdiff_t>(warp_.current));
      wake_meeting();
      return false;
    }
    split.lanes &= ~leaving;
    split.frame.block = block.next;
    wake_meeting();
    return true;
  }

  void return_to_caller(Split& split) {
    const Frame callee = split.frame;
    split.frame = split.callers.back();
    split.callers.pop_back();
    const BasicBlock& calling = split.frame.function->blocks[split.frame.block];
    const CallSite& site = split.frame.function->calls[calling.call];
    for (std::size_t k = 0; k < site.result_offsets.size() && k < callee.function->results.size(); ++k) {
      copy_local(split.lanes, callee.local + callee.function->results[k].offset,
                 split.frame.local + site.result_offsets[k], callee.function->results[k].bytes);
    }
    split.frame.block = calling.next;
    enter_frame(warp_, split.frame);
  }

  /// Lanes have left: a split that waited for them may go.
  void wake_meeting() {
    for (Split& split : warp_.splits) {
      if (split.state == Split::State::meeting) split.state = Split::State::ready;
    }
  }

  // --- synchronisation points ---

  bool pass_gate(Split& split, const Function& function, const BasicBlock& block) {
    const Instruction& first = gated_instruction(function, block);
    const Mask active = guarded(first, split.lanes);
    if (active == 0) return true;
    if (block.sync_point == BasicBlock::SyncPoint::reconverge) return meet(split, first, active);
    if (block.sync_point == BasicBlock::SyncPoint::cluster_barrier && (active & warp_.at_cluster) == 0)
      return true;
    if (active != split.lanes) {  // only some lanes take the barrier: the others go on
      part(split.lanes & ~active, split.frame.block);
      warp_.splits.back().admitted = true;
    }
    if (block.sync_point == BasicBlock::SyncPoint::cluster_barrier) {
      current().state = Split::State::at_cluster_barrier;
      return false;
    }
    return reach_barrier(first, active);
  }

  /// Whether the split goes on: after an arrival at a barrier it does.
  bool reach_barrier(const Instruction& instruction, Mask active) {
    Split& waiting = current();
    const unsigned lane = first_lane(active);
    const std::uint32_t number = row<std::uint32_t>(warp_, instruction.a)[lane];
    const std::uint32_t threads =
        instruction.b == kNoSlot ? 0 : row<std::uint32_t>(warp_, instruction.b)[lane];
    if (number >= kBarriers || threads % kLanes != 0) {
      const auto refuse = [&](Finding::Cause cause, std::vector<std::int64_t> numbers) {
        fault_at(warp_, instruction.id, active, LaunchResult::Status::illegal_instruction, cause,
                 std::move(numbers));
      };
      if (number >= kBarriers) {
        refuse(Finding::Cause::no_such_barrier, {number, kBarriers});
      } else {
        refuse(Finding::Cause::no_whole_warps, {threads});
      }
      return false;
    }
    const auto operation = static_cast<BarrierOperation>(instruction.detail);
    if (operation == BarrierOperation::arrive) {
      // Lanes that come later are counted with these: a warp arrives as a whole.
      if ((active | warp_.at_barrier[number]) != warp_.live) {
        warp_.at_barrier[number] |= active;
      } else {
        warp_.at_barrier[number] = 0;
        arrive_at_barrier(warp_, number, threads);
      }
      return true;
    }
    if (operation != BarrierOperation::wait) {
      const Mask value = warp_.predicates[instruction.c];
      waiting.votes = active & (instruction.reads_flags != 0 ? ~value : value);
    }
    waiting.state = Split::State::at_barrier;
    waiting.barrier = number;
    waiting.barrier_threads = threads;
    return false;
  }

  bool meet(Split& split, const Instruction& instruction, Mask active) {
    const auto* masks = row<std::uint32_t>(warp_, instruction.vector[1]);
    const Mask members = masks[first_lane(active)], same = same_as_first(active, masks);
    // Groups with masks of their own meet each by itself.
    if (same != active) part(split.lanes & ~same, split.frame.block);
    Split& group = current();
    group.members = members;
    if ((same & ~members) != 0) {
      add_finding(warp_, instruction.id, same & ~members, Finding::Cause::outside_mask, {members});
    } else if ((members & warp_.live & ~same) != 0) {
      group.state = Split::State::meeting;
      return false;
    }
    // With others left behind it must be chosen again, so that they do not take part.
    group.admitted = same != active;
    return same == active;
  }

  /// No split can run and not all wait at a barrier: lanes wait for lanes that do not come.
  void resolve_stall() {
    Mask syncing = 0, wanted = 0;
    for (const Split& split : warp_.splits) {
      if (split.state != Split::State::meeting) continue;
      const Instruction& instruction = sync_point_of(split);
      if (grid_.kernel->program->places[instruction.id].instruction != "bar.warp.sync") continue;
      enter_frame(warp_, split.frame);
      syncing |= split.lanes;
      wanted |= row<std::uint32_t>(warp_, instruction.vector[1])[first_lane(split.lanes)];
    }
    const bool meet_apart = syncing != 0 && (wanted & warp_.live & ~syncing) == 0;
    for (Split& split : warp_.splits) {
      if (split.state != Split::State::meeting) continue;
      const Instruction& instruction = sync_point_of(split);
      const bool releases = meet_apart && (split.lanes & syncing) != 0;
      if (meet_apart && !releases) continue;
      if (!meet_apart) {
        enter_frame(warp_, split.frame);
        const Mask members = row<std::uint32_t>(warp_, instruction.vector[1])[first_lane(split.lanes)];
        const Mask missing = members & warp_.live & ~split.lanes;
        add_finding(warp_, instruction.id, split.lanes, Finding::Cause::lanes_elsewhere,
                    {split.lanes, missing, line_of_first(missing)});
      }
      split.state = Split::State::ready;
      split.admitted = true;
      if (!meet_apart) return;
    }
  }

  /// Where the first of the lanes is; 0 when that is unknown.
  std::uint32_t line_of_first(Mask lanes) const {
    for (const Split& split : warp_.splits) {
      if (lanes == 0 || (split.lanes >> first_lane(lanes) & 1) == 0) continue;
      return grid_.kernel->program->places[next_place(split)].line.line;
    }
    return 0;
  }

  const Instruction& sync_point_of(const Split& split) const {
    const Function& function = *split.frame.function;
    return gated_instruction(function, function.blocks[split.frame.block]);
  }

  Warp& warp_;
  Grid& grid_;
  std::uint32_t slice_ = 0;
};

}  // namespace

void begin_warp(Warp& warp) {
  const Grid& grid = *warp.block->grid;
  const Function& function = *grid.kernel->function;
  Frame frame;
  frame.function = &function;
  if (warp.row_storage.empty()) {
    warp.row_storage.resize(std::max<std::size_t>(function.frame_bytes, 64));
    warp.predicate_storage.resize(std::max<std::size_t>(function.predicates, 1));
    fill_constants(warp, frame, kAllLanes);
    // A warp's place in its block is the same for every block of the grid.
    const Dim3& shape = grid.threads;
    for (unsigned lane = 0; lane < kLanes; ++lane) {
      const std::uint32_t thread = warp.index * kLanes + lane;
      if (thread < shape.count()) warp.threads |= 1U << lane;
      warp.thread_x[lane] = thread % shape.x;
      warp.thread_y[lane] = thread / shape.x % shape.y;
      warp.thread_z[lane] = thread / (shape.x * shape.y);
    }
  }
  require_local(warp, function.local_bytes);
  warp.live = warp.threads;
  warp.carry = 0;
  warp.latest_polls = {};
  warp.missed_looks.clear();
  warp.fenced = 0;
  warp.stop = false;
  warp.undefined.clear();
  warp.divergences.clear();
  warp.path.begin();
  warp.yields = false;
  warp.at_cluster = warp.owes_cluster_wait = 0;
  warp.at_barrier = {};
  warp.ordered = warp.synced = warp.block->begin;
  warp.splits.resize(1);
  warp.splits[0] = {};
  warp.splits[0].lanes = warp.live;
  warp.splits[0].frame = frame;
}

Rest run_warp(Warp& warp) {
  warp.failed_wait = nullptr;
  warp.polls = 0;
  return WarpRunner(warp).run();
}

std::uint32_t next_place(const Split& split) {
  const Function& function = *split.frame.function;
  const BasicBlock& block = function.blocks[split.frame.block];
  return block.count > 0 ? gated_instruction(function, block).id : block.end_id;
}

}  // namespace lockstep::emulator::execution
