// The emulated device's process as it fails: what its owner catches, and device/ hands on.
#pragma once

#include <stdexcept>

namespace lockstep::emulator::server {

/// The device process is gone, does not answer, or speaks nonsense; what() says how that was seen. When it
/// had been started and a program was using it, the program may have brought that about.
class DeviceLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// It is gone because it needed more memory than it may have.
class DeviceMemoryExceeded : public DeviceLost {
 public:
  using DeviceLost::DeviceLost;
};

}  // namespace lockstep::emulator::server
