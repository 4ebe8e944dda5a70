// Looks for what a sandbox must not leave behind.
#pragma once

#include <gtest/gtest.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "sandbox/temporary_folder.h"

/// Base class of tests that start processes: fails when this process has children, or the folder for
/// temporary files has scratch folders, that it did not have before the test. Orphans fall to this process
/// and count too. That folder is the test's own, since tests run side by side.
class LeavesNothingBehind : public testing::Test {
 protected:
  LeavesNothingBehind() {
    // A command that runs as another user must reach its scratch folder below.
    std::filesystem::permissions(temporary_.path(), std::filesystem::perms(0755));
    setenv("TMPDIR", temporary_.path().c_str(), 1);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    before_ = remains();
  }

  ~LeavesNothingBehind() override { unsetenv("TMPDIR"); }
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

  lockstep::sandbox::TemporaryFolder temporary_{std::filesystem::temp_directory_path(), "lockstep-test-"};
  std::set<std::string> before_;
};
