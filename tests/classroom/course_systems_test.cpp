// Downloads of course systems, as folders and as archives, among names that students chose to be taken for
// another's.
//
// Of Moodle's names: "$prefix = str_replace('_', ' ', $fullname); $prefix = clean_filename($prefix . '_' .
// $manager->get_uniqueid_for_user($student->id));" and "clean_filename($prefix . '_' . $subtype . '_' .
// $type)", with
// "$file->get_filepath() . $zipfilename" behind it or, without folders, "'_' . $zipfilename"
// (https://github.com/moodle/moodle/blob/main/public/mod/assign/classes/downloader.php). Of Canvas's:
// "[users_name, submission.late? ? 'LATE' : nil, submission.user_id].compact.join('_')", then
// "#{filename}_#{file.id}_#{file.display_name}"
// (https://github.com/instructure/canvas-lms/blob/master/app/models/content_zipper.rb).
#include "classroom/course_systems.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "archive_writer.h"
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
using testing::SizeIs;
using Format = ArchiveWriter::Format;

class CourseSystems : public testing::Test {
 protected:
  using Files = std::vector<std::pair<std::string, std::string>>;

  fs::path path(const std::string& name) const { return folder_.path() / name; }
  /// Writes the same files as a folder and as a zip, and gives the paths of both.
  std::vector<fs::path> both(const Files& files) const {
    ArchiveWriter writer(path("in.zip"), Format::zip);
    for (const auto& [name, text] : files) {
      storage::write_file(path("in") / name, text);
      writer.file(name, text);
    }
    return {path("in"), path("in.zip")};
  }
  static ClassWork find(const fs::path& path, std::optional<System> system = std::nullopt) {
    return find_work(path, system, kFileNames);
  }
  /// The bytes of an archive with one file.
  std::string archive_of(const std::string& name, const std::string& text) const {
    ArchiveWriter(path("inner.zip"), Format::zip).file(name, text);
    std::string bytes = storage::read_file(path("inner.zip"));
    fs::remove(path("inner.zip"));
    return bytes;
  }
  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-systems-"};
};

constexpr const char* kMetadata =
    "---\n"
    "submission_1:\n  :submitters:\n  - :name: Anna\n    :sid: '11'\n    :email: a@example.org\n"
    "  :created_at: 2026-02-03 04:05:06.789000000 Z\n"
    "submission_2:\n  :submitters:\n  - :name: Bob\n    :sid: '12'\n  - :name: Cy\n    :sid: '13'\n"
    "submission_3:\n  :submitters:\n  - :name: *1\n";

TEST_F(CourseSystems, AGradescopeExportIsKnownByItsMetadata) {
  for (const fs::path& in : both({{"submission_metadata.yml", kMetadata},
                                  {"submission_1/transpose.cu", "1"},
                                  {"submission_1/submission_metadata.yml", "forged"},
                                  {"submission_2/a/scan.cu", "2"},
                                  {"submission_3/scan.cu", "3"},
                                  {"submission_4/scan.cu", "4"}})) {
    const ClassWork work = find(in);
    EXPECT_EQ(work.system, System::gradescope);
    ASSERT_THAT(work.works, SizeIs(2)) << in;
    EXPECT_EQ(work.works[0].place, "submission_1");
    EXPECT_EQ(work.works[0].people[0].email, "a@example.org");
    const Entry anna = work.works[0].read();
    EXPECT_THAT(anna.files, ElementsAre(Pair("transpose", "1")));
    EXPECT_EQ(anna.hand_ins.at("transpose").time, 1770091506) << "date -ud '2026-02-03 04:05:06' +%s";
    ASSERT_THAT(work.works[1].people, SizeIs(2)) << "a group";
    EXPECT_EQ(work.works[1].people[1].sid, "13");
    EXPECT_EQ(work.works[1].read().hand_ins.at("scan").time, std::nullopt);
    EXPECT_THAT(work.problems,
                ElementsAre(HasSubstr("submission_3 of submission_metadata.yml has a value in line 16"),
                            HasSubstr("submission_4 is not in submission_metadata.yml: nobody knows whose")));
  }
}

