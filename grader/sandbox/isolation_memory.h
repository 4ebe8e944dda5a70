// That namespaces worked, from one command to the next: finding out starts a sandbox and ends it, a tenth of
// a second on two busy cores, and every command would do it.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

namespace lockstep::sandbox {

/// What decides whether namespaces work: the boot, this process's user, namespaces, privileges and filters,
/// the kernel's limits, and the programs that make a sandbox. A line each.
std::string circumstances();

/// A file that holds the circumstances under which namespaces have worked. It cannot make a command run
/// without them: where it is wrong, a sandbox does not start.
class IsolationMemory {
 public:
  explicit IsolationMemory(std::filesystem::path file) : file_(std::move(file)) {}

  /// Whether they have under exactly the present circumstances.
  bool has_worked() const;
  /// Under the present circumstances. Where the file cannot be written, the next command finds out again.
  void keep() const;
  void forget() const;

 private:
  std::filesystem::path file_;
};

}  // namespace lockstep::sandbox
