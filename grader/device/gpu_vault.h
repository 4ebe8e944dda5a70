// The vault of a GPU. Its own kernels fill buffers and compare outputs there.
#pragma once

#include <optional>
#include <vector>

#include "device/mapped_memory.h"
#include "device/staging.h"
#include "device/vault.h"

namespace lockstep::device {

class Gpu;

class GpuVault final : public Vault {
 public:
  explicit GpuVault(const Gpu& gpu);
  ~GpuVault() override;
  GpuVault(const GpuVault&) = delete;
  GpuVault& operator=(const GpuVault&) = delete;

  std::uint64_t allocate(std::size_t bytes) override;
  void draw(std::uint64_t to, std::size_t bytes, const course::Draw& draw) override {
    staging_.bring(to, bytes, draw);
  }
  void draw_words(std::span<const Drawing> drawings) override;
  double sum_of_floats(std::uint64_t from, std::size_t n) const override;
  void fill(std::span<const Filling> fillings) override;
  std::uint64_t count_wrong(const course::Output& output, std::uint64_t found, std::uint64_t expected,
                            std::size_t bytes) const override;
  void plan_samples(std::span<const Sampling> samples) override;
  void take_samples(std::size_t first, std::size_t n) const override;
  void mark() const override;
  void wait_for_mark() const override;
  void overwrite_cache() const override;

 private:
  /// Copies `bytes` to the beginning of `room`, which is made anew where it is too small; its address.
  std::uint64_t hand_over(std::span<const std::byte> bytes, std::optional<MappedMemory>& room) const;

  const Gpu& gpu_;
  Staging staging_;
  std::vector<MappedMemory> kept_;
  MappedMemory cache_filler_, counter_;
  std::optional<MappedMemory> drawings_, fillings_, samplings_;  ///< room for the most that were asked for
  CUmodule module_ = nullptr;
  CUevent mark_ = nullptr;
};

}  // namespace lockstep::device
