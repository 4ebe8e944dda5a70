// What the tests of all case studies need of files and of errors.
#pragma once

#include <gtest/gtest.h>

#include <exception>
#include <filesystem>
#include <functional>
#include <string>

#include "shell.h"

namespace lockstep::test {

/// What the exception says; "no error" where there is none.
inline std::string error_of(const std::function<void()>& what) {
  try {
    what();
  } catch (const std::exception& error) {
    return error.what();
  }
  return "no error";
}

/// A folder for each test.
class StudyFiles : public testing::Test {
 protected:
  /// Returns the file's path.
  std::string write(const std::string& name, const std::string& contents) const {
    temporary_.write(name, contents);
    return (folder_ / name).string();
  }
  /// What an error of a file says behind its path.
  std::string without_path(const std::string& error, const std::string& name) const {
    const std::string path = (folder_ / name).string();
    return error.starts_with(path) ? error.substr(path.size()) : error;
  }

  TemporaryFolder temporary_;
  const std::filesystem::path& folder_ = temporary_.path();
};

}  // namespace lockstep::test
