// Memory that both the program and kernels reach, and its exchange: they never share a page.
//
// Whoever makes the device work on memory calls the two functions around it, at the moment when the work
// really runs. Copies and fills name the memory that they touch and do the same for it alone
// (device_memory.h).
#pragma once

#include <cstddef>
#include <span>

#include "emulator/cudart/memory/managed_memory.h"
#include "emulator/cudart/memory/pinned_memory.h"

namespace lockstep::emulator::cudart {

struct UnifiedMemory {
  explicit UnifiedMemory(DeviceConnection& device) : managed(device), pinned(device) {}

  /// The device sees what the program wrote. `parameters` is the launch's parameter block.
  void before_launch(std::span<const std::byte> parameters) {
    pinned.map_named(parameters);
    managed.send();
    pinned.send();
  }

  /// The program will see what the kernel wrote. A kernel that failed shows at the program's next call, as
  /// everything does that is asked of the device then.
  void after_launch() {
    try {
      managed.revoke();
      pinned.receive();
    } catch (const Failure&) {
    }
  }

  /// The program waits for the device: what it is likely to read is brought in.
  void after_synchronisation() { managed.bring_in(); }

  ManagedMemory managed;
  PinnedMemory pinned;
};

}  // namespace lockstep::emulator::cudart
