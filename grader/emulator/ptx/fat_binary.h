// Fat binaries: the container in which nvcc embeds PTX and machine code in a host program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep::emulator::ptx {

class FatBinaryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct PtxImage {
  std::uint32_t architecture = 0;  ///< virtual architecture, such as 90
  std::string text;                ///< decompressed, without the terminating zero
};

/// Bytes that the container starting at `header` claims to have, header included; the caller who follows a
/// raw pointer (as __cudaRegisterFatBinary does) needs it to know how much to send. Throws FatBinaryError
/// when `header` does not start a container. `header` needs the first 16 bytes only.
std::size_t fat_binary_bytes(std::span<const std::byte> header);

/// All PTX images of a container, plain or zstd-compressed. Machine code is passed over. Throws
/// FatBinaryError with a remedy when there is no PTX, when PTX is compressed by another method, or when the
/// bytes are malformed.
std::vector<PtxImage> ptx_images(std::span<const std::byte> container);

}  // namespace lockstep::emulator::ptx
