// The history of a student's gradings: what it keeps, two gradings at once, damaged files, and a disk that is
// full.
#include "attempts/attempts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "sample_reports.h"
#include "shell.h"

namespace lockstep::test {
namespace {

namespace fs = std::filesystem;
using attempts::add_attempt;
using attempts::History;
using result::ExerciseResult;
using result::Verdict;
using testing::HasSubstr;
using testing::IsEmpty;

class Attempts : public testing::Test {
 protected:
  History add(const ExerciseResult& result) {
    return add_attempt(folder_.path(), result, {"emulated", "emulated device"});
  }
  fs::path file() const { return folder_.path() / "transpose.jsonl"; }

  TemporaryFolder folder_;
};

TEST_F(Attempts, EachGradingIsKeptWithWhatItReached) {
  EXPECT_EQ(add(wrong_answer()).attempts.size(), 1U);
  ExerciseResult better = inefficient();
  better.speed.ceiling_share = 0.5;
  const History history = add(better);
  EXPECT_THAT(history.complaint, IsEmpty());
  ASSERT_EQ(history.attempts.size(), 2U);
  const result::Attempt &first = history.attempts[0], &last = history.attempts[1];
  EXPECT_EQ(first.number, 1U);
  EXPECT_EQ(first.verdict, Verdict::wrong_answer);
  EXPECT_EQ(first.points, wrong_answer().points);
  EXPECT_EQ(first.gates, 0U) << "not measured";
  EXPECT_EQ(first.device, "emulated device");
  EXPECT_EQ(last.number, 2U);
  EXPECT_EQ(last.verdict, Verdict::inefficient);
  EXPECT_EQ(last.passed_gates + 1, last.gates);
  EXPECT_EQ(last.ceiling_share, 0.5);
  EXPECT_THAT(last.when, testing::MatchesRegex("20..-..-..T..:..:..Z"));
  EXPECT_EQ(attempts::last_in_words(history.attempts), "attempt 2: 5.0 points, before 0.0");
}

TEST_F(Attempts, OfManyTheLatestStay) {
  for (std::size_t i = 0; i < attempts::kMaxKept; ++i)
    folder_.write("transpose.jsonl", contents_of(file()) + R"({"attempt": )" + std::to_string(i + 1) +
                                         R"(, "verdict": "race", "points": 0, "max_points": 10})" + "\n");
  const History history = add(wrong_answer());
  ASSERT_EQ(history.attempts.size(), attempts::kMaxKept);
  EXPECT_EQ(history.attempts.front().number, 2U);
  EXPECT_EQ(history.attempts.back().number, attempts::kMaxKept + 1);
}

TEST_F(Attempts, TwoGradingsAtOnceAreBothKept) {
  const auto add_several = [this] {
    for (int i = 0; i < 10; ++i) add(wrong_answer());
  };
  { const std::jthread one(add_several), other(add_several); }
  const History history = add(wrong_answer());
  ASSERT_EQ(history.attempts.size(), 21U);
  EXPECT_EQ(history.attempts.back().number, 21U);
}

TEST_F(Attempts, DamageIsSaidAndLeftOut) {
  add(wrong_answer());
  const std::string good = contents_of(file());
  folder_.write("transpose.jsonl",
                "{\"attempt\": 1\n\xFF\n[]\n" + good +
                    R"({"attempt": -1, "verdict": "race", "points": 1, "max_points": 10})"
                    "\n"
                    R"({"attempt": 3, "verdict": "won", "points": 1, "max_points": 10})"
                    "\n"
                    R"({"attempt": 3, "verdict": "race", "points": 1e999, "max_points": 10})"
                    "\n");
  const History history = add(wrong_answer());
  EXPECT_THAT(history.complaint, HasSubstr("6 lines of your attempts in "));
  EXPECT_EQ(history.attempts.size(), 2U);
  EXPECT_THAT(add(wrong_answer()).complaint, IsEmpty());
  folder_.write("transpose.jsonl", std::string(5 << 20, 'x'));
  EXPECT_THAT(add(wrong_answer()).complaint, HasSubstr("1 line of your attempts"));
}

TEST_F(Attempts, WhatCannotBeKeptIsSaidAndCounts) {
  fs::create_directories(file());
  const History of_folder = add(wrong_answer());
  EXPECT_THAT(of_folder.complaint, HasSubstr("this attempt is not kept: cannot read "));
  EXPECT_EQ(of_folder.attempts.size(), 1U);
  fs::remove(file());

  add(wrong_answer());
  const std::string before = contents_of(file());
  rlimit limit{};
  getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit none{0, limit.rlim_max};  // a write then fails as on a full disk
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  setrlimit(RLIMIT_FSIZE, &none);
  const History of_full_disk = add(wrong_answer());
  setrlimit(RLIMIT_FSIZE, &limit);
  std::signal(SIGXFSZ, handler);
  EXPECT_THAT(of_full_disk.complaint, HasSubstr("this attempt is not kept: cannot write "));
  EXPECT_EQ(of_full_disk.attempts.size(), 2U);
  EXPECT_EQ(contents_of(file()), before);
}

TEST_F(Attempts, NamesOfAnyBytesAreKeptAsText) {
  ExerciseResult result = wrong_answer();
  result.submission = "\xFF<script>\"\n{}" + std::string(1, '\0') + "\x1B[31m.cu";
  EXPECT_THAT(add(result).complaint, IsEmpty());
  const History history = add(wrong_answer());
  EXPECT_THAT(history.complaint, IsEmpty());
  ASSERT_EQ(history.attempts.size(), 2U);
  EXPECT_THAT(history.attempts[0].submission, HasSubstr("<script>\"\n{}"));
}

TEST_F(Attempts, AVariableTurnsThemOff) {
  EXPECT_TRUE(attempts::are_kept());
  setenv("LOCKSTEP_NO_HISTORY", "1", 1);
  EXPECT_FALSE(attempts::are_kept());
  unsetenv("LOCKSTEP_NO_HISTORY");
}

}  // namespace
}  // namespace lockstep::test
