// The launcher on machines that lack something, made of folders with a few programs in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>

#include "sandbox/temporary_folder.h"
#include "shell.h"

namespace lockstep::test {
namespace {

using testing::HasSubstr;
using testing::Not;

/// A copy of the launcher, and a PATH that holds only the programs that a test puts there.
class Launcher : public testing::Test {
 protected:
  Launcher() {
    namespace fs = std::filesystem;
    for (const char* name : {"lockstep", "cmake/packages.txt"}) {
      fs::create_directories((machine_.path() / "course" / name).parent_path());
      fs::copy_file(fs::path(LOCKSTEP_SOURCE) / name, machine_.path() / "course" / name);
    }
    for (const char* tool : {"bash", "env", "readlink", "dirname", "basename", "mkdir", "flock", "cksum",
                             "head", "grep", "sed", "sort", "cut", "cat", "tail"}) {
      const std::string found = run(std::string("command -v ") + tool).output;
      provide(tool, "#!/bin/sh\nexec " + found.substr(0, found.find('\n')) + " \"$@\"\n");
    }
  }

  void provide(const std::string& program, const std::string& script) {
    machine_.write("bin/" + program, script, true);
  }
  void provide_toolkit(const std::string& version) {
    machine_.write("usr/local/cuda/bin/nvcc",
                   "#!/bin/sh\necho 'Cuda compilation tools, release " + version + ", V" + version + ".1'\n",
                   true);
  }
  void provide_compiler(int major) { provide("g++", "#!/bin/sh\necho " + std::to_string(major) + "\n"); }

  /// A machine without any package, where whoever asks may install them, which leaves the file `installed`.
  void provide_packager() {
    provide("dpkg-query", "#!/bin/sh\nexit 0\n");
    provide("sudo", "#!/bin/sh\nshift\nexec \"$@\"\n");
    provide("apt-get", "#!/bin/sh\n: >'" + machine_.path().string() +
                           "/installed'\necho 'Setting up libcli11-dev (2.3.1+ds-2) ...'\n");
  }

  /// In place of CMake and ninja: notes what CMake is asked for and makes what the launcher then runs.
  void provide_build() {
    provide("cmake", R"(#!/bin/bash
[[ $1 == --version ]] && { echo "cmake version 3.25.1"; exit; }
echo "$*" >>"$2/asked"
mkdir -p "$2/build/release/bin"
echo >"$2/build/release/build.ninja"
/bin/cp /bin/true "$2/build/release/bin/lockstep"
)");
    provide("ninja", "#!/bin/sh\n");
  }
  std::ptrdiff_t configurations() {
    const std::string asked = run("cat '" + machine_.path().string() + "/course/asked'").output;
    return std::count(asked.begin(), asked.end(), '\n');
  }

  Ran launch(const std::string& arguments, const std::string& variables = "") {
    const std::string machine = machine_.path().string();
    return run("cd / && env -i PATH='" + machine + "/bin' LOCKSTEP_SYSTEM_ROOT='" + machine + "' " +
               variables + " '" + machine + "/course/lockstep' " + arguments + " 2>&1");
  }

  TemporaryFolder machine_;
};

TEST_F(Launcher, NoToolkitIsOneSentenceWithTheRemedy) {
  provide_compiler(12);
  const Ran ran = launch("list");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, testing::StartsWith("lockstep: there is no CUDA Toolkit"));
  EXPECT_THAT(ran.output, HasSubstr("https://developer.nvidia.com/cuda-downloads"));
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
}

TEST_F(Launcher, OldToolkitIsNamedWithItsVersion) {
  provide_toolkit("11.8");
  const Ran ran = launch("list");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("11.8"));
  EXPECT_THAT(ran.output, HasSubstr("needs 12.4 or newer"));
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
}

TEST_F(Launcher, VersionsAreComparedAsNumbers) {
  provide_toolkit("12.10");
  provide_compiler(9);
  EXPECT_THAT(launch("list").output, Not(HasSubstr("CUDA Toolkit")));
}

