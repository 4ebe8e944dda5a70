#include "emulator/cudart/kernels/modules.h"

#include <algorithm>

#include "emulator/ptx/fat_binary_entries.h"

namespace lockstep::emulator::cudart {

using server::bytes_of;
using server::RequestKind;

namespace {

/// What nvcc's generated code hands to __cudaRegisterFatBinary.
struct Wrapper {
  std::uint32_t magic;
  std::uint32_t version;  ///< 1: `container` holds the images; 2 (-rdc=true): `containers` does
  const void* container;
  const void* const* containers;  ///< ends with a null pointer
};

constexpr std::uint32_t kWrapperMagic = 0x466243B1;
constexpr std::size_t kContainerHeader = 16;

std::span<const std::byte> bytes_at(const void* address, std::size_t bytes) {
  return {static_cast<const std::byte*>(address), bytes};
}

std::uint32_t capability_of(const server::HelloReply& device) {
  return static_cast<std::uint32_t>(10 * device.compute_major + device.compute_minor);
}

}  // namespace

FatBinary* Modules::add_fat_binary(const void* wrapper) {
  FatBinary& binary = binaries_.emplace_back();
  const auto& given = *static_cast<const Wrapper*>(wrapper);
  if (given.magic != kWrapperMagic) return &binary;
  if (given.version == 1) {
    binary.containers.push_back(given.container);
  } else if (given.containers != nullptr) {
    for (const void* const* container = given.containers; *container != nullptr; ++container) {
      binary.containers.push_back(*container);
    }
  }
  return &binary;
}

void Modules::remove_fat_binary(FatBinary* binary) {
  std::erase_if(kernels_, [binary](const auto& entry) { return entry.second->binary == binary; });
  std::erase_if(variables_, [binary](const auto& entry) { return entry.second.binary == binary; });
  for (const auto& [device, module] : binary->modules) {
    try {
      device_.request(RequestKind::unload_image, {bytes_of(server::IdRequest{module})});
    } catch (const Failure&) {
      // The program is ending, or a kernel has failed: the device releases the module with the connection.
    }
  }
  binaries_.remove_if([binary](const FatBinary& other) { return &other == binary; });
}

void Modules::add_kernel(FatBinary* binary, const void* host_function, const char* name) {
  const auto kernel = std::make_shared<Kernel>();
  kernel->binary = binary;
  kernel->name = name;
  kernels_[host_function] = kernel;
  kernels_[kernel.get()] = kernel;
}

void Modules::add_variable(FatBinary* binary, const void* host_variable, const char* name) {
  variables_[host_variable] = {binary, name, nullptr, {}};
}

void Modules::add_managed_variable(FatBinary* binary, void** host_pointer, const char* name) {
  variables_[host_pointer] = {binary, name, host_pointer, {}};
}

Kernel& Modules::find(const void* function) {
  const auto found = kernels_.find(function);
  if (found == kernels_.end()) throw Failure{cudaErrorInvalidDeviceFunction};
  return *found->second;
}

Kernel& Modules::load(const void* function) {
  Kernel& kernel = find(function);
  if (kernel.loaded_for == current_device()) return kernel;
  try {
    const server::NameRequest wanted{load(*kernel.binary)};
    choose_architecture(*kernel.binary);
    kernel.architecture = kernel.binary->architecture;
    const server::Bytes reply =
        device_.request(RequestKind::find_kernel, {bytes_of(wanted), bytes_of(kernel.name)});
    server::MessageReader reader(reply);
    kernel.info = reader.take<server::KernelReply>();
    kernel.parameters.clear();
    for (std::uint32_t i = 0; i < kernel.info.parameter_count; ++i) {
      kernel.parameters.push_back(reader.take<ParameterLayout>());
    }
    kernel.loaded_for = current_device();
    return kernel;
  } catch (const Failure& caught) {
    if (caught.code == cudaErrorInvalidSymbol) throw Failure{cudaErrorInvalidDeviceFunction};
    throw;
  }
}

server::HelloReply Modules::described_device() {
  server::HelloReply described = device_.properties();
  std::uint32_t capability = capability_of(described);
  for (FatBinary& binary : binaries_) {
    choose_architecture(binary);
    capability = std::max(capability, binary.architecture);
  }
  described.compute_major = static_cast<std::int32_t>(capability / 10);
  described.compute_minor = static_cast<std::int32_t>(capability % 10);
  return described;
}

/// As the device chooses when it loads the binary; the newest where files have several.
void Modules::choose_architecture(FatBinary& binary) {
  if (binary.architecture != 0) return;
  namespace ptx = emulator::ptx;
  const std::uint32_t capability = capability_of(device_.properties());
  try {
    for (const void* container : binary.containers) {
      const std::size_t bytes = ptx::fat_binary_bytes(bytes_at(container, kContainerHeader));
      std::optional<ptx::VirtualArchitecture> best;
      for (const ptx::FatBinaryEntry& entry : ptx::fat_binary_entries(bytes_at(container, bytes))) {
        if (!entry.is_ptx()) continue;
        if (!best || ptx::suits_better(entry.architecture, *best, capability)) best = entry.architecture;
      }
      if (best) binary.architecture = std::max(binary.architecture, best->number);
    }
  } catch (const ptx::FatBinaryError&) {
    // The device says what is wrong when something in the binary is used.
  }
}

const server::RangeReply& Modules::symbol(const void* host_variable) {
  const auto found = variables_.find(host_variable);
  // A managed variable is known by where its address is kept, and by the address itself.
  if (found == variables_.end()) {
    const auto at_address = std::ranges::find_if(variables_, [&](const auto& entry) {
      return entry.second.host_pointer != nullptr && *entry.second.host_pointer == host_variable;
    });
    if (host_variable == nullptr || at_address == variables_.end()) throw Failure{cudaErrorInvalidSymbol};
    return locate(at_address->second);
  }
  return locate(found->second);
}

void Modules::place_managed_variables(FatBinary* binary, ManagedMemory& managed) {
  for (auto& [host_variable, variable] : variables_) {
    if (variable.binary != binary || variable.host_pointer == nullptr) continue;
    const server::RangeReply& range = locate(variable);
    if (!managed.contains(range.address)) managed.adopt(range.address, range.bytes);
    *variable.host_pointer = reinterpret_cast<void*>(range.address);
  }
}

const server::RangeReply& Modules::locate(Variable& variable) {
  // One address for all devices is what hardware gives a managed variable; here each device has its own.
  if (variable.host_pointer != nullptr && device_.device_count() > 1) throw Failure{cudaErrorNotSupported};
  const auto known = variable.ranges.find(current_device());
  if (known != variable.ranges.end()) return known->second;
  const server::NameRequest wanted{load(*variable.binary)};
  return variable.ranges[current_device()] = device_.ask<server::RangeReply>(
             RequestKind::find_symbol, {bytes_of(wanted), bytes_of(variable.name)});
}

void* Modules::place_in_symbol(const void* host_variable, std::size_t offset, std::size_t bytes) {
  const server::RangeReply& range = symbol(host_variable);
  require(offset <= range.bytes && bytes <= range.bytes - offset);
  return reinterpret_cast<void*>(range.address + offset);
}

void Modules::forget_loaded() {
  for (FatBinary& binary : binaries_) {
    binary.modules.erase(current_device());
    binary.failure = cudaSuccess;
  }
  for (auto& [host_function, kernel] : kernels_) {
    kernel->loaded_for = kNoDevice;
    kernel->accepted.reset();
  }
  for (auto& [host_variable, variable] : variables_) variable.ranges.erase(current_device());
}

std::uint64_t Modules::load(FatBinary& binary) {
  if (binary.failure != cudaSuccess) throw Failure{binary.failure};
  const auto known = binary.modules.find(current_device());
  if (known != binary.modules.end()) return known->second;
  if (binary.containers.empty()) throw Failure{cudaErrorNoKernelImageForDevice};
  server::Bytes images;
  for (const void* container : binary.containers) {
    const auto size =
        device_.ask<server::SizeReply>(RequestKind::measure_image, {bytes_at(container, kContainerHeader)});
    if (size.bytes > server::kMaxRequest - images.size()) throw Failure{cudaErrorInvalidKernelImage};
    server::append(images, bytes_at(container, size.bytes));
  }
  try {
    return binary.modules[current_device()] =
               device_.ask<server::IdReply>(RequestKind::load_image, {images}).id;
  } catch (const Failure& caught) {
    if (caught.code == cudaErrorInvalidKernelImage || caught.code == cudaErrorNoKernelImageForDevice) {
      binary.failure = caught.code;
    }
    throw;
  }
}

std::uint64_t dynamic_shared_limit(const Kernel& kernel, const server::HelloReply& device) {
  const std::uint64_t fixed = kernel.info.static_shared_bytes;
  const std::uint64_t standard =
      device.shared_bytes_per_block - std::min(device.shared_bytes_per_block, fixed);
  return std::max(standard, kernel.dynamic_shared_limit.value_or(0));
}

}  // namespace lockstep::emulator::cudart
