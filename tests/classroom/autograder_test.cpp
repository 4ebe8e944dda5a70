// `./lockstep autograder`: the archive has what Gradescope asks for at its root, and the package or where it
// is to be fetched from. tests/package has Gradescope's part done.
#include <archive.h>
#include <archive_entry.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>
#include <map>
#include <string>

#include "archive_writer.h"
#include "shell.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Key;

struct Packed {
  unsigned permissions = 0;
  std::string text;
};

/// Files of a zip archive by their names.
std::map<std::string, Packed> files_of(const fs::path& path) {
  std::map<std::string, Packed> files;
  archive* const reader = archive_read_new();
  archive_read_support_format_zip(reader);
  EXPECT_EQ(archive_read_open_filename(reader, path.c_str(), 1 << 16), ARCHIVE_OK) << path;
  archive_entry* entry = nullptr;
  while (archive_read_next_header(reader, &entry) == ARCHIVE_OK) {
    Packed& file = files[archive_entry_pathname(entry)];
    file.permissions = archive_entry_perm(entry);
    file.text.resize(static_cast<std::size_t>(archive_entry_size(entry)));
    archive_read_data(reader, file.text.data(), file.text.size());
  }
  archive_read_free(reader);
  return files;
}

class Autograder : public testing::Test {
 protected:
  Autograder() {
    classroom::ArchiveWriter(path("package.tar.gz"), classroom::ArchiveWriter::Format::tar_gz)
        .file("lockstep-1/bin/lockstep", "a program");
  }
  std::string path(const std::string& name) const { return (folder_.path() / name).string(); }
  Ran autograder(const std::string& arguments) const {
    return run("cd '" + folder_.path().string() + "' && '" LOCKSTEP_EXECUTABLE "' autograder " + arguments +
               " 2>&1");
  }
  TemporaryFolder folder_;
};

TEST_F(Autograder, HasWhatGradescopeAsksForAtItsRoot) {
  const Ran ran = autograder("--exercises scan 05-transpose --package package.tar.gz --output made/a.zip");
  ASSERT_EQ(ran.status, 0) << ran.output;
  std::map<std::string, Packed> files = files_of(path("made/a.zip"));
  EXPECT_THAT(files, ElementsAre(Key("class.sqlite"), Key("exercises"), Key("lockstep.tar.gz"),
                                 Key("run_autograder"), Key("setup.sh")));
  EXPECT_EQ(files["exercises"].text, "transpose\nscan\n");
  EXPECT_EQ(files["lockstep.tar.gz"].text, contents_of(path("package.tar.gz")));
  EXPECT_EQ(files["run_autograder"].permissions, 0755U);
  EXPECT_EQ(files["class.sqlite"].permissions, 0600U);
  struct stat status {};
  ASSERT_EQ(stat(path("made/a.zip").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777U, 0600U) << "it holds the secret";
}

TEST_F(Autograder, EachHasASecretOfItsOwnAndMayNameAnAddress) {
  const std::string address = "https://example.org/lockstep.tar.gz";
  for (const char* name : {"a.zip", "b.zip"}) {
    const Ran ran =
        autograder("--exercises transpose --package " + address + " --output " + std::string(name));
    ASSERT_EQ(ran.status, 0) << ran.output;
  }
  std::map<std::string, Packed> first = files_of(path("a.zip")), second = files_of(path("b.zip"));
  EXPECT_EQ(first["package-address"].text, address + "\n");
  EXPECT_FALSE(first.contains("lockstep.tar.gz"));
  EXPECT_NE(first["class.sqlite"].text, second["class.sqlite"].text);
}

TEST_F(Autograder, TheSecretOfAnArchiveThatIsThereIsKept) {
  folder_.write("autograder.zip", "with a secret");
  const Ran ran = autograder("--exercises transpose --package package.tar.gz");
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.output, HasSubstr("autograder.zip is there"));
  EXPECT_EQ(run("cat '" + path("autograder.zip") + "'").output, "with a secret");
}

TEST_F(Autograder, WrongUseIsStatusTwo) {
  folder_.write("text.tar.gz", "no archive");
  classroom::ArchiveWriter(path("other.tar.gz"), classroom::ArchiveWriter::Format::tar_gz)
      .file("bin/other", "no Lockstep");
  for (const char* arguments :
       {"", "--exercises transpose", "--package nothing.tar.gz", "--package text.tar.gz",
        "--package other.tar.gz", "--package http://example.org/lockstep.tar.gz",
        "--package 'https://example.org/\"; rm'", "--exercises transpos --package package.tar.gz"})
    EXPECT_EQ(autograder(arguments).status, 2) << arguments;
  EXPECT_FALSE(fs::exists(path("autograder.zip")));
  EXPECT_THAT(autograder("--package other.tar.gz").output, HasSubstr("cmake --build --preset package"));
}

}  // namespace
}  // namespace lockstep::test
