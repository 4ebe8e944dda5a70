// Archives of submissions, which are hostile: links, paths that lead outside, bombs, and whatever a fault in
// libarchive would let them do. So a program in the sandbox opens them (unpacker_main.cpp).
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/entry_limits.h"

namespace lockstep::classroom {

/// Takes what an archive holds. Paths and texts are a stranger's, and so is what is refused.
class ArchiveReceiver {
 public:
  virtual ~ArchiveReceiver() = default;

  /// Whether the file at this path is asked for. Called of every file.
  virtual bool wants(std::string_view path) = 0;
  /// A file that is wanted.
  virtual void add(std::string_view path, std::string text) = 0;
  /// Something in a wanted file's place that is not read, and why: a sentence's end, such as "is a link".
  virtual void refuse(std::string_view path, const std::string& why) = 0;
  /// There is a file whose name cannot be read.
  virtual void unnamed() = 0;
  /// Nothing of the archive counts, and why.
  virtual void fail(const std::string& why) = 0;
};

/// Whether an archive's ending is known, such as .zip and .tar.gz.
bool is_archive(std::string_view name);
/// The ending of an archive's name, or nothing. Names that nothing else is left of have none.
std::string_view archive_ending(std::string_view name);
/// All that are known, in small letters.
std::vector<std::string> archive_endings();

/// Reads the files of a zip or tar archive that are called by one of `names`, or end with one that begins
/// with kAnyNameWith. Nothing is written to a disk. An archive that is broken, encrypted or beyond the limits
/// fails as a whole. Throws std::system_error where no sandbox can be started, std::runtime_error where
/// lockstep-unpacker is not there.
void read_archive(const std::filesystem::path& path, const std::vector<std::string>& names,
                  const EntryLimits& limits, ArchiveReceiver& found);
/// The same of an archive that is in memory.
void read_archive_text(std::string_view archive, const std::vector<std::string>& names,
                       const EntryLimits& limits, ArchiveReceiver& found);

}  // namespace lockstep::classroom
