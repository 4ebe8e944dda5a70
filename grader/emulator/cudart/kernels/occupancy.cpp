#include "emulator/cudart/kernels/occupancy.h"

#include <algorithm>

namespace lockstep::emulator::cudart {

namespace {

constexpr std::size_t kSharedGranule = 128;    // bytes a block
constexpr std::size_t kRegisterGranule = 256;  // registers a warp
constexpr std::size_t kSchedulers = 4;         // a warp's registers come from one of these parts of the file

std::size_t rounded_up(std::size_t value, std::size_t granule) {
  return (value + granule - 1) / granule * granule;
}

}  // namespace

int blocks_per_multiprocessor(const server::KernelReply& kernel, const server::HelloReply& device,
                              int threads, std::size_t dynamic_shared_bytes) {
  const std::size_t shared = kernel.static_shared_bytes + dynamic_shared_bytes;
  if (threads > device.threads_per_block || static_cast<std::uint32_t>(threads) > kernel.max_threads)
    return 0;
  if (shared < dynamic_shared_bytes || shared > device.shared_bytes_per_block_optin) return 0;

  const auto lanes = static_cast<std::size_t>(device.warp_lanes);
  const std::size_t warps = rounded_up(static_cast<std::size_t>(threads), lanes) / lanes;
  std::size_t blocks = kBlocksPerMultiprocessor;
  blocks = std::min(blocks, static_cast<std::size_t>(device.threads_per_multiprocessor) / lanes / warps);
  blocks = std::min(blocks, device.shared_bytes_per_multiprocessor /
                                rounded_up(shared + kReservedSharedBytes, kSharedGranule));
  if (kernel.registers > 0) {
    const std::size_t a_warp = rounded_up(kernel.registers * lanes, kRegisterGranule);
    const std::size_t resident_warps = device.registers_per_block / kSchedulers / a_warp * kSchedulers;
    blocks = std::min(blocks, resident_warps / warps);
  }
  return static_cast<int>(blocks);
}

std::size_t available_dynamic_shared_bytes(const server::KernelReply& kernel,
                                           const server::HelloReply& device, int blocks) {
  const std::size_t share = device.shared_bytes_per_multiprocessor / static_cast<std::size_t>(blocks) /
                            kSharedGranule * kSharedGranule;
  const std::size_t taken = kernel.static_shared_bytes + kReservedSharedBytes;
  const std::size_t most = device.shared_bytes_per_block_optin;
  if (share < taken) return 0;
  return std::min<std::size_t>(share - taken, most - std::min<std::size_t>(most, kernel.static_shared_bytes));
}

}  // namespace lockstep::emulator::cudart