TEST_F(Launcher, NoCompilerIsOneSentenceWithTheRemedy) {
  provide_toolkit("13.0");
  provide_compiler(9);
  const Ran ran = launch("list");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("there is no C++20 compiler"));
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
}

TEST_F(Launcher, OldCmakeIsNamedWithItsVersion) {
  provide_toolkit("13.0");
  provide_compiler(12);
  provide("cmake", "#!/bin/sh\necho 'cmake version 3.22.1'\n");
  const Ran ran = launch("list");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("CMake is 3.22.1"));
}

TEST_F(Launcher, MissingPackagesAreOneLineToTypeWithoutRights) {
  provide_toolkit("13.0");
  provide_compiler(12);
  provide("dpkg-query", "#!/bin/sh\nexit 0\n");
  provide("apt-get", "#!/bin/sh\nexit 1\n");
  // As root the launcher tries to install and reports that apt-get could not; as anybody else it asks.
  const Ran ran = launch("list");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("sudo apt-get install -y "));
  EXPECT_THAT(ran.output, HasSubstr("libcli11-dev"));
  EXPECT_THAT(ran.output, Not(HasSubstr("doxygen")));
}

TEST_F(Launcher, TestsAskForABrowserWhereThePackageIsNoSnap) {
  provide_toolkit("13.0");
  provide_compiler(12);
  provide_packager();
  for (const char* distribution : {"debian", "ubuntu"}) {
    machine_.write("etc/os-release", std::string("NAME=any\nID=") + distribution + "\n");
    const Ran ran = launch("test", "LOCKSTEP_NO_INSTALL=1");
    EXPECT_EQ(ran.status, 3);
    EXPECT_THAT(ran.output, HasSubstr(" doxygen "));
    const bool asks = ran.output.find(" chromium") != std::string::npos;
    EXPECT_EQ(asks, std::string(distribution) == "debian") << ran.output;
  }
  EXPECT_THAT(launch("list", "LOCKSTEP_NO_INSTALL=1").output, Not(HasSubstr("chromium")));
}

TEST_F(Launcher, InstallsNothingWhereThatIsForbidden) {
  provide_toolkit("13.0");
  provide_compiler(12);
  provide_packager();
  const Ran ran = launch("list", "LOCKSTEP_NO_INSTALL=1");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("Type: sudo apt-get update && sudo apt-get install -y "));
  EXPECT_THAT(ran.output, HasSubstr("libcli11-dev"));
  EXPECT_EQ(std::count(ran.output.begin(), ran.output.end(), '\n'), 1) << ran.output;
  EXPECT_FALSE(std::filesystem::exists(machine_.path() / "installed"));
}

TEST_F(Launcher, SaysWhatItInstallsAndHowLongItBuildsBeforeEither) {
  provide_toolkit("13.0");
  provide_compiler(12);
  provide_packager();
  provide_build();
  provide("ninja", "#!/bin/sh\necho '[1/40] Building first'\necho '[40/40] Linking last'\n");
  const Ran ran = launch("list");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(std::filesystem::exists(machine_.path() / "installed"));
  std::size_t from = 0;
  for (const char* said :
       {"builds the grader: about ", "installing with apt-get", " libcli11-dev", "\n",
        "installed libcli11-dev\n", "configuring the build", "building: 1 of 40\n", "building: 40 of 40\n"}) {
    const std::size_t found = ran.output.find(said, from);
    ASSERT_NE(found, std::string::npos) << said << " in its turn in\n" << ran.output;
    from = found + 1;
  }
}

TEST_F(Launcher, AProcessorOfAnotherKindIsConfiguredForOnce) {
  provide_toolkit("13.0");
  provide_compiler(12);
  provide_build();
  for (const char* flags : {"avx2", "avx2 avx512f", "avx2"}) {
    machine_.write("proc/cpuinfo", std::string("processor : 0\nflags : ") + flags + "\n");
    EXPECT_EQ(launch("list").status, 0);
  }
  EXPECT_EQ(configurations(), 2);
}

TEST_F(Launcher, DoctorWorksBeforeAnythingIsBuilt) {
  const Ran ran = launch("doctor");
  EXPECT_EQ(ran.status, 3);
  for (const char* row : {"CUDA Toolkit", "compiler", "CMake"})
    EXPECT_THAT(ran.output, HasSubstr(std::string("✗ ") + row));
}

