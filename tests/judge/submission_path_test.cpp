// A submission may be named by its file, its folder or a tree of exercises.
#include "judge/submission_path.h"

#include <gtest/gtest.h>

#include <fstream>

#include "sandbox/temporary_folder.h"

namespace lockstep::judge {
namespace {

namespace fs = std::filesystem;

class SubmissionPath : public testing::Test {
 protected:
  SubmissionPath() {
    fs::create_directories(root_ / "solutions" / "09-block-scan");
    fs::create_directories(root_ / "empty");
    std::ofstream(root_ / "solutions" / "09-block-scan" / "block_scan.cu") << "//\n";
    exercise_.problem.name = "block-scan";
    exercise_.folder_name = "09-block-scan";
    exercise_.starter = "exercises/09-block-scan/block_scan.cu";
    other_ = exercise_;
    other_.folder_name = "10-scan";
    other_.starter = "exercises/10-scan/scan.cu";
  }

  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-test-"};
  fs::path root_ = folder_.path();
  course::Exercise exercise_, other_;
};

TEST_F(SubmissionPath, AFileIsItself) {
  const fs::path file = root_ / "solutions" / "09-block-scan" / "block_scan.cu";
  EXPECT_EQ(resolve_submission(exercise_, file).path(), file);
  EXPECT_EQ(resolve_submission(other_, file).path(), file);
  EXPECT_EQ(resolve_submission(exercise_, root_ / "missing.cu").path(), root_ / "missing.cu");
}

TEST_F(SubmissionPath, AFolderHoldsTheFile) {
  const fs::path folder = root_ / "solutions" / "09-block-scan";
  EXPECT_EQ(resolve_submission(exercise_, folder).path(), folder / "block_scan.cu");
  EXPECT_EQ(resolve_submission(other_, folder).path(), folder / "scan.cu");
  EXPECT_EQ(resolve_submission(exercise_, root_ / "empty").path(), root_ / "empty" / "block_scan.cu");
}

TEST_F(SubmissionPath, ATreeHoldsTheFolders) {
  const fs::path tree = root_ / "solutions";
  EXPECT_EQ(resolve_submission(exercise_, tree).path(), tree / "09-block-scan" / "block_scan.cu");
  EXPECT_EQ(resolve_submission(other_, tree).path(), tree / "10-scan" / "scan.cu")
      << "what is missing is expected there";
}

// A stranger's links say nothing of where they lead to: whoever reads the file then says that it is one.
TEST_F(SubmissionPath, BelowWhatIsNamedALinkIsWhatIsExpected) {
  const fs::path handed_in = root_ / "handed-in";
  fs::create_directories(handed_in);
  fs::create_symlink("nowhere", handed_in / "block_scan.cu");
  fs::create_symlink("nowhere", handed_in / "10-scan");
  EXPECT_EQ(resolve_submission(exercise_, handed_in).below(), "block_scan.cu");
  EXPECT_EQ(resolve_submission(other_, handed_in).below(), "10-scan/scan.cu");
  fs::create_directory_symlink(handed_in, root_ / "own_link");
  EXPECT_EQ(resolve_submission(other_, root_ / "own_link").folder(), root_ / "own_link");
}

}  // namespace
}  // namespace lockstep::judge