TEST_F(CourseSystems, AnExportMayLieInTheOnlyFolderOfAnArchive) {
  ArchiveWriter(path("in.zip"), Format::zip)
      .file("assignment_9_export/submission_metadata.yml", kMetadata)
      .file("assignment_9_export/submission_1/scan.cu", "1")
      .file("__MACOSX/assignment_9_export/._submission_metadata.yml", "m");
  const ClassWork work = find(path("in.zip"));
  EXPECT_EQ(work.system, System::gradescope);
  EXPECT_THAT(work.works.at(0).read().files, ElementsAre(Pair("scan", "1")));
}

TEST_F(CourseSystems, MoodlesParticipantsHaveFoldersOrPrefixes) {
  for (const fs::path& in :
       both({{"Anna de Vries_501_assignsubmission_file/homework/transpose.cu", "1"},
             {"Anna de Vries_501_assignsubmission_onlinetext/onlinetext.html", "scan.cu"},
             {"Bob_502_assignsubmission_file_/scan.cu", "2"},
             {"Cy_503_assignsubmission_file_transpose.cu", "3"},
             {"Cy_503_assignsubmission_file_scan.cu", "4"},
             {"Dora_504_assignsubmission_file_/work.zip", archive_of("x/scan.cu", "5")}})) {
    const ClassWork work = find(in);
    EXPECT_EQ(work.system, System::moodle);
    EXPECT_THAT(work.problems, IsEmpty());
    std::map<std::string, std::map<std::string, std::string>> files;
    for (const Work& one : work.works) files[one.people.at(0).number + one.people[0].name] = one.read().files;
    EXPECT_THAT(files, ElementsAre(Pair("501Anna de Vries", ElementsAre(Pair("transpose", "1"))),
                                   Pair("502Bob", ElementsAre(Pair("scan", "2"))),
                                   Pair("503Cy", ElementsAre(Pair("scan", "4"), Pair("transpose", "3"))),
                                   Pair("504Dora", ElementsAre(Pair("scan", "5")))))
        << in;
  }
}

TEST_F(CourseSystems, CanvassNewestFileCountsAndEarlierOnesAreKept) {
  for (const fs::path& in : both({{"vriesanna_501_9001_transpose.cu", "1"},
                                  {"vriesanna_501_9010_transpose-1.cu", "2"},
                                  {"vriesanna_501_9011_transpose-2.cu", "3"},
                                  {"vriesanna_501_9002_scan.cu", "s"},
                                  {"builderbob_LATE_502_9003_transpose.cu", "late"},
                                  {"cy_503_9004_work-1.zip", archive_of("scan.cu", "z")}})) {
    const ClassWork work = find(in);
    EXPECT_EQ(work.system, System::canvas);
    EXPECT_THAT(work.problems, IsEmpty());
    ASSERT_THAT(work.works, SizeIs(3));
    EXPECT_EQ(work.works[0].people.at(0).run_together, "vriesanna");
    EXPECT_EQ(work.works[0].people.at(0).number, "501");
    const Entry anna = work.works[0].read();
    EXPECT_THAT(anna.files, ElementsAre(Pair("scan", "s"), Pair("transpose", "3")));
    ASSERT_THAT(anna.earlier.at("transpose"), SizeIs(2));
    EXPECT_EQ(anna.earlier.at("transpose")[0].text, "1");
    EXPECT_EQ(anna.earlier.at("transpose")[1].text, "2");
    EXPECT_FALSE(anna.hand_ins.at("transpose").is_marked_late);
    EXPECT_TRUE(work.works[1].read().hand_ins.at("transpose").is_marked_late);
    EXPECT_EQ(work.works[1].people.at(0).run_together, "builderbob");
    EXPECT_THAT(work.works[2].read().files, ElementsAre(Pair("scan", "z"))) << in;
  }
}

TEST_F(CourseSystems, OfCanvassNumbersThatContradictNothingIsGraded) {
  for (const fs::path& in : both({{"anna_501_9009_transpose.cu", "1"},
                                  {"anna_501_9001_transpose-1.cu", "2"},
                                  {"bob_502_1_scan.cu", "1"},
                                  {"bob_late_502_2_transpose.cu", "2"}})) {
    const ClassWork work = find(in);
    ASSERT_THAT(work.works, SizeIs(2));
    EXPECT_THAT(work.works[0].read().problems,
                ElementsAre("has files transpose.cu of which it is not clear which is the newest"));
    EXPECT_THAT(work.works[1].read().problems,
                ElementsAre("is marked as late in one file and not in another"));
    EXPECT_THAT(work.works[1].read().files, IsEmpty()) << in;
  }
}

