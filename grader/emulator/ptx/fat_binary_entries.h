// The entries of a fat binary, by their headers alone: which architectures a program was compiled for.
//
// Both ends ask: the device, which then unpacks the entry that it runs, and the program's runtime, which
// tells the program a compute capability that fits. Every offset and size is a claim and is checked before it
// is followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

namespace lockstep::emulator::ptx {

class FatBinaryError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What an entry was compiled for, such as compute_90, compute_90a or compute_120f.
struct VirtualArchitecture {
  std::uint32_t number = 0;  ///< such as 90
  bool specific = false;     ///< a or f: for one GPU or one family of GPUs only
};

/// Whether a device of compute capability `capability` (90: 9.0) takes PTX of `one` before that of `other`:
/// the newest that it has, as a GPU does; failing that, the oldest of the newer ones. Plain PTX goes before
/// specific, which uses instructions that only some GPUs have.
bool suits_better(VirtualArchitecture one, VirtualArchitecture other, std::uint32_t capability);

struct FatBinaryEntry {
  static constexpr std::uint64_t kFlagLz4 = 0x2000;
  static constexpr std::uint64_t kFlagZstd = 0x8000;

  std::uint16_t kind = 0;
  VirtualArchitecture architecture;
  std::uint64_t flags = 0;
  std::uint64_t compressed_bytes = 0;  ///< no more than the payload, of PTX compressed by zstd
  std::uint64_t uncompressed_bytes = 0;
  std::span<const std::byte> payload;  ///< padded
  bool is_ptx() const { return kind == 1; }
};

/// Bytes that the container starting at `header` claims to have, header included; the caller who follows a
/// raw pointer (as __cudaRegisterFatBinary does) needs it to know how much to send. Throws FatBinaryError
/// when `header` does not start a container. `header` needs the first 16 bytes only.
std::size_t fat_binary_bytes(std::span<const std::byte> header);

/// PTX and machine code alike. Throws FatBinaryError when the bytes are malformed.
std::vector<FatBinaryEntry> fat_binary_entries(std::span<const std::byte> container);

}  // namespace lockstep::emulator::ptx
