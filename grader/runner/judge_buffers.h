// The judge's buffers on a GPU and its arrays on the host, as the runner sees them: mapped from descriptors,
// known by the judge's addresses.
#pragma once

#include <cstdint>
#include <map>

#include "device/mapped_memory.h"
#include "runner/host_array.h"
#include "runner/message.h"

namespace lockstep::runner {

class JudgeBuffers {
 public:
  /// Makes the context that the CUDA runtime of the submission will use too, unless it is there. Throws
  /// device::DriverError.
  void make_context();
  /// Maps or unmaps memory of the device. Throws device::DriverError.
  void update(const MapRequest& request, int descriptor);
  /// Maps an array of the host. Throws std::system_error.
  const HostArray& add_host_array(const MapRequest& request, int descriptor);
  /// Null where there is none of that address.
  const HostArray* host_array(std::uint64_t address) const;
  void remove_host_array(std::uint64_t address) { host_arrays_.erase(address); }
  /// The runner's own address of a buffer; words that name none stay as they are.
  std::uint64_t translated(std::uint64_t word) const;
  /// Whether this runner was given memory of a GPU.
  bool any_mapped() const { return any_mapped_; }

 private:
  struct Buffer {
    device::MappedMemory memory;
    std::uint64_t offset = 0;
  };

  std::map<std::uint64_t, Buffer> buffers_;
  std::map<std::uint64_t, HostArray> host_arrays_;
  CUdevice gpu_ = 0;
  bool has_context_ = false;
  bool any_mapped_ = false;
};

}  // namespace lockstep::runner
