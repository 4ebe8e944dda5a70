// What a class hands in, be it a folder or an archive: files of exercises are found at any depth, and nothing
// hostile is followed, written, or endless.
#include "classroom/submissions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "archive_writer.h"
#include "classroom/archive.h"
#include "file_names.h"
#include "sandbox/temporary_folder.h"
#include "storage/files.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

using Format = ArchiveWriter::Format;

class Submissions : public testing::Test {
 protected:
  fs::path path(const std::string& name) const { return folder_.path() / name; }
  Entry read(const std::string& name, const EntryLimits& limits = {}) const {
    return read_entry({"anna", path(name)}, kFileNames, limits);
  }
  /// All that lies in the folder.
  std::vector<std::string> everything() const {
    std::vector<std::string> names;
    for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
      names.push_back(entry.path().lexically_relative(folder_.path()).string());
    return names;
  }
  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-submissions-"};
};

TEST_F(Submissions, EntriesAreFoldersAndArchives) {
  storage::write_file(path("bob/transpose.cu"), "b");
  for (const char* name : {"anna.tar.gz", "cy.ZIP", ".hidden.zip", "notes.pdf", ".zip"})
    storage::write_file(path(name), "x");
  fs::create_directory_symlink("bob", path("dora"));
  const Found found = find_entries(folder_.path());
  ASSERT_EQ(found.entries.size(), 3U);
  EXPECT_EQ(found.entries[0].student, "anna");
  EXPECT_EQ(found.entries[1].student, "bob");
  EXPECT_EQ(found.entries[2].student, "cy");
  EXPECT_THAT(found.problems, ElementsAre("dora is neither a folder nor an archive that is known, but a link",
                                          "notes.pdf is neither a folder nor an archive that is known"));
}

TEST_F(Submissions, WhoHandsInTwiceIsToldAndNotGraded) {
  storage::write_file(path("anna/transpose.cu"), "a");
  storage::write_file(path("anna.zip"), "b");
  const Found found = find_entries(folder_.path());
  EXPECT_THAT(found.entries, IsEmpty());
  EXPECT_THAT(found.problems,
              ElementsAre("anna has handed in twice, anna and anna.zip: none of it is graded"));
}

TEST_F(Submissions, FilesAreFoundAtAnyDepthOfAFolder) {
  storage::write_file(path("in/a/b/c/transpose.cu"), "deep");
  storage::write_file(path("in/scan.cu"), "flat");
  storage::write_file(path("in/histogram.cu"), "of an exercise that is not graded");
  storage::write_file(path("in/mine\x1B[31m.cu"), "of none");
  const Entry entry = read("in");
  EXPECT_THAT(entry.files, ElementsAre(Pair("scan", "flat"), Pair("transpose", "deep")));
  EXPECT_THAT(entry.unknown, ElementsAre("mine.cu"));
  EXPECT_THAT(entry.problems, IsEmpty());
}

TEST_F(Submissions, NoLinkInAFolderIsFollowed) {
  storage::write_file(path("secret.cu"), "another's");
  storage::write_file(path("elsewhere/scan.cu"), "another's");
  fs::create_directories(path("in"));
  fs::create_symlink("../secret.cu", path("in/transpose.cu"));
  fs::create_directory_symlink("../elsewhere", path("in/sub"));
  ASSERT_EQ(mkfifo(path("in/scan.cu").c_str(), 0600), 0);
  const Entry entry = read("in");
  EXPECT_THAT(entry.files, IsEmpty());
  EXPECT_THAT(entry.refused, ElementsAre(Pair("scan", "scan.cu is no regular file"),
                                         Pair("transpose", "transpose.cu is a link")));
}

TEST_F(Submissions, OfTwoFilesNeitherIsTaken) {
  storage::write_file(path("in/new/transpose.cu"), "2");
  storage::write_file(path("in/old/transpose.cu"), "1");
  storage::write_file(path("in/scan.cu"), "s");
  ArchiveWriter(path("in.zip"), Format::zip)
      .file("new/transpose.cu", "2")
      .file("old/transpose.cu", "1")
      .file("scan.cu", "s");
  for (const char* name : {"in", "in.zip"}) {
    const Entry entry = read(name);
    EXPECT_THAT(entry.files, ElementsAre(Pair("scan", "s"))) << name;
    EXPECT_THAT(entry.refused, ElementsAre(Pair("transpose",
                                                "there are 2 files: new/transpose.cu and "
                                                "old/transpose.cu")))
        << name;
  }
}

