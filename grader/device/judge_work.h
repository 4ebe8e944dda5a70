// What the judge's kernels are to do, one element a buffer: shared by the host and judge_kernels.cu.
#pragma once

#include <cstdint>

namespace lockstep::device {

/// A buffer of a session, at a multiple of 16 bytes.
struct Filling {
  std::uint64_t to;
  std::uint64_t from;  ///< an address in the vault, at a multiple of 16 bytes; 0 for kPoisonByte
  std::uint64_t bytes;
};

/// Chunks of a buffer.
struct Sampling {
  std::uint64_t to;    ///< in the vault: room for Vault::kSampleBytes
  std::uint64_t from;  ///< at a multiple of 8 bytes
  std::uint64_t bytes;
  std::uint64_t seed;  ///< that alone determines where the chunks lie
};

}  // namespace lockstep::device
