// Notices when files are saved, whatever an editor does to save them: it may write into the file, or write
// another one and give it the file's name.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "sandbox/file_descriptor.h"

namespace lockstep::cli {

/// The kernel reports what happens in the files' folders (inotify(7)). It reports nothing of what another
/// machine does on a network file system, so sizes and times are looked at as well, each time that changed()
/// is called.
class WatchedFiles {
 public:
  WatchedFiles();

  /// What the file holds now is known; it may be missing.
  void add(const std::filesystem::path& file);
  /// The place in the order of add() of the file whose contents are others than they were when last asked; of
  /// several the one that was saved last. Not of one that is missing or has just become empty, as it
  /// is for a moment while it is saved.
  std::optional<std::size_t> changed();
  /// When the file was last written, in nanoseconds since 1970; 0 where it is missing.
  static std::int64_t time_of(const std::filesystem::path& file);
  /// Can be read when something has happened; negative where the kernel does not report it.
  int descriptor() const { return events_.get(); }

 private:
  /// What changes with every save, as far as the file system's clock can show it.
  struct Stamp {
    std::int64_t written = 0, changed = 0;  ///< nanoseconds
    ino_t number = 0;
    off_t bytes = 0;
    bool operator==(const Stamp&) const = default;
  };
  struct File {
    std::filesystem::path path;
    std::optional<Stamp> stamp;  ///< nothing while it is missing
    std::string contents;
    std::optional<Stamp> emptied;  ///< when it was found empty, which may be an editor about to write
  };

  static std::optional<Stamp> stamp_of(const std::filesystem::path& file);
  /// Whether the file holds something else now. `looks_closely`: though it has the same stamp.
  static bool has_changed(File& file, bool looks_closely);
  /// Whether the kernel has reported anything since it was last asked.
  bool has_events() const;

  sandbox::FileDescriptor events_;
  std::vector<File> files_;
};

}  // namespace lockstep::cli
