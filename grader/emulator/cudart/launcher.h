// Kernel launches, and the text that kernels print.
//
// A launch runs to its end on the device before the call returns. To the program it looks asynchronous all
// the same: the launch succeeds when its configuration does, a fault shows at the next call that asks the
// device, and printed text appears where hardware empties its buffer: at the next launch, at synchronisation
// and at blocking copies, and not at the end of a program that never synchronises.
#pragma once

#include <string>
#include <vector>

#include "emulator/cudart/device_connection.h"
#include "emulator/cudart/modules.h"
#include "emulator/cudart/unified_memory.h"

namespace lockstep::cudart {

struct Configuration {
  dim3 grid{1, 1, 1}, block{1, 1, 1};
  std::size_t shared_bytes = 0;
  cudaStream_t stream = nullptr;
  bool cooperative = false;
};

class Launcher {
 public:
  Launcher(DeviceConnection& device, Modules& modules, UnifiedMemory& unified)
      : device_(device), modules_(modules), unified_(unified) {}

  void launch(const void* function, const Configuration& configuration, void** arguments);
  /// As cudaLaunchKernelExC; attributes that only tune speed are passed over.
  void launch(const cudaLaunchConfig_t& configuration, const void* function, void** arguments);

  /// Waits for the device. Throws Failure when a kernel has failed.
  void synchronise();
  /// Writes printed text to the program's standard output.
  void print();

 private:
  DeviceConnection& device_;
  Modules& modules_;
  UnifiedMemory& unified_;
  std::string printed_;
};

/// The configurations between <<<…>>> and the launch inside the generated stub, of the calling thread.
std::vector<Configuration>& pushed_configurations();

}  // namespace lockstep::cudart
