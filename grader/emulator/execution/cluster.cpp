#include "emulator/execution/cluster.h"

#include <array>

#include "emulator/checks/finding_log.h"
#include "emulator/checks/synchronisation.h"
#include "emulator/execution/mbarrier.h"
#include "emulator/program/handlers.h"

namespace lockstep::emulator::execution {
namespace {

constexpr std::uint64_t kOffsetMask = (std::uint64_t{1} << kRankShift) - 1;

/// The block that the upper byte of an offset names; null when the cluster has none of this rank.
ThreadBlock* block_of(const Warp& warp, std::uint64_t offset) {
  const std::uint64_t named = offset >> kRankShift;
  if (named == 0) return warp.block;
  const auto& blocks = warp.block->cluster->blocks;
  return named <= blocks.size() ? blocks[named - 1] : nullptr;
}

void report(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t address, Finding::Cause cause,
            std::vector<std::int64_t> numbers = {}) {
  Finding finding = make_finding(warp, i.id, lane, cause, std::move(numbers));
  finding.space = Finding::Space::shared;
  finding.scope = Finding::Scope::cluster;
  finding.address = address;
  checks::fault(warp, LaunchResult::Status::illegal_address, std::move(finding));
}

/// Another block's words: whether something has written them is known, but not when it did in the own block's
/// time.
void check_words(Warp& warp, const Instruction& i, unsigned lane, ClusterPlace place, unsigned width,
                 AccessKind kind) {
  state::SharedShadow& shadow = place.block->shadow;
  const std::uint32_t granule = warp.block->grid->kernel->shared_granule;
  bool written = true;
  for (std::uint32_t word = place.offset / granule; word <= (place.offset + width - 1) / granule; ++word) {
    state::Time& time = shadow.write_time[word];
    if (kind == AccessKind::store) {
      time = place.block->begin;
    } else {
      written &= time >= place.block->begin;
    }
  }
  if (written) return;
  Finding finding =
      make_finding(warp, i.id, lane, Finding::Cause::uninitialised_cluster, {place.block->rank});
  finding.access = Finding::Access::read;
  finding.width = width;
  finding.space = Finding::Space::shared;
  finding.scope = Finding::Scope::cluster;
  finding.address = place.offset;
  warp.block->grid->findings->add(std::move(finding));
}

}  // namespace

std::uint64_t lane_address(const Warp& warp, const Instruction& i, unsigned lane) {
  const auto offset = static_cast<std::uint64_t>(i.offset);
  if ((i.detail & program::access::kAddress64) != 0) return row<std::uint64_t>(warp, i.a)[lane] + offset;
  return static_cast<std::uint32_t>(row<std::uint32_t>(warp, i.a)[lane] + offset);
}

ClusterPlace find_in_cluster(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t address,
                             unsigned width, AccessKind kind) {
  const std::uint64_t offset =
      address >= kSharedWindow && address - kSharedWindow < kWindowBytes ? address - kSharedWindow : address;
  ThreadBlock* block = offset < kWindowBytes ? block_of(warp, offset) : nullptr;
  if (block == nullptr) {
    report(warp, i, lane, address, Finding::Cause::no_block_of_cluster);
    return {};
  }
  const std::uint64_t within = offset & kOffsetMask;
  const std::uint64_t limit = warp.block->grid->shared_bytes;
  if (within > limit || limit - within < width) {
    std::array<std::uint64_t, kLanes> offsets{};
    offsets[lane] = within;
    checks::report_outside_window(warp, i, 1U << lane, offsets.data(), width, limit, Finding::Space::shared,
                                  kind);
    return {};
  }
  if (block->finished && block != warp.block) {
    report(warp, i, lane, address, Finding::Cause::exited_block, {block->rank});
    return {};
  }
  return {block, static_cast<std::uint32_t>(within)};
}

Mask other_blocks(const Warp& warp, Mask active, std::uint64_t* offsets) {
  Mask others = 0;
  if (warp.block->cluster->blocks.size() == 1) return others;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if (offsets[lane] >= kWindowBytes || offsets[lane] >> kRankShift == 0) continue;
    const ThreadBlock* block = block_of(warp, offsets[lane]);
    if (block == warp.block) {
      offsets[lane] &= kOffsetMask;
    } else if (block != nullptr) {
      others |= 1U << lane;
    }
  }
  return others;
}

