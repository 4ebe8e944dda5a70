// Special registers. PTX ISA 10.
#include <chrono>
#include <cstdint>
#include <string_view>
#include <utility>

#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

/// Value of a special register in one lane.
using Read = std::uint64_t (*)(const Warp& warp, unsigned lane);

const Grid& grid_of(const Warp& warp) { return *warp.block->grid; }

/// The time, which goes on while nothing else does.
std::uint64_t nanoseconds(const Warp& warp) {
  ++warp.worker->changes;
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(
                                        std::chrono::steady_clock::now().time_since_epoch())
                                        .count());
}

/// Blocks are spread over the multiprocessors in turn, as hardware does when they are free.
std::uint64_t multiprocessor(const Warp& warp) {
  return warp.block->linear % static_cast<unsigned>(grid_of(warp).properties->multiprocessors);
}

template <Read read, bool wide>
void read_register(Warp& warp, const Instruction& i, Mask active) {
  using T = std::conditional_t<wide, std::uint64_t, std::uint32_t>;
  for_lanes<T>(row<T>(warp, i.destination), active,
               [&](unsigned l) { return static_cast<T>(read(warp, l)); });
}

struct Special {
  std::string_view name;
  Handler narrow, wide;
};
template <Read read>
constexpr Special special(std::string_view name) {
  return {name, read_register<read, false>, read_register<read, true>};
}

constexpr Special kSpecials[] = {
    special<[](const Warp& w, unsigned l) { return std::uint64_t{w.thread_x[l]}; }>("tid.x"),
    special<[](const Warp& w, unsigned l) { return std::uint64_t{w.thread_y[l]}; }>("tid.y"),
    special<[](const Warp& w, unsigned l) { return std::uint64_t{w.thread_z[l]}; }>("tid.z"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).threads.x}; }>("ntid.x"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).threads.y}; }>("ntid.y"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).threads.z}; }>("ntid.z"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->index[0]}; }>("ctaid.x"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->index[1]}; }>("ctaid.y"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->index[2]}; }>("ctaid.z"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).blocks.x}; }>("nctaid.x"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).blocks.y}; }>("nctaid.y"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).blocks.z}; }>("nctaid.z"),
    special<[](const Warp&, unsigned l) { return std::uint64_t{l}; }>("laneid"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.index}; }>("warpid"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->warp_count}; }>("nwarpid"),
    special<[](const Warp& w, unsigned) { return multiprocessor(w); }>("smid"),
    special<[](const Warp& w, unsigned) {
      return static_cast<std::uint64_t>(grid_of(w).properties->multiprocessors);
    }>("nsmid"),
    special<[](const Warp&, unsigned) { return std::uint64_t{1}; }>("gridid"),
    special<[](const Warp&, unsigned l) { return std::uint64_t{1U << l}; }>("lanemask_eq"),
    special<[](const Warp&, unsigned l) { return std::uint64_t{(1U << l) - 1}; }>("lanemask_lt"),
    special<[](const Warp&, unsigned l) { return std::uint64_t{((1U << l) - 1) | 1U << l}; }>("lanemask_le"),
    special<[](const Warp&, unsigned l) { return std::uint64_t{kAllLanes & ~(((1U << l) - 1) | 1U << l)}; }>(
        "lanemask_gt"),
    special<[](const Warp&, unsigned l) { return std::uint64_t{kAllLanes & ~((1U << l) - 1)}; }>(
        "lanemask_ge"),
    special<[](const Warp& w, unsigned) { return nanoseconds(w); }>("clock"),
    special<[](const Warp& w, unsigned) { return nanoseconds(w) / 0x1'0000'0000; }>("clock_hi"),
    special<[](const Warp& w, unsigned) { return nanoseconds(w); }>("clock64"),
    special<[](const Warp& w, unsigned) { return nanoseconds(w); }>("globaltimer"),
    special<[](const Warp& w, unsigned) { return nanoseconds(w) & 0xFFFF'FFFF; }>("globaltimer_lo"),
    special<[](const Warp& w, unsigned) { return nanoseconds(w) / 0x1'0000'0000; }>("globaltimer_hi"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).dynamic_shared_bytes}; }>(
        "dynamic_smem_size"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).shared_bytes}; }>(
        "total_smem_size"),
    // Without clusters every block is a cluster of its own.
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->index[0] / grid_of(w).cluster.x}; }>(
        "clusterid.x"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->index[1] / grid_of(w).cluster.y}; }>(
        "clusterid.y"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->index[2] / grid_of(w).cluster.z}; }>(
        "clusterid.z"),
    special<[](const Warp& w, unsigned) {
      return std::uint64_t{grid_of(w).blocks.x / grid_of(w).cluster.x};
    }>("nclusterid.x"),
    special<[](const Warp& w, unsigned) {
      return std::uint64_t{grid_of(w).blocks.y / grid_of(w).cluster.y};
    }>("nclusterid.y"),
    special<[](const Warp& w, unsigned) {
      return std::uint64_t{grid_of(w).blocks.z / grid_of(w).cluster.z};
    }>("nclusterid.z"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->index[0] % grid_of(w).cluster.x}; }>(
        "cluster_ctaid.x"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->index[1] % grid_of(w).cluster.y}; }>(
        "cluster_ctaid.y"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->index[2] % grid_of(w).cluster.z}; }>(
        "cluster_ctaid.z"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).cluster.x}; }>("cluster_nctaid.x"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).cluster.y}; }>("cluster_nctaid.y"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{grid_of(w).cluster.z}; }>("cluster_nctaid.z"),
    special<[](const Warp& w, unsigned) { return std::uint64_t{w.block->rank}; }>("cluster_ctarank"),
    special<[](const Warp& w, unsigned) { return grid_of(w).cluster.count(); }>("cluster_nctarank"),
    // The driver's environment: the address of what a cooperative launch meets at.
    special<[](const Warp& w, unsigned) { return grid_of(w).workspace / 0x1'0000'0000; }>("envreg1"),
    special<[](const Warp& w, unsigned) { return grid_of(w).workspace & 0xFFFF'FFFF; }>("envreg2"),
};

}  // namespace

Handler special_handler(std::string_view name, bool wide) {
  for (const Special& candidate : kSpecials) {
    if (candidate.name == name) return wide ? candidate.wide : candidate.narrow;
  }
  return nullptr;
}

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
