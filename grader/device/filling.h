// What the judge's kernel fills a buffer with: shared by the host and judge_kernels.cu.
#pragma once

#include <cstdint>

namespace lockstep::device {

/// A buffer of a session, at a multiple of 16 bytes.
struct Filling {
  std::uint64_t to;
  std::uint64_t from;  ///< an address in the vault, at a multiple of 16 bytes; 0 for kPoisonByte
  std::uint64_t bytes;
};

}  // namespace lockstep::device
