// The device and its kernels as the runtime's query functions describe them.
#pragma once

#include <string>

#include "emulator/cudart/api.h"
#include "emulator/cudart/kernels/modules.h"
#include "emulator/server/protocol.h"

namespace lockstep::cudart {

cudaDeviceProp device_properties(const emulator::HelloReply& device, const std::string& name);

/// Throws Failure for an attribute that CUDA does not have. Features that the emulated device lacks are 0.
int device_attribute(const emulator::HelloReply& device, cudaDeviceAttr attribute);

cudaFuncAttributes kernel_attributes(const Kernel& kernel, const emulator::HelloReply& device);

/// As cudaFuncSetAttribute.
void set_kernel_attribute(Kernel& kernel, const emulator::HelloReply& device, cudaFuncAttribute attribute,
                          int value);

}  // namespace lockstep::cudart
