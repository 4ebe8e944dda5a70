// Addresses of the device as the program's pointers, and back: they are the same numbers.
#pragma once

#include "emulator/core/types.h"

namespace lockstep::emulator::cudart {

inline DeviceAddress address_of(const void* pointer) { return reinterpret_cast<DeviceAddress>(pointer); }

inline void* pointer_to(DeviceAddress address) { return reinterpret_cast<void*>(address); }

}  // namespace lockstep::emulator::cudart
