// What is found in one entry, whether that is a folder or an archive: which files count is decided here
// alone.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "classroom/submissions.h"

namespace lockstep::classroom {

class HandedIn {
 public:
  explicit HandedIn(const FileNames& names) : names_(names) {}

  /// Whether the text of a file at this path of the entry is asked for. Notes names that nobody knows.
  bool wants(std::string_view path);
  /// A file that is wanted.
  void add(std::string_view path, std::string text);
  /// Something in a wanted file's place that is not read, and why: a sentence's end, such as "is a link".
  void refuse(std::string_view path, const std::string& why);
  /// Nothing of the entry is graded, and why.
  void fail(const std::string& why);

  /// All that was found. Of two files of one exercise neither is taken.
  Entry result(const std::string& student) &&;

 private:
  const FileNames& names_;
  std::map<std::string, std::vector<std::string>> places_;  ///< by exercise
  std::map<std::string, std::string> files_, refused_;
  std::set<std::string> unknown_;
  std::string failure_;
};

}  // namespace lockstep::classroom
