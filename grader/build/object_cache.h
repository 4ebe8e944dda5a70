// Compiled objects on disk, found by the hash of everything that went into them. Several processes of one
// user may share a cache.
//
// Whoever can write here could put another object in the place of a student's, so the folder is its user's
// alone: made so, checked each time, and refused when it is a link or belongs to somebody else. The sum that
// lies beside an object reveals damage and carries no key: whoever may write here runs as this user, and
// would read the key, too, or replace the judge; a sandbox sees nothing of this folder but the one object.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "sandbox/file_descriptor.h"

namespace lockstep::build {

class ObjectCache {
 public:
  struct Entry {
    std::filesystem::path object;
    std::string diagnostics;
  };

  /// Beyond `limit_bytes` the entries that were used longest ago go. Makes the folder, and removes what
  /// processes that were killed have left there, unless another one is at work; throws std::runtime_error
  /// when there can be no folder, or none of this user's own.
  explicit ObjectCache(const std::filesystem::path& folder,
                       std::uintmax_t limit_bytes = std::uintmax_t{1} << 30);

  std::optional<Entry> find(const std::string& key) const;
  /// Takes copies. When another process stores the same key at the same time, both get the one that came
  /// first.
  Entry store(const std::string& key, const std::string& object, const std::string& diagnostics) const;

  const std::filesystem::path& folder() const { return folder_; }

 private:
  void drop_oldest() const;

  void remove_remains() const;

  std::filesystem::path folder_;
  /// Of the folder, locked for as long as this object lives: shared, so that nobody takes what is being made
  /// for remains.
  sandbox::FileDescriptor lock_;
  std::uintmax_t limit_bytes_;
};

}  // namespace lockstep::build
