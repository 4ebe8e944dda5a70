// Addresses of the device as the program's pointers, and back: they are the same numbers.
#pragma once

#include "emulator/core/types.h"

namespace lockstep::cudart {

inline emulator::DeviceAddress address_of(const void* pointer) {
  return reinterpret_cast<emulator::DeviceAddress>(pointer);
}

inline void* pointer_to(emulator::DeviceAddress address) { return reinterpret_cast<void*>(address); }

}  // namespace lockstep::cudart
