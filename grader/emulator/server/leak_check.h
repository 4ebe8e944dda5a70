// Memory that a program has not freed when it ends, as findings: by size, with the order of allocation, as
// the host's call stack is not known here.
#pragma once

#include <cstdint>
#include <map>

#include "emulator/core/types.h"

namespace lockstep::emulator::server {

struct ServedDevice;

class LeakCheck {
 public:
  void allocated(DeviceAddress address, std::uint64_t bytes, int device) {
    held_[address] = {++count_, bytes, device};
  }
  void freed(DeviceAddress address) { held_.erase(address); }
  /// One finding for every size that was held of a device, and forgets them.
  void report(ServedDevice& served, int device);

 private:
  struct Allocation {
    std::uint64_t number = 0;  ///< 1 for the program's first
    std::uint64_t bytes = 0;
    int device = 0;
  };
  std::map<DeviceAddress, Allocation> held_;
  std::uint64_t count_ = 0;
};

}  // namespace lockstep::emulator::server
