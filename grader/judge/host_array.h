// An array in the memory of the host that the judge shares with a submission: filled before a call, looked at
// when the call has returned.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>

#include "emulator/core/round_up.h"
#include "runner/shared_memory.h"

namespace lockstep::judge {

class HostArray {
 public:
  /// It ends where its last page does, or less than 16 bytes before. Throws std::system_error.
  explicit HostArray(std::size_t bytes)
      : memory_("lockstep-array", emulator::round_up(std::max<std::size_t>(bytes, 1), kPage)),
        bytes_(bytes) {}

  std::span<std::byte> contents() const {
    return {static_cast<std::byte*>(memory_.memory()) + offset(), bytes_};
  }
  const runner::SharedMemory& memory() const { return memory_; }
  /// Of the array in that memory.
  std::size_t offset() const { return memory_.bytes() - emulator::round_up(bytes_, kAlignment); }

 private:
  static constexpr std::size_t kPage = 4096, kAlignment = 16;

  runner::SharedMemory memory_;
  std::size_t bytes_;
};

}  // namespace lockstep::judge
