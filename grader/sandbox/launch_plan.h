// How a command is started: the whole command line with bubblewrap and the keeper before the command's own
// words, or, without namespaces, with the keeper alone.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/sandbox.h"

namespace lockstep::sandbox {

/// "nobody", inside; outside too when the supervisor has made the user namespace.
inline constexpr uid_t kCommandUser = 65534;

/// Numbers of the descriptors that bubblewrap and the keeper use: above everything the command inherits.
struct SetupDescriptors {
  int keeper_reports = -1;
  int system_calls = -1;  ///< the keeper reads their filter from it
  int bubblewrap_reports = -1;
  int first_copied = -1;  ///< bubblewrap reads LaunchPlan::copied from it and those after it
};
SetupDescriptors setup_descriptors(const Command& command);

/// The keeper's program, in the folder of the others.
inline constexpr const char* kKeeperName = "lockstep-keeper";
/// Beside our programs or on PATH.
std::optional<std::filesystem::path> find_bubblewrap();

struct LaunchPlan {
  std::vector<std::string> arguments;         ///< program first, an absolute path
  std::vector<std::string> environment;       ///< NAME=value
  std::vector<std::filesystem::path> copied;  ///< files of the host that the command gets copies of
};

/// How much of the sandbox the machine gives.
enum class Mode {
  namespaces,          ///< bubblewrap makes all of them
  own_user_namespace,  ///< for root: as before, but in a user namespace that the supervisor has made
  limits_only,         ///< no namespaces
};

/// `scratch` is the command's /tmp when there are no namespaces, `user` the one it runs as, 0 for the judge's
/// own. Throws std::system_error when the spawner, the keeper or bubblewrap is not installed.
LaunchPlan plan_launch(const Command& command, Mode mode, uid_t user, const std::filesystem::path& scratch);

/// What keeps a command from running as another user without namespaces: a path among the keeper and the
/// mounts that not everybody may read, or a folder above it that not everybody may pass.
std::optional<std::filesystem::path> closed_path(const Command& command);

}  // namespace lockstep::sandbox
