// The emulated device: memory, modules and launches of one CUDA device that runs PTX on the processor's
// cores.
//
// A Device is driven by one thread; a launch spreads its blocks over worker threads and returns when the grid
// has finished. Nothing that a kernel does ends the process: wild addresses, races and endless loops end as
// Findings. The device knows nothing of the grader, and nothing of the CUDA runtime's API: server/ and
// cudart/ stand between.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/box.h"
#include "emulator/image.h"
#include "emulator/observations.h"

namespace lockstep::emulator {

/// An address in the device's generic address space. Never a host address: the range is one that Linux does
/// not map by itself, so that host code which dereferences it faults.
using DeviceAddress = std::uint64_t;

/// First and one-past-last address of global memory.
inline constexpr DeviceAddress kGlobalBegin = 0x2000'0000'0000;
inline constexpr DeviceAddress kGlobalEnd = 0x2400'0000'0000;

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

class Device {
 public:
  using ModuleId = std::uint32_t;
  using KernelId = std::uint32_t;

  explicit Device(DeviceOptions options = {});
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;

  const DeviceProperties& properties() const;

  // --- global memory; all throw DeviceError::invalid_address when a range leaves its allocation ---

  /// A new allocation of exactly `bytes` bytes, contents uninitialised for the checks.
  DeviceAddress allocate(std::size_t bytes, std::string label = {}, const Placement& placement = {});
  /// Changes whose memory the allocation that begins at `address` is.
  void set_devices(DeviceAddress address, DeviceMask devices);
  void free(DeviceAddress address);
  void write(DeviceAddress to, std::span<const std::byte> bytes);
  /// `bytes` receives the contents; reading what was never written is allowed here.
  void read(DeviceAddress from, std::span<std::byte> bytes) const;
  void fill(DeviceAddress to, std::byte value, std::size_t bytes);
  // The same for parts of boxes, which must lie in one allocation as a whole and have a span (box.h).
  void write(const BoxPlace& to, const BoxShape& shape, std::uint64_t first,
             std::span<const std::byte> bytes);
  void read(const BoxPlace& from, const BoxShape& shape, std::uint64_t first,
            std::span<std::byte> bytes) const;
  void fill(const BoxPlace& to, const BoxShape& shape, const BoxPart& part, std::byte value);
  /// What was never written stays so in the copy, where both ends are aligned to words.
  void copy(const BoxPlace& to, const BoxPlace& from, const BoxShape& shape, const BoxPart& part);
  /// Makes the checks treat the range as never written, whatever it holds.
  void mark_uninitialised(DeviceAddress from, std::size_t bytes);
  /// For every page of kPageBytes that the range touches, whether something was written to it within the
  /// range.
  std::vector<bool> written_pages(DeviceAddress from, std::size_t bytes) const;
  /// Throws what a copy of the range would throw.
  void require(DeviceAddress address, std::size_t bytes) const;
  std::size_t free_bytes() const;
  /// Base and size of the allocation that holds `address`, if any.
  std::optional<SymbolInfo> allocation(DeviceAddress address) const;

  // --- the heap of kernels: malloc, free, new, delete ---

  /// Makes a heap of `bytes` bytes, once; a launch of a kernel that uses one makes it else, of
  /// kDefaultHeapBytes. Throws DeviceError::out_of_memory.
  void make_heap(std::size_t bytes);
  void remove_heap();
  /// Global memory that a heap of `bytes` bytes takes.
  static std::size_t heap_region_bytes(std::size_t bytes);
  /// Blocks that no kernel has freed, by address.
  std::vector<HeapBlock> heap_blocks() const;

  // --- texture and surface objects, which show memory that must outlive their use ---

  /// Throws DeviceError: invalid_value for a description that contradicts itself, invalid_address when the
  /// image leaves its allocation, out_of_resources.
  ImageHandle create_texture(const Image& image, const Sampler& sampler);
  ImageHandle create_surface(const Image& image);
  void destroy_image(ImageHandle handle);

  // --- modules ---

  /// Loads the PTX of a fat binary, or of several, one behind the other, which are linked: what `-rdc=true`
  /// makes of a program's files. Throws DeviceError: no_ptx, invalid_image; out_of_memory when it takes more
  /// than `most`.
  ModuleId load(std::span<const std::byte> fat_binaries, ModuleBytes most = {SIZE_MAX, SIZE_MAX, SIZE_MAX});
  /// Loads PTX text directly, for tests and benchmarks.
  ModuleId load_ptx(std::string_view text);
  void unload(ModuleId module);
  ModuleBytes module_bytes(ModuleId module) const;
  /// Throws DeviceError: unknown_symbol; unsupported with the first instruction that the device does not
  /// know, by name and source line.
  KernelId kernel(ModuleId module, std::string_view mangled_name);
  const KernelInfo& kernel_info(KernelId kernel) const;
  SymbolInfo symbol(ModuleId module, std::string_view mangled_name) const;

  // --- launches ---

  /// Runs the grid to its end. `parameters` is the packed parameter block of KernelInfo. Throws DeviceError
  /// for a configuration that hardware refuses too (invalid_configuration, out_of_resources).
  LaunchResult launch(KernelId kernel, const LaunchConfiguration& configuration,
                      std::span<const std::byte> parameters);

  /// Throws what launch would throw for this configuration.
  void check_launch(KernelId kernel, const LaunchConfiguration& configuration) const;

  /// Launches that run past this point of time are stopped with Status::launch_timeout and a finding that
  /// names the line where they were. Nothing means no limit.
  void set_deadline(std::optional<std::chrono::steady_clock::time_point> deadline);

  // --- observing ---

  /// Everything seen since the last call: counters by source line, and findings in the order they appeared,
  /// equal ones of several launches merged.
  Observations take_observations();
  /// Asks for the addresses of accesses at `file`:`line` to be recorded by following launches (each
  /// instruction's by the lowest warp of the lowest block that came there); they come back in
  /// Observations::traces. An empty suffix is any file's; line 0 ends it.
  void trace_line(std::string file_suffix, std::uint32_t line);

  /// Whether following launches show every store to all blocks at once, instead of having it missed once
  /// where nothing orders it.
  void show_stores_at_once(bool at_once);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lockstep::emulator
