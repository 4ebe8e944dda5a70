// The device and its kernels as the runtime's query functions describe them.
#pragma once

#include <string>

#include "emulator/cudart/api.h"
#include "emulator/cudart/kernels/modules.h"
#include "emulator/server/protocol.h"

namespace lockstep::emulator::cudart {

cudaDeviceProp device_properties(const server::HelloReply& device, const std::string& name);

/// Throws Failure for an attribute that CUDA does not have. Features that the emulated device lacks are 0.
int device_attribute(const server::HelloReply& device, cudaDeviceAttr attribute);

cudaFuncAttributes kernel_attributes(const Kernel& kernel, const server::HelloReply& device);

/// As cudaFuncSetAttribute.
void set_kernel_attribute(Kernel& kernel, const server::HelloReply& device, cudaFuncAttribute attribute,
                          int value);

}  // namespace lockstep::emulator::cudart
