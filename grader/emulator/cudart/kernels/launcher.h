// Kernel launches, and the text that kernels print.
//
// A launch is checked at the call and runs when its turn comes. A fault then shows at the next call that asks
// the device, and printed text appears where hardware empties its buffer: at the next launch, at
// synchronisation and at blocking copies, and not at the end of a program that never synchronises.
#pragma once

#include <string>
#include <vector>

#include "emulator/cudart/device/device_connection.h"
#include "emulator/cudart/device/peers.h"
#include "emulator/cudart/kernels/modules.h"
#include "emulator/cudart/memory/unified_memory.h"
#include "emulator/cudart/streams/work.h"

namespace lockstep::emulator::cudart {

struct Configuration {
  dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
  dim3 cluster{0, 0, 0};  ///< blocks of one; zeros: as the kernel was compiled
};

class Launcher {
 public:
  Launcher(DeviceConnection& device, Modules& modules, UnifiedMemory& unified, const Peers& peers)
      : device_(device), modules_(modules), unified_(unified), peers_(peers) {}

  /// A launch with its arguments. Throws Failure for what hardware refuses at the call.
  KernelWork prepare(const void* function, const Configuration& configuration, void** arguments);
  /// As cudaLaunchKernelExC; attributes that only tune speed are passed over.
  KernelWork prepare(const cudaLaunchConfig_t& configuration, const void* function, void** arguments);
  /// Asks the device whether it would run this; a launch like the kernel's last one is known to be right.
  void check(Kernel& kernel, const server::LaunchRequest& wanted);

  /// Runs the grid to its end.
  void run(const KernelWork& work);

  /// Waits for the device. Throws Failure when a kernel has failed.
  void synchronise();
  /// Bytes of the heap that kernels take memory from. Cannot be changed once a kernel has used it.
  void set_heap_bytes(std::size_t bytes);
  /// The device has been reset.
  void forget_heap() { heap_used_ = false; }
  /// Writes printed text to the program's standard output.
  void print();

 private:
  DeviceConnection& device_;
  Modules& modules_;
  UnifiedMemory& unified_;
  const Peers& peers_;
  std::string printed_;
  std::size_t heap_bytes_ = kDefaultHeapBytes;
  bool heap_used_ = false;
};

/// The configurations between <<<…>>> and the launch inside the generated stub, of the calling thread.
std::vector<Configuration>& pushed_configurations();

}  // namespace lockstep::emulator::cudart
