// A submission's source text, read once: what is compiled is what was read, whatever happens to the file
// meanwhile, and everything that quotes it later has it from here.
//
// What lies below the folder that somebody named is a stranger's: there no part may be a link, which would
// lead to whatever the judge may read, and the file itself must be a regular one. How one comes to that
// folder is the affair of who named it, and may lead over links.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <utility>
#include <variant>

namespace lockstep::build {

inline constexpr std::size_t kSourceBytesLimit = std::size_t{1} << 20;

/// Where a submission lies: a folder that was named, and the file below it.
class SubmissionFile {
 public:
  /// One that was named itself, which a path stands for: its folder may be reached over links, and the file
  /// may be none.
  SubmissionFile(const std::filesystem::path& file) : folder_(file.parent_path()), below_(file.filename()) {}
  SubmissionFile(std::filesystem::path folder, std::filesystem::path below)
      : folder_(std::move(folder)), below_(std::move(below)) {}

  const std::filesystem::path& folder() const { return folder_; }  ///< empty: the working directory
  const std::filesystem::path& below() const { return below_; }
  std::filesystem::path path() const { return folder_ / below_; }

 private:
  std::filesystem::path folder_, below_;
};

/// Why a file is no source text, in one sentence for the student.
struct Unreadable {
  std::string sentence;
  bool is_missing = false;  ///< there is no such file
};

std::variant<std::string, Unreadable> read_source(const SubmissionFile& file);

}  // namespace lockstep::build
