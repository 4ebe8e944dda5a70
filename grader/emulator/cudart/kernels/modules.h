// What the program's constructors registered: fat binaries, kernels and variables, by their host addresses.
//
// Registration runs before the program's own statics and before anyone knows whether the program will use the
// device at all; so it only takes notes, and images travel to the device at the first use of something in
// them.
#pragma once

#include <cstdint>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulator/cudart/device/device_connection.h"
#include "emulator/cudart/memory/managed_memory.h"

namespace lockstep::emulator::cudart {

/// Of a kernel that no device has loaded.
inline constexpr int kNoDevice = -1;

/// What one registration names. A program built with -rdc=true has a container for each of its files in it,
/// which the device links.
struct FatBinary {
  std::vector<const void*> containers;
  std::uint32_t architecture = 0;  ///< of its PTX that suits the device best, such as 90; 0: it has none
  std::map<int, std::uint64_t> modules;  ///< by device, where it is loaded
  cudaError_t failure = cudaSuccess;     ///< of loading it; it is not tried again
};

struct Kernel : std::enable_shared_from_this<Kernel> {
  FatBinary* binary = nullptr;
  std::string name;            ///< mangled
  int loaded_for = kNoDevice;  ///< device whose kernel `info` names
  server::KernelReply info;
  std::vector<ParameterLayout> parameters;
  std::optional<std::uint64_t> dynamic_shared_limit;  ///< set by cudaFuncSetAttribute
  bool large_clusters = false;                        ///< likewise: of more than the portable size
  std::optional<server::LaunchRequest> accepted;      ///< the last launch that the device did not refuse
  std::uint32_t architecture = 0;                     ///< of the PTX that it was loaded from, such as 90
};

struct Variable {
  FatBinary* binary = nullptr;
  std::string name;                          ///< mangled
  void** host_pointer = nullptr;             ///< of a managed variable: where the program keeps its address
  std::map<int, server::RangeReply> ranges;  ///< by device, once it is loaded there
};

class Modules {
 public:
  explicit Modules(DeviceConnection& device) : device_(device) {}

  FatBinary* add_fat_binary(const void* wrapper);
  void remove_fat_binary(FatBinary* binary);
  void add_kernel(FatBinary* binary, const void* host_function, const char* name);
  void add_variable(FatBinary* binary, const void* host_variable, const char* name);
  void add_managed_variable(FatBinary* binary, void** host_pointer, const char* name);

  /// The kernel of a host function, or of a handle, which is the Kernel's own address; not loaded.
  Kernel& find(const void* function);
  /// The same, loaded to the current device. Throws Failure when the device has no such kernel or cannot run
  /// it.
  Kernel& load(const void* function);
  /// The device as the program may ask about it: its compute capability is that of the newest architecture
  /// whose PTX runs, when all that the program carries is newer than the device.
  server::HelloReply described_device();
  /// The variable's place on the current device.
  const server::RangeReply& symbol(const void* host_variable);
  /// The place `offset` bytes into it, where `bytes` bytes must fit.
  void* place_in_symbol(const void* host_variable, std::size_t offset, std::size_t bytes);
  /// Tells the program the addresses of the binary's managed variables, which it then uses through `managed`.
  void place_managed_variables(FatBinary* binary, ManagedMemory& managed);
  /// Forgets what was loaded to the current device, after that was reset.
  void forget_loaded();

 private:
  std::uint64_t load(FatBinary& binary);
  void choose_architecture(FatBinary& binary);
  const server::RangeReply& locate(Variable& variable);

  DeviceConnection& device_;
  std::list<FatBinary> binaries_;
  std::unordered_map<const void*, std::shared_ptr<Kernel>> kernels_;  ///< each by host function and by handle
  std::unordered_map<const void*, Variable> variables_;
};

/// Blocks that a cluster of the kernel may have: 8 on every GPU that has clusters, more on some.
inline std::uint32_t most_cluster_blocks(const Kernel& kernel) { return kernel.large_clusters ? 16 : 8; }

/// Dynamic shared memory that a launch of the kernel may ask for.
std::uint64_t dynamic_shared_limit(const Kernel& kernel, const server::HelloReply& device);

}  // namespace lockstep::emulator::cudart
