// Starts programs by lockstep-spawner: children of the calling thread, for which none of the caller's memory
// is copied.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

namespace lockstep::sandbox {

/// What the child does to itself before it is the program; see spawner_protocol.h. Descriptors, -1 for none.
struct SpawnerPlan {
  int refusals = -1, group = -1, speaks = -1, listens = -1;
  std::vector<std::pair<int, int>> placement = {};  ///< ours, and the number under which the program gets it
};

/// Where the program that uses the library lies, and next to it those that it starts.
const std::filesystem::path& own_folder();
inline constexpr const char* kSpawnerName = "lockstep-spawner";

/// Starts `arguments`, of which the first is the program's absolute path. Throws std::system_error when the
/// spawner cannot be started.
pid_t spawn(const SpawnerPlan& plan, const std::vector<std::string>& arguments,
            std::vector<std::string> environment);

}  // namespace lockstep::sandbox