bool locate_in_cluster(Warp& warp, const Instruction& i, Mask active, std::uint64_t* offsets, unsigned width,
                       AccessKind kind) {
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if (offsets[lane] % width != 0) {
      checks::report_misaligned(warp, i, 1U << lane, offsets, width, kind);
      return false;
    }
    const ClusterPlace place = find_in_cluster(warp, i, lane, offsets[lane], width, kind);
    if (place.block == nullptr) return false;
    if (warp.block->grid->checks) check_words(warp, i, lane, place, width, kind);
    if (kind == AccessKind::store) ++warp.worker->changes;
    offsets[lane] = reinterpret_cast<std::uintptr_t>(place.block->shared.data() + place.offset) -
                    reinterpret_cast<std::uintptr_t>(warp.block->shared.data());
  }
  return true;
}

bool open_cluster_barrier(Cluster& cluster) {
  bool anyone = false;
  for (const ThreadBlock* block : cluster.blocks) {
    for (const Warp& warp : block->warps) {
      if (warp.splits.empty()) continue;
      if ((warp.live & ~warp.at_cluster) != 0) return false;
      anyone |= warp.at_cluster != 0;
    }
  }
  if (!anyone) return false;
  for (ThreadBlock* block : cluster.blocks) {
    block->cluster_completed = block->cluster_arriving;
    for (Warp& warp : block->warps) {
      warp.at_cluster = 0;
      for (Split& split : warp.splits) {
        if (split.state != Split::State::at_cluster_barrier) continue;
        split.state = Split::State::ready;
        split.admitted = true;
      }
    }
  }
  return true;
}

void arrive_at_cluster(Warp& warp, const Instruction& i, Mask active) {
  if (const Mask twice = warp.owes_cluster_wait & active; twice != 0) {
    warp.block->grid->findings->add(
        make_finding(warp, i.id, first_lane(twice), Finding::Cause::cluster_arrived_twice));
  }
  if ((i.detail & mbarrier::kRelaxed) == 0) {
    checks::release_to(warp, warp.block->cluster_arriving);
    checks::release(warp);
  }
  checks::signal(warp);
  warp.at_cluster |= active;
  warp.owes_cluster_wait |= active;
  ++warp.worker->changes;
}

void leave_cluster_barrier(Warp& warp, const Instruction& i, Mask active) {
  if (const Mask never = active & ~warp.owes_cluster_wait; never != 0) {
    warp.block->grid->findings->add(
        make_finding(warp, i.id, first_lane(never), Finding::Cause::cluster_never_arrived));
  }
  warp.owes_cluster_wait &= ~active;
  checks::acquire_from(warp, warp.block->cluster_completed);
  checks::acquire(warp);
}

void map_to_rank(Warp& warp, const Instruction& i, Mask active) {
  const auto* ranks = row<std::uint32_t>(warp, i.b);
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::uint64_t address = lane_address(warp, i, lane);
    if (ranks[lane] >= warp.block->cluster->blocks.size()) {
      return report(warp, i, lane, address, Finding::Cause::no_rank_of_cluster,
                    {ranks[lane], std::ssize(warp.block->cluster->blocks)});
    }
    const std::uint64_t rank =
        ranks[lane] == warp.block->rank ? 0 : std::uint64_t{ranks[lane] + 1} << kRankShift;
    const std::uint64_t mapped = (address & ~(kWindowBytes - 1)) | rank | (address & kOffsetMask);
    if ((i.detail & program::access::kAddress64) != 0) {
      row<std::uint64_t>(warp, i.destination)[lane] = mapped;
    } else {
      row<std::uint32_t>(warp, i.destination)[lane] = static_cast<std::uint32_t>(mapped);
    }
  }
}

void test_cluster_launch(Warp& warp, const Instruction& i, Mask active) {
  Mask& predicate = warp.predicates[i.destination];
  predicate = warp.block->grid->clustered ? predicate | active : predicate & ~active;
}

void rank_of_address(Warp& warp, const Instruction& i, Mask active) {
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const ThreadBlock* block = block_of(warp, lane_address(warp, i, lane) % kWindowBytes);
    row<std::uint32_t>(warp, i.destination)[lane] = block != nullptr ? block->rank : 0;
  }
}

}  // namespace lockstep::emulator::execution
