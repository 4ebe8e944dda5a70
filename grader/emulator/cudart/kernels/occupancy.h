// How many blocks of a kernel fit on a multiprocessor: the arithmetic of the occupancy calculator.
//
// Granules are those of compute capability 9.0. Source: CUDA C++ Programming Guide, "Compute Capabilities",
// and the occupancy calculator of Nsight Compute.
#pragma once

#include <cstddef>

#include "emulator/server/protocol.h"

namespace lockstep::emulator::cudart {

inline constexpr int kBlocksPerMultiprocessor = 32;
/// Shared memory that the system keeps of every block.
inline constexpr std::size_t kReservedSharedBytes = 1024;

/// Blocks of `threads` threads that are resident at once on one multiprocessor; 0 when none can run.
int blocks_per_multiprocessor(const server::KernelReply& kernel, const server::HelloReply& device,
                              int threads, std::size_t dynamic_shared_bytes);

/// Dynamic shared memory a block may have when `blocks` blocks are to be resident at once.
std::size_t available_dynamic_shared_bytes(const server::KernelReply& kernel,
                                           const server::HelloReply& device, int blocks);

}  // namespace lockstep::emulator::cudart