TEST_F(Submissions, ArchivesOfEveryKindAreRead) {
  ArchiveWriter(path("in.zip"), Format::zip).file("a/transpose.cu", "t").file("__MACOSX/._scan.cu", "m");
  ArchiveWriter(path("in.tgz"), Format::tar_gz).file("./a/transpose.cu", "t").file("readme.md", "m");
  ArchiveWriter(path("in.tar.xz"), Format::tar_xz).file("transpose.cu", "t");
  for (const char* name : {"in.zip", "in.tgz", "in.tar.xz"}) {
    ASSERT_TRUE(is_archive(name));
    const Entry entry = read(name);
    EXPECT_THAT(entry.files, ElementsAre(Pair("transpose", "t"))) << name;
    EXPECT_THAT(entry.problems, IsEmpty()) << name;
    EXPECT_THAT(entry.unknown, IsEmpty()) << name;
  }
}

TEST_F(Submissions, HostilePathsAndLinksOfArchivesAreRefused) {
  const fs::path outside = path("outside.cu");
  for (const auto& [name, format] :
       {std::pair("in.zip", Format::zip), std::pair("in.tar.gz", Format::tar_gz)}) {
    {
      ArchiveWriter writer(path(name), format);
      writer.file("../../transpose.cu", "t").link("scan.cu", "/etc/passwd");
    }
    const Entry entry = read(name);
    EXPECT_THAT(entry.files, IsEmpty()) << name;
    EXPECT_THAT(entry.refused,
                ElementsAre(Pair("scan", "scan.cu is a link or no regular file"),
                            Pair("transpose", "../../transpose.cu has a path that leads out of the archive")))
        << name;
    EXPECT_THAT(everything(), ElementsAre(name)) << "something was written";
    fs::remove(path(name));
  }
  {
    ArchiveWriter writer(path("in.tar.gz"), Format::tar_gz);
    writer.file("/tmp/transpose.cu", "t").file("a.txt", "a").link("scan.cu", "a.txt", /*is_hard=*/true);
  }
  const Entry entry = read("in.tar.gz");
  EXPECT_THAT(entry.files, IsEmpty());
  EXPECT_THAT(entry.refused,
              ElementsAre(Pair("scan", "scan.cu is a link or no regular file"),
                          Pair("transpose", "/tmp/transpose.cu has a path that leads out of the archive")));
}

