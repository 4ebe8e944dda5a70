// Runs a program built by nvcc on a fresh emulated device, as `lockstep emulate` does.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "emulator/server/device_process.h"

namespace lockstep::emulator::server {

struct EmulateOptions {
  DeviceProcess::Options device;
  std::filesystem::path cudart_directory;  ///< folder of the replacement CUDA runtime
  std::filesystem::path program;
  std::vector<std::string> arguments;  ///< the program's, without its name
  /// A finding in words, as whole lines: whoever runs the program knows how to tell it.
  std::function<std::string(const Finding&)> text_of;
  struct Trace {
    std::string file;  ///< its path's end; empty for every file
    std::uint32_t line = 0;
  };
  std::optional<Trace> trace;  ///< whose accesses to memory are recorded
  /// Kernels are stopped when the program has run for so long.
  std::optional<std::chrono::milliseconds> time_limit{};
};

/// The program keeps the standard streams and the terminal; what the device found is printed on stderr
/// afterwards. Returns the program's exit status, or 128 + the signal that ended it; 2 when it cannot be run
/// on the emulated device, 3 when the device failed.
int emulate(const EmulateOptions& options);

/// As above. `seen` becomes what the device saw, unless the program did not run or left a kernel running.
int emulate(const EmulateOptions& options, std::optional<Observations>& seen);

}  // namespace lockstep::emulator::server
