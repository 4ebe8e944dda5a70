#include "emulator/machine/barrier.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "emulator/machine/warp_runner.h"

namespace lockstep::emulator {
namespace {

/// Two places are the same barrier when they come from the same lines: the compiler may have copied the
/// instruction.
bool same_site(const Program& program, std::uint32_t a, std::uint32_t b) {
  const auto& places = program.places;
  return a == b || (places[a].line == places[b].line && places[a].stack == places[b].stack);
}

/// Makes what the arriving warps did before the barrier visible to what they do after it.
void order_warps(ThreadBlock& block, const std::vector<Warp*>& arriving, bool whole_block) {
  const Time time = block.now++;
  if (whole_block && block.seen.empty()) {
    for (Warp* warp : arriving) warp->ordered = warp->synced = time;
    return;
  }
  const std::uint32_t n = block.warp_count;
  if (block.seen.empty()) {
    block.seen.resize(std::size_t{n} * n);
    for (const Warp& warp : block.warps) std::fill_n(block.seen.begin() + warp.index * n, n, warp.ordered);
  }
  std::vector<Time> joined(n, 0);
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
  const Program& program = *block.grid->kernel->program;
  const std::uint32_t first = next_place(arriving[0]->splits[0]);
  for (const Warp* warp : arriving) {
    for (const Split& split : warp->splits) {
      const std::uint32_t place = next_place(split);
      if (same_site(program, place, first)) continue;
      const SourceLine& other = program.places[first].line;
      Finding finding =
          make_finding(*warp, place, first_lane(split.lanes), Finding::Kind::bad_sync,
                       fmt::format("threads of the block wait at different barriers: some here, others "
                                   "at line {}",
                                   other.line));
      finding.other_line = other;
      block.grid->findings.add(std::move(finding));
      return;
    }
  }
}

void release(const std::vector<Warp*>& arriving) {
  for (Warp* warp : arriving) {
    for (Split& split : warp->splits) {
      split.state = Split::State::ready;
      split.admitted = true;
    }
  }
}

}  // namespace

bool open_barriers(ThreadBlock& block, const std::vector<Warp*>& resting, std::size_t unfinished) {
  std::map<std::uint32_t, std::vector<Warp*>> by_number;
  for (Warp* warp : resting) by_number[warp->splits[0].barrier].push_back(warp);
  bool opened = false;
  for (const auto& [number, arriving] : by_number) {
    const std::uint32_t threads = arriving[0]->splits[0].barrier_threads;
    const bool whole_block = threads == 0 || threads == block.warp_count * kLanes;
    if (whole_block ? arriving.size() < unfinished : arriving.size() * kLanes < threads) continue;
    check_sites(block, arriving);
    order_warps(block, arriving, whole_block);
    release(arriving);
    opened = true;
  }
  return opened;
}

void report_deadlock(ThreadBlock& block, const std::vector<Warp*>& resting) {
  const Warp& warp = *resting.front();
  const Split& split = warp.splits.front();
  block.grid->findings.add(make_finding(
      warp, next_place(split), first_lane(split.lanes), Finding::Kind::deadlock,
      fmt::format("{} warps wait at barriers that the block's other threads never reach", resting.size())));
  block.grid->fail(LaunchResult::Status::launch_timeout);
}

}  // namespace lockstep::emulator
