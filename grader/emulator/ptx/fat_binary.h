// Fat binaries: the container in which nvcc embeds PTX and machine code in a host program.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "emulator/ptx/fat_binary_entries.h"

namespace lockstep::emulator::ptx {

struct PtxImage {
  VirtualArchitecture architecture;
  std::string text;  ///< decompressed, without the terminating zero
};

/// The containers of several fat binaries, one behind the other, that hold PTX; the first when none does.
/// Throws FatBinaryError when the bytes are malformed.
std::vector<std::span<const std::byte>> containers_with_ptx(std::span<const std::byte> fat_binaries);

/// All PTX images of a container, plain or zstd-compressed. Machine code is passed over. Throws
/// FatBinaryError with a remedy when there is no PTX, when PTX is compressed by another method, or when the
/// bytes are malformed.
std::vector<PtxImage> ptx_images(std::span<const std::byte> container);

}  // namespace lockstep::emulator::ptx
