#include "emulator/execution/barrier.h"

#include <algorithm>
#include <bit>
#include <map>

#include "emulator/checks/finding_log.h"
#include "emulator/checks/synchronisation.h"
#include "emulator/execution/mbarrier.h"
#include "emulator/execution/warp_runner.h"

namespace lockstep::emulator::execution {
namespace {

/// Two places are the same barrier when they come from the same lines: the compiler may have copied the
/// instruction.
bool same_site(const program::Program& program, std::uint32_t a, std::uint32_t b) {
  const auto& places = program.places;
  return a == b || (places[a].line == places[b].line && places[a].stack == places[b].stack);
}

/// Makes what the arriving warps did before the barrier, and `earlier` arrivals, visible to what they do
/// after it.
void order_warps(ThreadBlock& block, const std::vector<Warp*>& arriving, bool whole_block,
                 const state::Clock& earlier) {
  const state::Time time = block.now++;
  if (whole_block && block.seen.empty()) {
    for (Warp* warp : arriving) warp->ordered = warp->synced = time;
    return;
  }
  const std::uint32_t n = block.warp_count;
  checks::require_seen(block);
  state::Clock joined = earlier;
  joined.resize(n);
  for (const Warp* warp : arriving) {
    for (std::uint32_t other = 0; other < n; ++other) {
      joined[other] = std::max(joined[other], block.seen[warp->index * n + other]);
    }
  }
  for (const Warp* warp : arriving) joined[warp->index] = time;
  if (whole_block) std::fill(joined.begin(), joined.end(), time);
  for (Warp* warp : arriving) {
    std::copy(joined.begin(), joined.end(), block.seen.begin() + warp->index * n);
    warp->synced = time;
    warp->ordered = *std::min_element(joined.begin(), joined.end());
  }
}

/// A barrier that threads reach at different places is undefined unless they all stand at one.
void check_sites(const ThreadBlock& block, const std::vector<Warp*>& arriving) {
  const program::Program& program = *block.grid->kernel->program;
  const std::uint32_t first = next_place(arriving[0]->splits[0]);
  for (const Warp* warp : arriving) {
    for (const Split& split : warp->splits) {
      const std::uint32_t place = next_place(split);
      if (same_site(program, place, first)) continue;
      const SourceLine& other = program.places[first].line;
      Finding finding =
          make_finding(*warp, place, first_lane(split.lanes), Finding::Cause::different_barriers);
      finding.other_line = other;
      block.grid->findings->add(std::move(finding));
      return;
    }
  }
}

/// Tells the splits what all of them voted, and lets them go.
void let_go(const std::vector<Warp*>& arriving) {
  std::uint32_t votes = 0, voters = 0;
  for (const Warp* warp : arriving) {
    for (const Split& split : warp->splits) {
      votes += static_cast<std::uint32_t>(std::popcount(split.votes));
      voters += static_cast<std::uint32_t>(std::popcount(split.lanes));
    }
  }
  for (Warp* warp : arriving) {
    for (Split& split : warp->splits) {
      split.state = Split::State::ready;
      split.admitted = true;
      split.votes = 0;
      split.all_votes = votes;
      split.voters = voters;
    }
  }
}

void open_barrier(ThreadBlock& block, std::uint32_t number, const std::vector<Warp*>& arriving,
                  bool whole_block) {
  const auto earlier = block.arrivals.extract(number);
  // Threads may meet at a numbered barrier from different places: producers at one, consumers at another.
  if (whole_block && number == 0) check_sites(block, arriving);
  if (whole_block) block.latest_barrier = next_place(arriving[0]->splits[0]);
  order_warps(block, arriving, whole_block, earlier.empty() ? state::Clock() : earlier.mapped().clock);
  let_go(arriving);
}

/// Why the barrier of a split, of the first of all warps that wait, will not open.
Finding make_deadlock(const ThreadBlock& block, const std::vector<Warp*>& resting, const Split& split) {
  const auto here = std::ranges::count_if(resting, [&](const Warp* other) {
    const Split& first = other->splits.front();
    return first.state == split.state && first.barrier == split.barrier;
  });
  const std::int64_t elsewhere = std::ssize(resting) - here;
  const auto make = [&](Finding::Cause cause, std::vector<std::int64_t> numbers) {
    return make_finding(*resting.front(), next_place(split), first_lane(split.lanes), cause,
                        std::move(numbers));
  };
  if (split.state == Split::State::at_cluster_barrier)
    return make(Finding::Cause::cluster_never_meets, {here});
  if (split.barrier_threads == 0)
    return make(Finding::Cause::block_never_meets, {elsewhere, here, split.barrier});
  const auto earlier = block.arrivals.find(split.barrier);
  const std::int64_t arrived =
      here * kLanes + (earlier == block.arrivals.end() ? 0 : std::int64_t{earlier->second.threads});
  return make(Finding::Cause::threads_never_meet, {elsewhere, split.barrier, split.barrier_threads, arrived});
}

bool waits_at(const Warp& warp, std::uint32_t number) {
  return !warp.splits.empty() && std::ranges::all_of(warp.splits, [number](const Split& split) {
    return split.state == Split::State::at_barrier && split.barrier == number;
  });
}

}  // namespace

bool open_barriers(ThreadBlock& block, const std::vector<Warp*>& resting, std::size_t unfinished) {
  std::map<std::uint32_t, std::vector<Warp*>> by_number;
  for (Warp* warp : resting) {
    const bool at_barrier = std::ranges::all_of(
        warp->splits, [](const Split& split) { return split.state == Split::State::at_barrier; });
    if (at_barrier) by_number[warp->splits[0].barrier].push_back(warp);
  }
  bool opened = false;
  for (const auto& [number, arriving] : by_number) {
    const std::uint32_t threads = arriving[0]->splits[0].barrier_threads;
    const bool whole_block = threads == 0 || threads == block.warp_count * kLanes;
    const auto earlier = block.arrivals.find(number);
    const std::size_t arrived =
        arriving.size() * kLanes + (earlier == block.arrivals.end() ? 0 : earlier->second.threads);
    // Threads that have exited count only where the barrier does not say how many it waits for.
    if (threads == 0 ? arriving.size() < unfinished : arrived < threads) continue;
    open_barrier(block, number, arriving, whole_block && earlier == block.arrivals.end());
    opened = true;
  }
  return opened;
}

void arrive_at_barrier(Warp& warp, std::uint32_t number, std::uint32_t threads) {
  ThreadBlock& block = *warp.block;
  state::Arrivals& arrivals = block.arrivals[number];
  arrivals.threads += kLanes;
  ++warp.worker->changes;
  checks::release_to(warp, arrivals.clock);
  std::vector<Warp*> waiting;
  for (Warp& other : block.warps) {
    if (&other != &warp && waits_at(other, number)) waiting.push_back(&other);
  }
  if (arrivals.threads + waiting.size() * kLanes >= threads) open_barrier(block, number, waiting, false);
}

void take_votes(Warp& warp, const Instruction& i, Mask active) {
  const Split& split = warp.splits[warp.current];
  const auto operation = static_cast<BarrierOperation>(i.detail);
  if (operation == BarrierOperation::count_votes) {
    auto* result = row<std::uint32_t>(warp, i.destination);
    for (Mask left = active; left != 0; left &= left - 1) result[first_lane(left)] = split.all_votes;
    return;
  }
  const bool holds =
      operation == BarrierOperation::all_votes ? split.all_votes == split.voters : split.all_votes != 0;
  Mask& predicate = warp.predicates[i.destination];
  predicate = holds ? predicate | active : predicate & ~active;
}

void report_endless_wait(ThreadBlock& block) {
  std::int64_t waiting = 0;
  const Warp* first = nullptr;
  for (const Warp& warp : block.warps) {
    if (warp.splits.empty() || warp.failed_wait == nullptr) continue;
    if (first == nullptr) first = &warp;
    ++waiting;
  }
  if (first == nullptr) return;
  const MbarrierWord word = MbarrierWord::decode(first->awaited);
  block.grid->findings->add(make_finding(*first, first->failed_wait->id, first_lane(first->live),
                                         Finding::Cause::mbarriers_never_complete,
                                         {waiting, word.pending, word.bytes}));
  block.grid->fail(LaunchResult::Status::launch_timeout);
}

void report_deadlock(ThreadBlock& block, const std::vector<Warp*>& resting) {
  block.grid->findings->add(make_deadlock(block, resting, resting.front()->splits.front()));
  block.grid->fail(LaunchResult::Status::launch_timeout);
}

void let_others_run(Warp& warp, const Instruction&, Mask) { warp.yields = true; }

}  // namespace lockstep::emulator::execution
