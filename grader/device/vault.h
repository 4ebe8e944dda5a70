// The judge's own memory on a GPU: inputs before they are handed out, and what must come of them. No runner
// maps it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "course/problem.h"
#include "device/judge_work.h"
#include "device/mapped_memory.h"

namespace lockstep::device {

class Gpu;

class Vault {
 public:
  explicit Vault(const Gpu& gpu);
  ~Vault();
  Vault(const Vault&) = delete;
  Vault& operator=(const Vault&) = delete;

  /// Keeps a copy; returns its address. Valid as long as the vault.
  std::uint64_t keep(std::span<const std::byte> bytes);
  /// Fills buffers of sessions, all by one kernel: how long it takes is then the device's doing, and not that
  /// of hundreds of calls of the driver. Does not wait; overwrite_cache() does.
  void fill(std::span<const Filling> fillings);
  /// Elements of `found` that disagree with those kept at `expected`, under `output`'s type and tolerance.
  std::uint64_t count_wrong(const course::Output& output, std::uint64_t found, std::uint64_t expected,
                            std::size_t bytes) const;
  /// Says what take_samples() is to copy, instead of what was said before; each fills kSampleBytes.
  static constexpr std::size_t kSampleChunks = 64, kChunkBytes = 4096;
  static constexpr std::size_t kSampleBytes = kSampleChunks * kChunkBytes;
  void plan_samples(std::span<const Sampling> samples);
  /// Copies [first, first + n) of the plan by one kernel, so that asking for many takes no longer than for
  /// one. Does not wait.
  void take_samples(std::size_t first, std::size_t n) const;
  std::uint64_t allocate(std::size_t bytes);
  /// Remembers what was enqueued so far, such as a sample; waits until that is done, whatever came after.
  void mark() const;
  void wait_for_mark() const;

  /// Overwrites the level-2 cache, so that no timing begins with its inputs in it, and waits for it and for
  /// all that was asked for before.
  void overwrite_cache() const;

 private:
  /// Copies `bytes` to the beginning of `room`, which is made anew where it is too small; its address.
  std::uint64_t hand_over(std::span<const std::byte> bytes, std::optional<MappedMemory>& room) const;

  const Gpu& gpu_;
  std::vector<MappedMemory> kept_;
  MappedMemory cache_filler_, counter_;
  std::optional<MappedMemory> fillings_, samplings_;  ///< room for the most that were asked for
  CUmodule module_ = nullptr;
  CUevent mark_ = nullptr;
};

}  // namespace lockstep::device
