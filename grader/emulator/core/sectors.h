// The unit in which global memory moves.
#pragma once

#include <cstdint>

namespace lockstep::emulator {

inline constexpr unsigned kSectorBytes = 32;

/// Sectors that a range touches; it need not be valid.
inline std::uint64_t sectors_of(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return 0;
  const std::uint64_t before = address % kSectorBytes;
  return bytes / kSectorBytes + (before + bytes % kSectorBytes + kSectorBytes - 1) / kSectorBytes;
}

}  // namespace lockstep::emulator
