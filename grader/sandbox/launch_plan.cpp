#include "sandbox/launch_plan.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <sstream>
#include <system_error>

#include "sandbox/keeper_protocol.h"
#include "sandbox/spawner.h"

namespace lockstep::sandbox {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKeeperInside = "/lockstep-keeper";

// Programs, libraries and headers that a compiler and its output need. Not all of /usr: a course that is
// installed below it must not be readable.
constexpr const char* kSystemFolders[] = {
    "/usr/bin",         "/usr/sbin",          "/usr/lib",          "/usr/lib32",     "/usr/lib64",
    "/usr/libx32",      "/usr/libexec",       "/usr/include",      "/usr/local/bin", "/usr/local/lib",
    "/usr/local/lib64", "/usr/local/libexec", "/usr/local/include"};
// Links into /usr on current distributions, folders on older ones.
constexpr const char* kRootFolders[] = {"/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
constexpr const char* kSystemFiles[] = {"/etc/ld.so.cache", "/etc/alternatives"};

bool is_executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

std::vector<std::string> keeper_arguments(const Command& command, const fs::path& keeper, uid_t user,
                                          const fs::path& working_directory) {
  const Limits& limits = command.limits;
  std::ostringstream inherited;
  for (const auto& [ours, theirs] : command.descriptors) inherited << theirs << ',';
  return {keeper,
          std::to_string(setup_descriptors(command).keeper_reports),
          std::to_string(setup_descriptors(command).system_calls),
          std::to_string(limits.processor_time.count()),
          std::to_string(limits.file_bytes),
          std::to_string(limits.processes),
          std::to_string(limits.open_files),
          std::to_string(user),
          working_directory,
          inherited.str()};
}

// bubblewrap makes the folders above a mount readable only by their owner, who need not be the command's
// user.
void add_parents(std::vector<std::string>& arguments, const fs::path& inside) {
  fs::path folder;
  for (const fs::path& part : inside.parent_path()) {
    folder /= part;
    if (folder.has_relative_path()) arguments.insert(arguments.end(), {"--dir", folder});
  }
}

void add_system_folders(std::vector<std::string>& arguments) {
  for (const char* folder : kSystemFolders) {
    add_parents(arguments, folder);
    arguments.insert(arguments.end(), {"--ro-bind-try", folder, folder});
  }
  for (const char* folder : kRootFolders) {
    std::error_code ignored;
    if (fs::is_symlink(folder, ignored)) {
      arguments.insert(arguments.end(), {"--symlink", fs::read_symlink(folder), folder});
    } else {
      arguments.insert(arguments.end(), {"--ro-bind-try", folder, folder});
    }
  }
  for (const char* file : kSystemFiles) {
    add_parents(arguments, file);
    arguments.insert(arguments.end(), {"--ro-bind-try", file, file});
  }
}

// A file of the host, as it is, or a copy in the sandbox's own memory where the command asks for that.
void add_file(LaunchPlan& plan, const Command& command, const Mount& file) {
  add_parents(plan.arguments, file.inside);
  std::error_code ignored;
  if (!command.own_files || !fs::is_regular_file(file.host, ignored)) {
    plan.arguments.insert(plan.arguments.end(),
                          {file.writable ? "--bind" : "--ro-bind", file.host, file.inside});
    return;
  }
  const auto number = setup_descriptors(command).first_copied + static_cast<int>(plan.copied.size());
  plan.arguments.insert(plan.arguments.end(),
                        {"--perms", "0555", "--file", std::to_string(number), file.inside});
  plan.copied.push_back(file.host);
}

void add_bubblewrap(LaunchPlan& plan, const Command& command, Mode mode, const fs::path& keeper) {
  const auto bubblewrap = find_bubblewrap();
  if (!bubblewrap) {
    throw std::system_error(ENOENT, std::generic_category(),
                            "bubblewrap is not installed (Debian and Ubuntu: package bubblewrap)");
  }
  const std::string scratch_bytes = std::to_string(command.limits.scratch_bytes);
  std::vector<std::string>& arguments = plan.arguments;
  arguments = {*bubblewrap,
               "--unshare-pid",
               "--unshare-ipc",
               "--unshare-net",
               "--unshare-uts",
               "--unshare-cgroup-try",
               "--hostname",
               "sandbox",
               "--die-with-parent",
               "--new-session",
               "--as-pid-1",
               "--info-fd",
               std::to_string(setup_descriptors(command).bubblewrap_reports),
               "--clearenv"};
  if (mode == Mode::own_user_namespace) {
    arguments.insert(arguments.end(),
                     {"--cap-drop", "ALL", "--cap-add", "CAP_SETUID", "--cap-add", "CAP_SETGID"});
  } else {
    const std::string user = std::to_string(kCommandUser);
    arguments.insert(arguments.end(), {"--unshare-user", "--disable-userns", "--uid", user, "--gid", user});
  }
  for (const auto& [name, value] : command.environment) {
    arguments.insert(arguments.end(), {"--setenv", name, value});
  }
  if (!command.environment.contains("TMPDIR")) {
    arguments.insert(arguments.end(), {"--setenv", "TMPDIR", "/tmp"});
  }
  if (!command.own_files) add_system_folders(arguments);
  arguments.insert(arguments.end(),
                   {"--proc", "/proc", "--dev", "/dev", "--perms", "1777", "--size", scratch_bytes, "--tmpfs",
                    "/tmp", "--perms", "1777", "--size", scratch_bytes, "--tmpfs", "/dev/shm"});
  add_file(plan, command, {keeper, kKeeperInside});
  for (const Mount& mount : command.mounts) add_file(plan, command, mount);
  for (const fs::path& node : command.device_nodes) {
    arguments.insert(arguments.end(), {"--dev-bind", node, node});
  }
  // The root and /dev are unbounded memory file systems that their user may write. /proc: when the judge is
  // root, so is the command outside its namespace, and /proc/sys checks only that: core_pattern would be the
  // way out. A GPU's driver writes to /proc/self, so with one only the kernel's own settings are out of
  // reach.
  if (command.device_nodes.empty()) {
    arguments.insert(arguments.end(), {"--remount-ro", "/proc"});
  } else {
    for (const char* settings : {"/proc/bus", "/proc/fs", "/proc/irq", "/proc/sys", "/proc/sysrq-trigger"}) {
      arguments.insert(arguments.end(), {"--ro-bind-try", settings, settings});
    }
  }
  // Names of keys, which a user sees of all of his.
  for (const char* keys : {"/proc/keys", "/proc/key-users"})
    arguments.insert(arguments.end(), {"--ro-bind-try", "/dev/null", keys});
  arguments.insert(arguments.end(), {"--remount-ro", "/dev", "--remount-ro", "/", "--"});
}

}  // namespace

std::optional<fs::path> find_bubblewrap() {
  std::vector<fs::path> folders{own_folder()};
  const char* variable = std::getenv("PATH");
  std::istringstream path(variable != nullptr ? variable : "/usr/bin:/bin");
  for (std::string folder; std::getline(path, folder, ':');) {
    if (!folder.empty()) folders.emplace_back(folder);
  }
  for (const fs::path& folder : folders) {
    if (is_executable(folder / "bwrap")) return fs::absolute(folder / "bwrap");
  }
  return std::nullopt;
}

SetupDescriptors setup_descriptors(const Command& command) {
  int first = STDERR_FILENO + 1;
  for (const auto& [ours, theirs] : command.descriptors) first = std::max(first, theirs + 1);
  return {first, first + 1, first + 2, first + 3};
}

LaunchPlan plan_launch(const Command& command, Mode mode, uid_t user, const fs::path& scratch) {
  const fs::path keeper = own_folder() / kKeeperName;
  for (const fs::path& program : {own_folder() / kSpawnerName, keeper}) {
    if (!is_executable(program)) throw std::system_error(ENOENT, std::generic_category(), program);
  }
  LaunchPlan plan;
  if (mode == Mode::limits_only) {
    for (const auto& [name, value] : command.environment) plan.environment.push_back(name + "=" + value);
    if (!command.environment.contains("TMPDIR")) plan.environment.push_back("TMPDIR=" + scratch.string());
  } else {
    add_bubblewrap(plan, command, mode, keeper);
    // A package brings bubblewrap's own libraries; bubblewrap clears the variable for what it starts.
    plan.environment.push_back("LD_LIBRARY_PATH=" +
                               (own_folder().parent_path() / "lib/third-party").string());
  }
  const bool in_scratch = mode == Mode::limits_only && command.working_directory == "/tmp";
  const auto of_keeper =
      keeper_arguments(command, mode == Mode::limits_only ? keeper : fs::path(kKeeperInside), user,
                       in_scratch ? scratch : command.working_directory);
  plan.arguments.insert(plan.arguments.end(), of_keeper.begin(), of_keeper.end());
  plan.arguments.insert(plan.arguments.end(), command.arguments.begin(), command.arguments.end());
  return plan;
}

std::optional<fs::path> closed_path(const Command& command) {
  std::vector<fs::path> paths{own_folder() / kKeeperName};
  for (const Mount& mount : command.mounts) paths.push_back(fs::absolute(mount.host));
  const auto allows = [](const fs::path& path, fs::perms wanted) {
    std::error_code error;
    return (fs::status(path, error).permissions() & wanted) == wanted && !error;
  };
  for (const fs::path& path : paths) {
    if (!allows(path, fs::perms::others_read)) return path;
    for (fs::path folder = path; folder.has_relative_path();) {
      folder = folder.parent_path();
      if (!allows(folder, fs::perms::others_exec)) return folder;
    }
  }
  return std::nullopt;
}

}  // namespace lockstep::sandbox
