// What all parts of the emulated device speak of: addresses, errors, kernels, launches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/core/observations.h"

namespace lockstep::emulator {

/// An address in the device's generic address space. Never a host address: the range is one that Linux does
/// not map by itself, so that host code which dereferences it faults.
using DeviceAddress = std::uint64_t;

/// First and one-past-last address of global memory.
inline constexpr DeviceAddress kGlobalBegin = 0x2000'0000'0000;
inline constexpr DeviceAddress kGlobalEnd = 0x2400'0000'0000;

/// Windows of the generic address space besides global memory.
inline constexpr std::uint64_t kSharedWindow = 0x1000'0000'0000;
inline constexpr std::uint64_t kLocalWindow = 0x1100'0000'0000;
inline constexpr std::uint64_t kParameterWindow = 0x1200'0000'0000;
inline constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 32;
/// Every function of every module that was ever loaded has an address of its own.
inline constexpr std::uint64_t kFunctionBegin = 0x1300'0000'0000;
inline constexpr std::uint64_t kFunctionEnd = 0x2000'0000'0000;

/// cudaLimitMallocHeapSize of a program that does not set it.
inline constexpr std::size_t kDefaultHeapBytes = std::size_t{8} << 20;

/// What managed memory is aligned to, and moves in.
inline constexpr std::size_t kPageBytes = 4096;

/// What allocations are charged in: each begins a page from the end of the one before, and so do its shadows.
inline constexpr std::size_t kAllocationGranule = 4096;

/// Devices whose kernels are meant: bit d for device d. One Device serves as many devices as its owner tells
/// apart, as they share one address space; all that separates them is which memory a launch may reach.
using DeviceMask = std::uint32_t;
inline constexpr DeviceMask kEveryDevice = 0xFFFF'FFFF;

/// Where an allocation lies, and which devices' memory it is.
struct Placement {
  std::size_t alignment =
      512;  // cudaMalloc promises 256; textures of memory need cudaDeviceProp::textureAlignment
  DeviceMask devices = kEveryDevice;
  bool exchanged = false;  ///< with the host's own copy, around launches
};

struct DeviceProperties {
  std::string name = "Lockstep emulated device";
  int compute_major = 9;
  int compute_minor = 0;
  int multiprocessors = 4;
  int threads_per_block = 1024;
  int threads_per_multiprocessor = 2048;
  int warp_lanes = 32;
  std::size_t shared_bytes_per_block = 48 * 1024;
  std::size_t shared_bytes_per_block_optin = 227 * 1024;
  std::size_t shared_bytes_per_multiprocessor = 228 * 1024;
  std::size_t global_bytes = std::size_t{8} << 30;
  std::size_t constant_bytes = 64 * 1024;
  std::size_t l2_bytes = std::size_t{50} << 20;
  std::uint32_t registers_per_block = 65536;
};

struct DeviceOptions {
  DeviceProperties properties;
  unsigned workers = 0;    ///< threads that run blocks; 0 for one a processor core
  bool checks = true;      ///< find races and uninitialised reads (bounds and alignment are always checked)
  std::uint64_t seed = 0;  ///< order in which blocks and warps are taken; 0 keeps them in order
};

/// A request that the device refuses. `code` says which class, for the runtime to map to a cudaError_t.
class DeviceError : public std::runtime_error {
 public:
  enum class Code {
    out_of_memory,
    invalid_value,
    invalid_address,
    invalid_image,
    no_ptx,
    unknown_symbol,
    invalid_configuration,
    out_of_resources,
    unsupported
  };
  DeviceError(Code code, const std::string& message) : std::runtime_error(message), code_(code) {}
  Code code() const { return code_; }

 private:
  Code code_;
};

/// One that is a finding, should anybody be told of it. Its what() is for those who look after the grader.
class RefusedRequest : public DeviceError {
 public:
  RefusedRequest(Code code, Finding why, const std::string& message)
      : DeviceError(code, message), why_(std::move(why)) {}
  const Finding& why() const { return why_; }

 private:
  Finding why_;
};

struct Dim3 {
  std::uint32_t x = 1, y = 1, z = 1;
  std::uint64_t count() const { return std::uint64_t{x} * y * z; }
};

struct ParameterLayout {
  std::uint32_t offset = 0;  ///< bytes from the start of the parameter block
  std::uint32_t bytes = 0;
};

/// What the runtime has to know of a kernel: how to pack its arguments, and its attributes.
struct KernelInfo {
  std::string name;  ///< mangled
  std::vector<ParameterLayout> parameters;
  std::uint32_t parameter_bytes = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes = 0;  ///< a thread
  std::uint32_t registers = 0;    ///< a thread, an estimate from the widest live set, for occupancy queries
  std::uint32_t max_threads = 1024;
  bool uses_heap = false;                  ///< calls malloc or free
  std::array<std::uint32_t, 3> cluster{};  ///< blocks of one, as compiled; zeros: the launch decides
};

struct SymbolInfo {
  DeviceAddress address = 0;
  std::size_t bytes = 0;
};

/// Where in a kernel a block of the device's heap was asked for.
struct HeapOwner {
  std::string kernel;  ///< mangled
  SourceLine line;
  bool operator==(const HeapOwner&) const = default;
};

/// A block that a kernel has taken by malloc or new, and none has freed.
struct HeapBlock {
  DeviceAddress address = 0;
  std::uint64_t bytes = 0;
  HeapOwner owner;
};

/// What a module takes of memory: bytes of PTX text, of what is made of it, and of variables as their
/// allocations are charged.
struct ModuleBytes {
  std::size_t text = 0;
  std::size_t tree = 0;
  std::size_t variables = 0;
};

struct LaunchConfiguration {
  Dim3 grid, block;
  std::uint32_t dynamic_shared_bytes = 0;
  bool cooperative = false;         ///< all blocks must be resident together
  DeviceMask reach = kEveryDevice;  ///< devices whose memory the kernel may access
  Dim3 cluster{0, 0, 0};            ///< blocks of one; zeros: as the kernel was compiled
};

struct LaunchResult {
  enum class Status {
    ok,
    illegal_address,
    misaligned_address,
    illegal_instruction,
    assertion,
    launch_timeout,
    launch_failure,
    unsupported
  };
  Status status = Status::ok;
  std::string output;  ///< what printf on the device wrote, in block order
};

}  // namespace lockstep::emulator
