// The judge's buffers on a GPU, as the runner sees them: mapped from descriptors, known by the judge's
// addresses.
#pragma once

#include <cstdint>
#include <map>

#include "device/mapped_memory.h"
#include "runner/message.h"

namespace lockstep::runner {

class JudgeBuffers {
 public:
  /// Maps or unmaps. Throws device::DriverError.
  void update(const MapRequest& request, int descriptor);
  /// The runner's own address of a buffer; words that name none stay as they are.
  std::uint64_t translated(std::uint64_t word) const;
  /// Whether this runner works on a GPU.
  bool any_mapped() const { return any_mapped_; }

 private:
  struct Buffer {
    device::MappedMemory memory;
    std::uint64_t offset = 0;
  };

  std::map<std::uint64_t, Buffer> buffers_;
  CUdevice gpu_ = 0;
  bool any_mapped_ = false;
};

}  // namespace lockstep::runner
