// The CUDA Toolkit of this machine.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/sandbox.h"

namespace lockstep::build {

/// The oldest toolkit that the course works with.
inline constexpr int kOldestToolkitMajor = 12, kOldestToolkitMinor = 4;

struct Toolkit {
  std::filesystem::path nvcc;     ///< without links
  std::filesystem::path root;     ///< folder that holds bin/nvcc
  std::filesystem::path library;  ///< folder with libcudart.so; empty when the linker finds it by itself
  int major = 0, minor = 0;
  std::string version;  ///< as nvcc says it, such as "13.0, V13.0.88"
};

/// The first usable toolkit of CUDA_HOME, CUDA_PATH, PATH, /usr/local/cuda and /opt/cuda, looked for once.
/// Throws std::runtime_error with one sentence and the remedy when there is none, or none new enough.
const Toolkit& find_toolkit();

/// The library libcupti of a toolkit, without links; its companions lie beside it. Throws std::runtime_error
/// with one sentence and the remedy when there is none.
std::filesystem::path find_cupti(const Toolkit& toolkit);

/// What a sandboxed compiler needs of it besides the system's folders.
std::vector<sandbox::Mount> toolkit_mounts(const Toolkit& toolkit);

}  // namespace lockstep::build
