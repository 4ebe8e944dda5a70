// An unused user id, for a sandbox that has no namespaces of its own.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string_view>

namespace lockstep::sandbox {

/// A number that is a user and a group here, beyond those that a machine gives out, and another one for every
/// thread, of the first 2^22 on a machine and of as many as half of the numbers in a container. Nothing where
/// there are fewer than 4096 numbers, as in a container whose root is its only user. The maps are the texts
/// of /proc/self/uid_map and gid_map. Source: user_namespaces(7).
std::optional<uid_t> spare_user(std::string_view user_map, std::string_view group_map, pid_t thread);

/// The same for this process and thread. Throws std::system_error where the maps cannot be read.
std::optional<uid_t> spare_user();

}  // namespace lockstep::sandbox
