// The judge's own memory on a device: inputs before they are handed out, and what must come of them. No
// runner maps it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

#include "course/problem.h"
#include "device/judge_work.h"

namespace lockstep::device {

class Vault {
 public:
  virtual ~Vault() = default;

  /// Valid as long as the vault. Throws OutOfMemory.
  virtual std::uint64_t allocate(std::size_t bytes) = 0;
  /// Copies to allocated memory, over what it held, and waits; several threads may do so at once.
  void write(std::uint64_t to, std::span<const std::byte> bytes) {
    draw(to, bytes.size(), [rest = bytes](std::span<std::byte> part) mutable {
      std::ranges::copy(rest.first(part.size()), part.begin());
      rest = rest.subspan(part.size());
    });
  }
  /// The same of what is drawn.
  virtual void draw(std::uint64_t to, std::size_t bytes, const course::Draw& draw) = 0;
  /// Draws whole arrays on the device, all by one kernel, and waits.
  virtual void draw_words(std::span<const Drawing> drawings) = 0;
  /// Of an array of floats, added up in double.
  virtual double sum_of_floats(std::uint64_t from, std::size_t n) const = 0;
  /// Fills buffers of sessions, all by one kernel: how long it takes is then the device's doing, and not that
  /// of hundreds of calls of the driver. Does not wait; overwrite_cache() does.
  virtual void fill(std::span<const Filling> fillings) = 0;
  /// Elements of `found` that disagree with those kept at `expected`, under `output`'s type and tolerance.
  virtual std::uint64_t count_wrong(const course::Output& output, std::uint64_t found, std::uint64_t expected,
                                    std::size_t bytes) const = 0;
  /// Says what take_samples() is to copy, instead of what was said before; each fills kSampleBytes.
  static constexpr std::size_t kSampleChunks = 64, kChunkBytes = 4096;
  static constexpr std::size_t kSampleBytes = kSampleChunks * kChunkBytes;
  virtual void plan_samples(std::span<const Sampling> samples) = 0;
  /// Copies [first, first + n) of the plan by one kernel, so that asking for many takes no longer than for
  /// one. Does not wait.
  virtual void take_samples(std::size_t first, std::size_t n) const = 0;
  /// Remembers what was enqueued so far, such as a sample; waits until that is done, whatever came after.
  virtual void mark() const = 0;
  virtual void wait_for_mark() const = 0;

  /// Overwrites the level-2 cache, so that no timing begins with its inputs in it, and waits for it and for
  /// all that was asked for before.
  virtual void overwrite_cache() const = 0;
};

}  // namespace lockstep::device
