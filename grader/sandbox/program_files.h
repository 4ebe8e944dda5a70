// The shared libraries that a program of ours needs, for a sandbox that has no other files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "sandbox/sandbox.h"

namespace lockstep::sandbox {

/// Where the libraries of library_mounts are seen; a command that uses them names it in LD_LIBRARY_PATH.
inline constexpr const char* kLibrariesInside = "/lockstep/lib";

/// The dynamic linker at its own path, and every library that `objects` need, once, in kLibrariesInside.
/// `objects` are programs and libraries that are trusted: the linker maps them to find out. Throws
/// std::system_error when it cannot be asked, std::runtime_error when a library is missing.
std::vector<Mount> library_mounts(const std::vector<std::filesystem::path>& objects);

}  // namespace lockstep::sandbox