TEST_F(Launcher, CompilersOfTheBuildUseLargePages) {
  provide_toolkit("13.0");
  provide_compiler(12);
  provide_build();
  // It makes the library at first, and notes what is preloaded into what it starts.
  provide("ninja",
          "#!/bin/bash\nlibrary=$2/lib/liblockstep_large_pages.so\n"
          "if [[ $3 == lockstep_large_pages ]]; then\n  mkdir -p \"$2/lib\"\n  : >\"$library\"\n"
          "elif [[ $LD_PRELOAD ]]; then\n  [[ $LD_PRELOAD == \"$library\" ]] && : >\"$2/preloaded\"\nfi\n");
  EXPECT_EQ(launch("list").status, 0);
  const std::string machine = machine_.path().string();
  EXPECT_FALSE(std::filesystem::exists(machine + "/course/build/release/lib"))
      << "the loader would take a path with blanks for several";

  const sandbox::TemporaryFolder plain(std::filesystem::temp_directory_path(), "lockstep-launcher-");
  const std::string course = plain.path().string() + "/course";
  const Ran ran = run("cp -r '" + machine + "/course' '" + course + "' && rm -r '" + course +
                      "/build' && cd / && " + "env -i PATH='" + machine + "/bin' LOCKSTEP_SYSTEM_ROOT='" +
                      machine + "' '" + course + "/lockstep' list 2>&1");
  EXPECT_EQ(ran.status, 0) << ran.output;
  EXPECT_TRUE(std::filesystem::exists(course + "/build/release/preloaded"));
}

TEST_F(Launcher, AFolderThatWasMovedIsConfiguredAnew) {
  provide_toolkit("13.0");
  provide_compiler(12);
  provide_build();
  EXPECT_EQ(launch("list").status, 0);
  EXPECT_EQ(launch("list").status, 0);
  EXPECT_EQ(configurations(), 1);
  std::filesystem::rename(machine_.path() / "course", machine_.path() / "elsewhere");
  std::filesystem::create_directory_symlink(machine_.path() / "elsewhere", machine_.path() / "course");
  EXPECT_EQ(launch("list").status, 0);
  EXPECT_EQ(configurations(), 2);
  EXPECT_THAT(run("tail -n 1 '" + machine_.path().string() + "/course/asked'").output, HasSubstr("--fresh"));
}

TEST_F(Launcher, ACourseThatMayOnlyBeReadRunsWhatItsOwnerBuiltThere) {
  const std::string user = geteuid() == 0 ? "setpriv --reuid=65534 --regid=65534 --clear-groups " : "";
  const std::string course = machine_.path().string() + "/course", build = course + "/build";
  run("chmod 755 '" + machine_.path().string() + "' '" + course + "' '" + course + "/lockstep'");
  if (run(user + "test -x '" + course + "/lockstep' 2>&1").status != 0)
    GTEST_SKIP() << "another user cannot look into the folder of temporary files";
  const auto list = [&](const std::string& prepared) {
    if (!prepared.empty()) {
      machine_.write("course/build/release/bin/lockstep", "#!/bin/sh\necho \"ran $*\"\n", true);
      machine_.write("course/build/release/.prepared", prepared);
    }
    run("mkdir -p '" + build + "'; chmod -R a+rX,a-w '" + course + "'");
    Ran ran = run(user + "'" + course + "/lockstep' list 2>&1");
    run("chmod -R u+w '" + course + "'");
    return ran;
  };
  for (const char* prepared : {"", "in /another/place toolkit\n"}) {
    const Ran not_built = list(prepared);
    EXPECT_EQ(not_built.status, 3) << prepared;
    EXPECT_THAT(not_built.output, HasSubstr("this course is not built in " + course)) << prepared;
  }
  const Ran built = list("in " + course + " toolkit\n");
  EXPECT_EQ(built.status, 0);
  EXPECT_EQ(built.output, "ran list\n");
}

