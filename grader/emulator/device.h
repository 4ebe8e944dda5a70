// The emulated device: memory, modules and launches of one CUDA device that runs PTX on the processor's
// cores.
//
// A Device is driven by one thread; a launch spreads its blocks over worker threads and returns when the grid
// has finished. Nothing that a kernel does ends the process: wild addresses, races and endless loops end as
// Findings. The device knows nothing of the grader, and nothing of the CUDA runtime's API: server/ and
// cudart/ stand between.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/core/box.h"
#include "emulator/core/deadline.h"
#include "emulator/core/image.h"
#include "emulator/core/observations.h"
#include "emulator/core/types.h"

namespace lockstep::emulator {

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

  /// Launches that run past it, together with what the device has done since this call, are stopped with
  /// Status::launch_timeout and a finding that names the line where they were. Nothing means no limit.
  void set_deadline(std::optional<Deadline> deadline);

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
