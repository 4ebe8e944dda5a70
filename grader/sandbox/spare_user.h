// A user that nobody is, for a sandbox that has no namespaces.
#pragma once

#include <sys/types.h>

#include <string_view>

namespace lockstep::sandbox {

/// A number that is a user and a group here, far from those that a machine gives out, and another one for
/// every `thread`; 0 where there are not enough of them, as in a container whose root is its only user.
/// `users` and `groups` are the texts of /proc/self/uid_map and gid_map. Source: user_namespaces(7).
uid_t spare_user(std::string_view users, std::string_view groups, pid_t thread);

/// The same for this process and thread.
uid_t spare_user();

}  // namespace lockstep::sandbox
