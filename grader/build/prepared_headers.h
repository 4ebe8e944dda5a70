// What nvcc's passes make of cuda_runtime.h, with which every file of CUDA begins, made once, while Lockstep
// is built. A compilation then reads only what a submission adds (docs/decisions/0035-prepared-headers.md).
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "build/toolkit.h"

namespace lockstep::build {

/// The virtual architecture whose PTX every object carries; the emulated device runs it.
inline constexpr int kVirtualArchitecture = 90;

/// <cmath>, which CUDA's headers include, has the special functions of C++17 (std::beta, std::riemann_zeta
/// and 19 others) and the headers that these need, which is a third of nvcc's time. This leaves them out: it
/// is the guard of that part in libstdc++.
inline constexpr const char* kNoSpecialFunctions = "-D_GLIBCXX_BITS_SPECFUN_H=1";

/// lib/ beside this program's bin/, where a build leaves what it made for compilers.
std::filesystem::path library_folder();

/// PTX of the one virtual architecture for the emulated device, and native code for the GPU that is present:
/// of the same PTX, where the GPU can run it, so that what was checked is what runs.
std::vector<std::string> architecture_flags(std::optional<int> native);

/// How nvcc compiles submissions, but for files and folders. `native` as in compile_submission().
std::vector<std::string> compiler_flags(std::optional<int> native);

/// Which file it is: path, size and time of its last change; "" where there is none.
std::string stamp_of_file(const std::filesystem::path& file);

/// Which g++ would run, without running it.
std::string host_compiler_stamp();

/// What this nvcc said of its version while the headers were prepared, which saves asking it in each command;
/// nothing where it was another one.
std::optional<std::string> known_version(const std::filesystem::path& nvcc);

/// Leaves in `folder` what the host compiler there, gcc (gcc.sh), needs beside itself. Throws
/// std::runtime_error when nvcc cannot compile an empty file with it.
void prepare_headers(const std::filesystem::path& folder);

/// The folder with that host compiler, headers/ of library_folder(); none where prepare_headers()
/// did not fill it, or where toolkit, g++ or flags are others by now.
std::optional<std::filesystem::path> prepared_headers(const Toolkit& toolkit);

}  // namespace lockstep::build
