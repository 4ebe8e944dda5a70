// What is found in one entry, whether that is a folder or an archive: which files count is decided here
// alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/archive.h"
#include "classroom/submissions.h"

namespace lockstep::classroom {

/// A file as far as it is read, or why it is not: a sentence's end.
struct FileBeginning {
  std::optional<std::string> text;
  std::int64_t modified = 0;  ///< seconds since 1970
  std::string why;
};

/// Up to `most` bytes of a regular file, and of no link.
FileBeginning read_beginning(const std::filesystem::path& path, std::size_t most);

/// When a file was last modified, in seconds since 1970; nothing where it is not there.
std::optional<std::int64_t> modified(const std::filesystem::path& path);

class HandedIn : public ArchiveReceiver {
 public:
  explicit HandedIn(const FileNames& names) : names_(names) {}

  /// Also notes names that nobody knows.
  bool wants(std::string_view path) override;
  void add(std::string_view path, std::string text) override;
  void refuse(std::string_view path, const std::string& why) override;
  /// It may be any exercise's, so that nothing of the entry is graded.
  void unnamed() override;
  /// Reads a wanted file from a disk, up to `most` bytes, and adds or refuses it.
  void take(std::string_view place, const std::filesystem::path& path, std::size_t most);
  /// Of files that are added from now on: when the archive that they are in was modified.
  void set_file_time(std::optional<std::int64_t> time);
  /// Nothing of the entry is graded.
  void fail(const std::string& why) override;

  /// All that was found. Of two files of one exercise neither is taken.
  Entry result(const std::string& student) &&;

 private:
  const FileNames& names_;
  std::map<std::string, std::vector<std::string>> places_;  ///< by exercise
  std::map<std::string, std::string> files_, refused_;
  std::set<std::string> unknown_;
  std::map<std::string, HandIn> hand_ins_;
  std::optional<std::int64_t> archive_time_;
  std::string failure_;
};

}  // namespace lockstep::classroom
