// An array of the judge in the memory of the host, as the runner sees it: shared with the judge, which looks
// at it when the call has returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

namespace lockstep::runner {

class HostArray {
 public:
  /// `offset` is where the array begins in what the descriptor holds. Throws std::system_error.
  HostArray(int descriptor, std::size_t mapped_bytes, std::size_t offset);
  HostArray(HostArray&& other) noexcept
      : memory_(std::exchange(other.memory_, nullptr)),
        mapped_bytes_(other.mapped_bytes_),
        offset_(other.offset_) {}
  HostArray(const HostArray&) = delete;
  HostArray& operator=(const HostArray&) = delete;
  HostArray& operator=(HostArray&&) = delete;
  ~HostArray();

  std::uint64_t address() const { return reinterpret_cast<std::uintptr_t>(memory_) + offset_; }
  void* pages() const { return memory_; }
  std::size_t mapped_bytes() const { return mapped_bytes_; }

 private:
  void* memory_ = nullptr;
  std::size_t mapped_bytes_ = 0, offset_ = 0;
};

}  // namespace lockstep::runner
