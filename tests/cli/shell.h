// Runs a command line as a user types it, and takes what it prints.
#pragma once

#include <filesystem>
#include <string>

namespace lockstep::test {

struct Ran {
  int status = 0;
  std::string output;  ///< standard output; add 2>&1 to the command for both
};

/// Runs `command` in a shell.
Ran run(const std::string& command);

/// Fills `folder` with links to what the clone `source` holds: the same course with progress of its own.
void link_course(const std::filesystem::path& source, const std::filesystem::path& folder);

/// All bytes of a file; none where there is none.
std::string contents_of(const std::filesystem::path& path);

/// A new folder below the system's temporary one, removed with everything in it at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  /// Writes a file below the folder, with missing folders in between.
  void write(const std::string& name, const std::string& contents, bool executable = false) const;

 private:
  std::filesystem::path path_;
};

}  // namespace lockstep::test
