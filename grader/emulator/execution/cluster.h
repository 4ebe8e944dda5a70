// Clusters: blocks that run on one worker, reach each other's shared memory and have a barrier of their own.
//
// An address of another block's shared memory has the block's rank, plus one, in its upper byte; without it,
// it is one of the own block. PTX ISA 5.1.6 and 9.7.13.4.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/execution/names.h"

namespace lockstep::emulator::execution {

/// Of a cluster; more than 8 are what a program has to ask leave for.
inline constexpr std::uint32_t kMaxClusterBlocks = 16;

struct Cluster {
  std::vector<ThreadBlock*> blocks;  ///< by rank
};

inline constexpr unsigned kRankShift = 24;
/// Whether an active lane's offset names a block of the cluster.
inline bool names_rank(Mask active, const std::uint64_t* offsets) {
  std::uint64_t all = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane) all |= (active >> lane & 1) != 0 ? offsets[lane] : 0;
  return all >> kRankShift != 0;
}

/// The address in row a of a lane, with the instruction's offset.
std::uint64_t lane_address(const Warp& warp, const Instruction& instruction, unsigned lane);

/// A place in the shared memory of a block of the cluster.
struct ClusterPlace {
  ThreadBlock* block = nullptr;
  std::uint32_t offset = 0;
};

/// Finds `width` bytes at an address of a lane, generic or an offset in the window; a finding and null when
/// there are none.
ClusterPlace find_in_cluster(Warp& warp, const Instruction& instruction, unsigned lane, std::uint64_t address,
                             unsigned width, AccessKind kind);

/// Lanes of `active` whose offset names another block: each is checked, and becomes the distance from the own
/// block's shared memory to the place. False when the launch has failed.
bool locate_in_cluster(Warp& warp, const Instruction& instruction, Mask active, std::uint64_t* offsets,
                       unsigned width, AccessKind kind);

/// The lanes whose offset names another block of the cluster; the rank of the own block is taken off.
Mask other_blocks(const Warp& warp, Mask active, std::uint64_t* offsets);

/// Opens the cluster's barrier when all of its threads have arrived. Returns whether it did.
bool open_cluster_barrier(Cluster& cluster);

// Handlers.
/// barrier.cluster.arrive; detail: mbarrier::kRelaxed.
void arrive_at_cluster(Warp& warp, const Instruction& instruction, Mask active);
/// barrier.cluster.wait, when the gate before it has opened.
void leave_cluster_barrier(Warp& warp, const Instruction& instruction, Mask active);
/// Row a is an address, row b a rank; the row of the result is as wide as that of the address.
void map_to_rank(Warp& warp, const Instruction& instruction, Mask active);
/// %is_explicit_cluster, a predicate.
void test_cluster_launch(Warp& warp, const Instruction& instruction, Mask active);
void rank_of_address(Warp& warp, const Instruction& instruction, Mask active);

}  // namespace lockstep::emulator::execution