TEST_F(Submissions, ABombIsNotUnpacked) {
  const std::string zeros(8 << 20, '\0');
  for (const auto& [name, format] :
       {std::pair("in.zip", Format::zip), std::pair("in.tar.gz", Format::tar_gz)}) {
    ArchiveWriter(path(name), format).file("transpose.cu", "t").file("big", zeros);
    EXPECT_LT(fs::file_size(path(name)), 100'000U);
    const EntryLimits limits{.files = 10, .bytes = 4 << 20};
    const Entry entry = read(name, limits);
    EXPECT_THAT(entry.files, IsEmpty()) << name;
    EXPECT_THAT(entry.problems, ElementsAre("the archive holds more than 4 MiB or 10 files")) << name;
    EXPECT_THAT(read(name).files, ElementsAre(Pair("transpose", "t"))) << "within the usual limits";
  }
}

TEST_F(Submissions, ManyFilesAreTooMany) {
  {
    ArchiveWriter writer(path("in.zip"), Format::zip);
    for (int i = 0; i < 11; ++i) writer.file(std::to_string(i), "");
  }
  const EntryLimits limits{.files = 10, .bytes = 4 << 20};
  EXPECT_THAT(read("in.zip", limits).problems, ElementsAre("the archive holds more than 4 MiB or 10 files"));
  for (int i = 0; i < 11; ++i) storage::write_file(path("in") / std::to_string(i), "");
  EXPECT_THAT(read("in", limits).problems, ElementsAre("the folder holds more than 10 files"));
}

TEST_F(Submissions, OfALongFileItsBeginningIsKept) {
  const std::string text = "0123456789";
  storage::write_file(path("in/transpose.cu"), text);
  ArchiveWriter(path("in.zip"), Format::zip).file("transpose.cu", text);
  for (const char* name : {"in", "in.zip"})
    EXPECT_THAT(read(name, {.file_bytes = 4}).files, ElementsAre(Pair("transpose", "0123"))) << name;
}

TEST_F(Submissions, BrokenAndEncryptedArchivesAreSaidAndNothingOfThemIsGraded) {
  storage::write_file(path("no.zip"), "this is no archive");
  storage::write_file(path("empty.tar.gz"), "");
  std::string noise(100'000, ' ');
  for (std::size_t i = 0; i < noise.size(); ++i) noise[i] = static_cast<char>(i * i * 2654435761U >> 13);
  ArchiveWriter(path("cut.tar.gz"), Format::tar_gz).file("transpose.cu", "t").file("noise", noise);
  fs::resize_file(path("cut.tar.gz"), fs::file_size(path("cut.tar.gz")) / 2);
  ArchiveWriter(path("locked.zip"), Format::zip, "secret").file("transpose.cu", "t");
  for (const char* name : {"no.zip", "cut.tar.gz"}) {
    const Entry entry = read(name);
    EXPECT_THAT(entry.files, IsEmpty()) << name;
    EXPECT_THAT(entry.problems, ElementsAre(HasSubstr("the archive cannot be read: "))) << name;
  }
  EXPECT_THAT(read("locked.zip").problems, ElementsAre("the archive is encrypted"));
  EXPECT_THAT(read("empty.tar.gz").files, IsEmpty());
}

// The machine's `true` stands for an unpacker that ends before it has said anything.
TEST_F(Submissions, AnUnpackerThatCrashesIsSaid) {
  ArchiveWriter(path("in.zip"), Format::zip).file("transpose.cu", "t");
  fs::create_directories(path("build/bin"));
  fs::copy_file("/bin/true", path("build/bin/lockstep-unpacker"));
  setenv("LOCKSTEP_BUILD", path("build").c_str(), 1);
  const Entry entry = read("in.zip");
  unsetenv("LOCKSTEP_BUILD");
  EXPECT_THAT(entry.files, IsEmpty());
  EXPECT_THAT(entry.problems, ElementsAre(HasSubstr("whoever opens it crashes, or needs too much")));
}

/// Bytes of hexadecimal digits.
std::string unhexed(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return bytes;
}

TEST_F(Submissions, OddNamesAreShownOnOneLine) {
  ArchiveWriter(path("in.tar.gz"), Format::tar_gz)
      .file("a\n\x1B[2J/transpose.cu", "1")
      .file("\xFF/transpose.cu", "2")
      .file("x\ny.cu", "3");
  const Entry entry = read("in.tar.gz");
  ASSERT_THAT(entry.refused, ElementsAre(Pair("transpose", testing::_)));
  EXPECT_THAT(entry.refused.at("transpose"),
              HasSubstr("there are 2 files: a /transpose.cu and ?/transpose.cu"));
  EXPECT_THAT(entry.unknown, ElementsAre("x y.cu"));
}

// A zip says by a bit that its names are UTF-8, as most programs do. The bytes of a file with such a name are
// put into an archive that says so, and then, in the second, are no UTF-8.
TEST_F(Submissions, NamesInUtf8AreReadAndThoseThatAreNoneAreSaid) {
  std::string bytes = unhexed(
      "504b03041400000800000000210000000000000000000000000010000000c39c622f7472616e73706f73652e63"
      "75504b010214031400000800000000210000000000000000000000000010000000000000000000000080010000"
      "0000c39c622f7472616e73706f73652e6375504b050600000000010001003e0000002e0000000000");
  storage::write_file(path("in.zip"), bytes);
  EXPECT_THAT(read("in.zip").files, ElementsAre(Pair("transpose", "")));
  EXPECT_THAT(read("in.zip").problems, IsEmpty());
  for (std::size_t at = bytes.find("\xC3\x9C"); at != std::string::npos; at = bytes.find("\xC3\x9C"))
    bytes.replace(at, 2, "\xFF\xFE");
  storage::write_file(path("in.zip"), bytes);
  EXPECT_THAT(read("in.zip").problems, ElementsAre("the archive holds a file whose name cannot be read"));
}

}  // namespace
}  // namespace lockstep::classroom
