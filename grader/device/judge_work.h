// What the judge's kernels are to do, one element a buffer: shared by the host and judge_kernels.cu.
#pragma once

#include <array>
#include <cstdint>

#include "course/word_maps.h"

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

/// An array in the vault to be drawn: an element for each word of the stream that AES-256 in counter mode
/// makes under a key, beginning at block 0, as judge::KeyedRandom draws them.
struct Drawing {
  std::uint64_t to;  ///< at a multiple of 16 bytes
  std::uint64_t elements;
  std::uint64_t first_word;  ///< that of element 0
  course::WordMap map;
  std::uint32_t parameter;           ///< of the map
  std::array<std::uint32_t, 8> key;  ///< in the order of its bytes, low ones first
};

}  // namespace lockstep::device
