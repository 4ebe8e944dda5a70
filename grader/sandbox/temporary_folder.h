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
    std::error_code error;
    std::filesystem::remove_all(path_, error);
    if (!error) return;
    // A submission may have taken away the rights to its folders.
    make_writable(path_);
    std::filesystem::remove_all(path_, error);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  static void make_writable(const std::filesystem::path& folder) {
    namespace fs = std::filesystem;
    std::error_code ignored;
    fs::permissions(folder, fs::perms::owner_all, fs::perm_options::add | fs::perm_options::nofollow,
                    ignored);
    for (const auto& entry : fs::directory_iterator(folder, ignored)) {
      if (entry.is_directory(ignored) && !entry.is_symlink(ignored)) make_writable(entry.path());
    }
  }

  std::filesystem::path path_;
};

}  // namespace lockstep::sandbox