TEST_F(CourseSystems, NoStudentMakesOneSystemsDownloadAnothers) {
  const std::string forged = "anna_1_2_Bob_501_assignsubmission_file_transpose.cu";
  const Files files = {{forged, "f"}, {"bob_2_3_scan.cu", "b"}};
  for (const fs::path& in : both(files)) {
    EXPECT_EQ(find(in).system, System::canvas);
    const ClassWork work = find(in, System::canvas);
    EXPECT_EQ(work.works.at(0).people.at(0).run_together, "anna");
    EXPECT_THAT(work.works.at(0).read().files, IsEmpty());
    EXPECT_THAT(work.works.at(0).read().unknown, SizeIs(1));
  }
  storage::write_file(path("one") / forged, "f");
  EXPECT_THROW(find(path("one")), NotRecognised) << "alone it may be of both";
  EXPECT_EQ(find(path("one"), System::canvas).works.size(), 1U);
}

TEST_F(CourseSystems, OtherFilesAreSaidAndFoldersOfEntriesStayWhatTheyAre) {
  const Files files = {
      {"anna/transpose.cu", "1"}, {"anna/submission_metadata.yml", kMetadata}, {"bob/scan.cu", "2"}};
  for (const fs::path& in : both(files)) {
    const ClassWork work = find(in);
    EXPECT_EQ(work.system, System::entries);
    ASSERT_THAT(work.works, SizeIs(2)) << in;
    EXPECT_EQ(work.works[0].people.at(0).id, "anna");
    EXPECT_THAT(work.works[0].read().files, ElementsAre(Pair("transpose", "1")));
    EXPECT_THAT(find(in, System::moodle).problems,
                ElementsAre("anna is of no participant of Moodle", "bob is of no participant of Moodle"));
    EXPECT_THAT(find(in, System::canvas).problems, SizeIs(3));
    EXPECT_THROW(find(in, System::gradescope), NotRecognised);
  }
}

TEST_F(CourseSystems, NothingOfAHostileArchiveIsFollowedOrWritten) {
  {
    ArchiveWriter writer(path("in.zip"), Format::zip);
    writer.file("Anna_1_assignsubmission_file/transpose.cu", "1")
        .file("../../Bob_2_assignsubmission_file/scan.cu", "2")
        .link("Cy_3_assignsubmission_file/scan.cu", "/etc/passwd")
        .file("Dora_4_assignsubmission_file/w.zip", "no archive")
        .file("E\x1B[2J\n_5_assignsubmission_file/scan.cu", "5");
  }
  const ClassWork work = find(path("in.zip"));
  EXPECT_EQ(work.system, System::moodle);
  EXPECT_THAT(work.problems,
              ElementsAre("../../Bob_2_assignsubmission_file/scan.cu has a path that leads out of the "
                          "archive"));
  ASSERT_THAT(work.works, SizeIs(4));
  EXPECT_THAT(work.works[0].read().files, ElementsAre(Pair("transpose", "1")));
  EXPECT_THAT(work.works[1].read().refused,
              ElementsAre(Pair("scan", "scan.cu is a link or no regular file")));
  EXPECT_THAT(work.works[2].read().problems, ElementsAre(HasSubstr("the archive cannot be read")));
  EXPECT_EQ(work.works[3].people.at(0).shown(), "E  (number 5)");
  std::vector<std::string> left;
  for (const auto& entry : fs::recursive_directory_iterator(folder_.path()))
    left.push_back(entry.path().filename().string());
  EXPECT_THAT(left, ElementsAre("in.zip")) << "something was written";
}

TEST_F(CourseSystems, ALinkInAFolderIsNotRead) {
  storage::write_file(path("secret.cu"), "another's");
  storage::write_file(path("in/Anna_1_assignsubmission_file/x.txt"), "");
  fs::create_symlink("../../secret.cu", path("in/Anna_1_assignsubmission_file/scan.cu"));
  EXPECT_THAT(find(path("in")).works.at(0).read().refused, ElementsAre(Pair("scan", "scan.cu is a link")));
}

TEST_F(CourseSystems, WhatCannotBeReadIsSaid) {
  storage::write_file(path("notes.pdf"), "x");
  storage::write_file(path("in.zip"), "x");
  for (const char* name : {"notes.pdf", "in.zip", "nothing"})
    EXPECT_THROW(find(path(name)), NotRecognised) << name;
}

}  // namespace
}  // namespace lockstep::classroom