TEST_F(Launcher, WhatWasFoundCountsAndNotTheVariable) {
  provide_toolkit("13.0");
  provide_compiler(12);
  provide_build();
  EXPECT_EQ(launch("list").status, 0);
  const std::string toolkit = machine_.path().string() + "/usr/local/cuda";
  EXPECT_EQ(launch("list", "CUDA_HOME='" + toolkit + "'").status, 0);
  EXPECT_EQ(configurations(), 1);
  std::filesystem::copy(toolkit, machine_.path() / "another", std::filesystem::copy_options::recursive);
  EXPECT_EQ(launch("list", "CUDA_HOME='" + machine_.path().string() + "/another'").status, 0);
  EXPECT_EQ(configurations(), 2);
}

TEST_F(Launcher, SaysThatItWaitsOnlyWhereThatTakesLong) {
  provide_toolkit("13.0");
  provide_compiler(12);
  provide_build();
  EXPECT_EQ(launch("list").status, 0);
  const auto launch_while_locked = [&](const std::string& seconds) {
    run("flock '" + machine_.path().string() + "/course/build/.lock' sleep " + seconds +
        " > /dev/null 2>&1 & sleep 0.3");
    return launch("list");
  };
  const Ran at_once = launch_while_locked("1");
  EXPECT_EQ(at_once.status, 0);
  EXPECT_EQ(at_once.output, "") << "another one only looked whether anything is stale";
  const Ran later = launch_while_locked("6");
  EXPECT_EQ(later.status, 0);
  EXPECT_THAT(later.output, HasSubstr("waiting for another lockstep that is building"));
}

TEST_F(Launcher, WorksThroughASymbolicLink) {
  std::filesystem::create_symlink(machine_.path() / "course/lockstep", machine_.path() / "bin/lockstep");
  const std::string machine = machine_.path().string();
  const Ran ran =
      run("env -i PATH='" + machine + "/bin' LOCKSTEP_SYSTEM_ROOT='" + machine + "' lockstep list 2>&1");
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.output, HasSubstr("there is no CUDA Toolkit"));
}

TEST_F(Launcher, HandsAPrivateCourseOnAndTestsItAlone) {
  provide_toolkit("13.0");
  provide_compiler(12);
  const std::string course = (machine_.path() / "gpu101").string();
  machine_.write("gpu101/exercises/50-saxpy/problem.cpp", "");
  provide("cmake", R"(#!/bin/bash
[[ $1 == --version ]] && { echo "cmake version 3.25.1"; exit; }
/bin/mkdir -p "$2/build/release/bin"
echo >"$2/build/release/build.ninja"
printf '#!/bin/sh\nprintf "<%%s>" "$@"\necho\n' >"$2/build/release/bin/lockstep"
/bin/chmod +x "$2/build/release/bin/lockstep"
)");
  provide("ninja", "#!/bin/sh\necho \"$*\" >'" + machine_.path().string() + "/targets'\n");
  provide("ctest", "#!/bin/sh\necho \"ctest $*\"\n");
  const std::string option = "--course '" + course + "'", variable = "LOCKSTEP_COURSE='" + course + "'";
  const std::string words = "<--course><" + course + "><grade><saxpy>\n";
  EXPECT_THAT(launch(option + " grade saxpy").output, testing::EndsWith(words));
  EXPECT_THAT(launch("'--course=" + course + "' grade saxpy").output, testing::EndsWith(words));
  EXPECT_THAT(launch("grade saxpy", variable).output, testing::EndsWith(words));
  EXPECT_THAT(launch("--course").output, testing::EndsWith("<--course>\n"));

  const Ran tests = launch(option + " test -R saxpy");
  EXPECT_EQ(tests.status, 0) << tests.output;
  EXPECT_THAT(tests.output, HasSubstr("ctest --test-dir " + course + "/.lockstep/build "));
  EXPECT_THAT(tests.output, testing::EndsWith(" -R saxpy\n"));
  EXPECT_THAT(run("cat '" + machine_.path().string() + "/targets'").output,
              testing::EndsWith(" lockstep every_exercise_test end_to_end_test structure_test\n"));
}

}  // namespace
}  // namespace lockstep::test
