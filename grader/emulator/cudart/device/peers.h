// Which devices may access each other's memory.
#pragma once

#include <set>
#include <utility>

#include "emulator/cudart/device/device_connection.h"

namespace lockstep::emulator::cudart {

class Peers {
 public:
  /// Lets kernels of `device` access memory of `peer`, or no longer. Throw Failure as CUDA does.
  void enable(int device, int peer);
  void disable(int device, int peer);
  /// After a reset of the device: what it was allowed, and what was allowed of it.
  void forget(int device);
  /// Devices whose memory kernels of `device` may access.
  DeviceMask reach(int device) const;

 private:
  std::set<std::pair<int, int>> enabled_;
};

}  // namespace lockstep::emulator::cudart
