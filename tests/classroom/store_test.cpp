// Gradings are kept whole, found by what they depend on, and survive a kill.
#include "classroom/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <string>

#include "sandbox/temporary_folder.h"
#include "storage/files.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using result::Verdict;

class ClassStore : public testing::Test {
 protected:
  fs::path file() const { return folder_.path() / "class.sqlite"; }
  static Grading grading(const std::string& student, Verdict verdict = Verdict::passed, double points = 10) {
    return {.key = {student, "transpose", "digest", "secret", "1.0"},
            .toolkit = "13.0",
            .device = "device",
            .time = "2026-01-02T03:04:05Z",
            .verdict = verdict,
            .points = points,
            .max_points = 10,
            .report = R"({"a":1})",
            .text = "text",
            .complaint = ""};
  }
  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-store-"};
};

TEST_F(ClassStore, FindsAGradingByAllThatItDependsOn) {
  const std::string odd = "\xFF an'na\n";
  Store(file()).add(grading(odd, Verdict::inefficient, 7.25));
  const Store store(file());
  const GradingKey key = grading(odd).key;
  const auto found = store.newest(key);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->verdict, Verdict::inefficient);
  EXPECT_EQ(found->points, 7.25);
  EXPECT_EQ(found->report, R"({"a":1})");
  EXPECT_EQ(found->time, "2026-01-02T03:04:05Z");
  EXPECT_FALSE(store.is_due(key));
  for (std::string GradingKey::*part : {&GradingKey::student, &GradingKey::exercise, &GradingKey::sha256,
                                        &GradingKey::secret, &GradingKey::lockstep}) {
    GradingKey other = key;
    other.*part += "2";
    EXPECT_TRUE(store.is_due(other));
    EXPECT_FALSE(store.newest(other));
  }
}

TEST_F(ClassStore, AGraderErrorIsDueAndTheNewestCounts) {
  Store store(file());
  Grading failed = grading("anna", Verdict::grader_error, 0);
  failed.complaint = "no memory";
  store.add(failed);
  EXPECT_TRUE(store.is_due(failed.key));
  EXPECT_EQ(store.newest(failed.key)->complaint, "no memory");
  store.add(grading("anna"));
  EXPECT_FALSE(store.is_due(failed.key));
  EXPECT_EQ(store.newest(failed.key)->verdict, Verdict::passed);
  EXPECT_EQ(store.count(failed.key), 2U) << "every grading is kept";
}

TEST_F(ClassStore, RegradingGoesOnWhereItWasInterrupted) {
  const GradingKey anna = grading("anna").key, bob = grading("bob").key;
  {
    Store store(file());
    store.add(grading("anna"));
    store.add(grading("bob"));
    store.mark_for_regrading({"scan"});
    EXPECT_FALSE(store.is_due(anna)) << "of another exercise";
    store.mark_for_regrading({"transpose"});
    EXPECT_TRUE(store.is_due(anna));
    store.add(grading("anna"));
  }
  Store store(file());
  store.mark_for_regrading({"transpose"});
  EXPECT_FALSE(store.is_due(anna)) << "graded since";
  EXPECT_TRUE(store.is_due(bob));
  store.add(grading("bob"));
  store.mark_for_regrading({"transpose"});
  EXPECT_TRUE(store.is_due(anna)) << "all were graded, and are to be graded once more";
}

TEST_F(ClassStore, KeepsThePageOfEachGradingAndCountsFiles) {
  Store store(file());
  const Grading first = grading("anna");
  EXPECT_EQ(store.page(first.key), "");
  store.add(first, "first");
  store.add(grading("bob"), "of bob");
  EXPECT_EQ(store.page(first.key), "first");
  store.add(first);
  EXPECT_EQ(store.page(first.key), "") << "the newest grading has none";
  store.add(first, "third");
  EXPECT_EQ(store.page(first.key), "third");
  EXPECT_EQ(store.attempts("anna", "transpose"), 1U) << "one file, graded three times";
  Grading second = first;
  second.key.sha256 = "another";
  store.add(second);
  EXPECT_EQ(store.attempts("anna", "transpose"), 2U);
  EXPECT_EQ(store.attempts("anna", "scan"), 0U);
}

TEST_F(ClassStore, KeepsFilesOnceAndASecretForItself) {
  std::string secret;
  {
    Store store(file());
    secret = store.secret();
    EXPECT_EQ(secret.size(), 32U);
    store.keep_file("one", std::string("a\0b", 3));
    store.keep_file("one", "another");
    store.keep_file("none", "");
  }
  const Store store(file());
  EXPECT_EQ(store.secret(), secret);
  EXPECT_EQ(store.file("one"), std::string("a\0b", 3));
  EXPECT_EQ(store.file("none"), "");
  EXPECT_THROW(store.file("two"), StoreError);
  EXPECT_EQ(fs::status(file()).permissions(), fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(ClassStore, SaysWhatFileIsNone) {
  storage::write_file(file(), std::string(4096, 'x'));
  try {
    Store store(file());
    FAIL() << "taken for a database";
  } catch (const StoreError& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("class.sqlite: file is not a database"));
  }
}

// The process is killed while it adds one grading after the other: those that it has told of are there.
TEST_F(ClassStore, AKillLosesNothingThatWasAdded) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t process = fork();
  if (process == 0) {
    Store store(file());
    for (int i = 0;; ++i) {
      store.add(grading("anna", Verdict::passed, i));
      if (write(ends[1], &i, sizeof i) != sizeof i) _exit(1);
    }
  }
  close(ends[1]);
  int last = 0;
  while (last < 20 && read(ends[0], &last, sizeof last) == sizeof last) {
  }
  kill(process, SIGKILL);
  while (read(ends[0], &last, sizeof last) == sizeof last) {  // what it had told before
  }
  close(ends[0]);
  waitpid(process, nullptr, 0);
  Store store(file());
  const GradingKey key = grading("anna").key;
  const std::size_t told = static_cast<std::size_t>(last) + 1, kept = store.count(key);
  EXPECT_TRUE(kept == told || kept == told + 1) << kept << " of " << told;
  EXPECT_EQ(store.newest(key)->points, static_cast<double>(kept - 1));
  EXPECT_EQ(store.newest(key)->report, R"({"a":1})");
}

}  // namespace
}  // namespace lockstep::classroom
