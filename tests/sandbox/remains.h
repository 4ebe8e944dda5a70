// Looks for what a sandbox must not leave behind.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

/// Base class of tests that start processes: fails when this process has children, or the folder for
/// temporary files has scratch folders, that it did not have before the test. Orphans fall to this process
/// and count too.
class LeavesNothingBehind : public testing::Test {
 protected:
  LeavesNothingBehind() {
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    before_ = remains();
  }
  void TearDown() override { EXPECT_EQ(remains(), before_); }

  /// The living children of this process.
  static std::set<std::string> children() {
    while (waitpid(-1, nullptr, WNOHANG) > 0) continue;  // orphans that have ended
    std::set<std::string> found;
    for (const auto& thread : std::filesystem::directory_iterator("/proc/self/task")) {
      std::ifstream file(thread.path() / "children");
      for (std::string child; file >> child;) found.insert("process " + child);
    }
    return found;
  }

 private:
  static std::set<std::string> remains() {
    std::set<std::string> found = children();
    for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::temp_directory_path())) {
      const std::string name = entry.path().filename();
      if (name.starts_with("lockstep-scratch-")) found.insert(name);
    }
    return found;
  }

  std::set<std::string> before_;
};
