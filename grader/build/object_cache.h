// Compiled objects on disk, found by the hash of everything that went into them. Several processes may share
// one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace lockstep::build {

class ObjectCache {
 public:
  struct Entry {
    std::filesystem::path object;
    std::string diagnostics;
  };

  /// Beyond `limit_bytes` the entries that were used longest ago go. Makes the folder; throws
  /// std::filesystem::filesystem_error.
  explicit ObjectCache(const std::filesystem::path& folder,
                       std::uintmax_t limit_bytes = std::uintmax_t{1} << 30);

  std::optional<Entry> find(const std::string& key) const;
  /// Takes copies. When another process stores the same key at the same time, both get the one that came
  /// first.
  Entry store(const std::string& key, const std::string& object, const std::string& diagnostics) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void drop_oldest() const;

  std::filesystem::path folder_;
  std::uintmax_t limit_bytes_;
};

}  // namespace lockstep::build
