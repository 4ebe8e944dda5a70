// A new empty folder that is removed, with all that is in it, when its owner goes.
#pragma once

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>

namespace lockstep::sandbox {

class TemporaryFolder {
 public:
  /// Makes a folder below `parent` whose name starts with `prefix`. Throws std::system_error.
  TemporaryFolder(const std::filesystem::path& parent, const std::string& prefix) {
    std::string name = parent / (prefix + "XXXXXX");
    if (mkdtemp(name.data()) == nullptr) {
      throw std::system_error(errno, std::generic_category(), "mkdtemp " + name);
    }
    path_ = name;
  }
  ~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace lockstep::sandbox
