// What gradings become by an instructor's policy and decisions, and what is told of it.
#include "classroom/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "sandbox/temporary_folder.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;
using result::Verdict;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kSecondsPerDay = 86400;

class ClassRules : public testing::Test {
 protected:
  ClassRules() {
    table_.exercises = {"scan", "transpose"};
    table_.rows = {{.id = "anna"}};
  }
  static GradingKey key(const std::string& exercise, const std::string& sha256,
                        const std::string& version = "2.0") {
    return {"anna", exercise, sha256, "secret", version};
  }
  void add(const GradingKey& key, double points, Verdict verdict = Verdict::passed,
           const std::string& report = "{}") {
    store_.add({.key = key,
                .time = "now",
                .verdict = verdict,
                .points = points,
                .max_points = 10,
                .report = report});
  }
  void hand_in(const std::string& exercise, const std::string& sha256, HandIn hand_in = {}) {
    Standing& standing = table_.rows[0].standings[exercise];
    standing = {.kind = Standing::Kind::due, .key = key(exercise, sha256)};
    standing.hand_in = hand_in;
    store_.keep_attempt("anna", exercise, {sha256, hand_in});
    for (const KeptAttempt& kept : store_.kept_attempts("anna", exercise))
      if (kept.sha256 != sha256) standing.earlier.push_back(key(exercise, kept.sha256));
  }
  void decide(const std::string& sha256, double points, bool is_accepted = false) {
    store_.add(Overrule{.student = "anna",
                        .exercise = "scan",
                        .sha256 = sha256,
                        .is_accepted = is_accepted,
                        .points = points,
                        .reason = "looked\nat it",
                        .who = "eve",
                        .time = "2026-02-03T04:05:06Z"});
  }
  bool take(std::int64_t first_new = 1) { return take_results(table_, store_, policy_, first_new); }
  const Standing& scan() { return table_.rows[0].standings["scan"]; }

  sandbox::TemporaryFolder folder_{fs::temp_directory_path(), "lockstep-rules-"};
  Store store_{folder_.path() / "class.sqlite"};
  ClassTable table_;
  Policy policy_;
};

TEST_F(ClassRules, WithoutRulesPointsAreThoseOfTheGrading) {
  hand_in("scan", "a");
  add(key("scan", "a"), 7);
  EXPECT_FALSE(take());
  EXPECT_EQ(scan().points, 7);
  EXPECT_EQ(scan().earned, 7);
  EXPECT_EQ(scan().max_points, 10);
  EXPECT_EQ(reasons_text(table_), "");
  EXPECT_THAT(table_.problems, IsEmpty());
}

TEST_F(ClassRules, FreeDaysAreTakenByDeadline) {
  policy_.deadlines = {{"scan", 20 * kSecondsPerDay}, {"transpose", 10 * kSecondsPerDay}};
  policy_.free_days = 2;
  hand_in("scan", "a", {.time = 22 * kSecondsPerDay});
  hand_in("transpose", "b", {.time = 11 * kSecondsPerDay});
  add(key("scan", "a"), 10);
  add(key("transpose", "b"), 10);
  take();
  EXPECT_EQ(table_.rows[0].standings["transpose"].points, 10) << "the first free day";
  EXPECT_EQ(scan().points, 9) << "the second, and one that costs";
  EXPECT_EQ(reasons_text(table_),
            "  anna: scan: 9.0 of 10.0 earned: 2 days late, 1 of them free, 10 % off; transpose: 10.0 of "
            "10.0 earned: "
            "1 day late, 1 of them free\n");
  EXPECT_THAT(points_csv(table_),
              HasSubstr("id,name,scan,transpose,total,reasons\r\nanna,,9.0,10.0,19.0,\"scan: 9.0"));
  EXPECT_THAT(table_text(table_, 80), HasSubstr("9.0*"));
}

TEST_F(ClassRules, OfSeveralFilesTheLastCountsOrTheBest) {
  policy_.deadline = 10 * kSecondsPerDay;
  hand_in("scan", "first", {.time = 9 * kSecondsPerDay});
  hand_in("scan", "second", {.time = 12 * kSecondsPerDay});
  add(key("scan", "first"), 9);
  add(key("scan", "second"), 10);
  take();
  EXPECT_EQ(scan().points, 8) << "the last, two days late";
  hand_in("scan", "second", {.time = 12 * kSecondsPerDay});
  policy_.attempts = Policy::Attempts::best;
  take();
  EXPECT_EQ(scan().points, 9) << "the best after all rules";
  EXPECT_EQ(scan().key.sha256, "first");
  EXPECT_THAT(scan().whys, ElementsAre("of an earlier file, the best of several"));
}

TEST_F(ClassRules, ADecisionHoldsUntilANewFileComes) {
  hand_in("scan", "a");
  add(key("scan", "a"), 0, Verdict::grader_error);
  EXPECT_TRUE(take());
  EXPECT_THAT(remarks_text(table_), HasSubstr("grader-error"));
  decide("a", 8);
  hand_in("scan", "a");
  EXPECT_FALSE(take()) << "nobody needs to look at it any more";
  EXPECT_EQ(scan().points, 8);
  EXPECT_EQ(remarks_text(table_), "");
  EXPECT_EQ(reasons_text(table_), "  anna: scan: 8.0: overruled by eve on 2026-02-03: looked at it\n");
  const auto overrule = rules_json(scan()).at("overrule");
  EXPECT_EQ(overrule.at("who"), "eve");
  EXPECT_EQ(overrule.at("reason"), "looked at it");
  EXPECT_EQ(overrule.at("points"), 8);
  EXPECT_EQ(overrule.at("void"), false);

  hand_in("scan", "b");
  add(key("scan", "b"), 5);
  take();
  EXPECT_EQ(scan().points, 5);
  EXPECT_THAT(remarks_text(table_),
              HasSubstr("anna: scan: what eve decided on 2026-02-03 was about another file"));
  EXPECT_EQ(rules_json(scan()).at("overrule").at("void"), true);
}

TEST_F(ClassRules, FinalPointsAreNotReducedAndCostNoFreeDays) {
  policy_.deadlines = {{"scan", 10 * kSecondsPerDay}, {"transpose", 20 * kSecondsPerDay}};
  policy_.free_days = 1;
  hand_in("scan", "a", {.time = 11 * kSecondsPerDay});
  hand_in("transpose", "b", {.time = 21 * kSecondsPerDay});
  add(key("scan", "a"), 2);
  add(key("transpose", "b"), 10);
  decide("a", 8);
  take();
  EXPECT_EQ(scan().points, 8);
  EXPECT_EQ(table_.rows[0].standings["transpose"].points, 10);
}

TEST_F(ClassRules, WhatIsAcceptedStaysAsItIsGraded) {
  policy_.deadline = 10 * kSecondsPerDay;
  hand_in("scan", "a", {.time = 11 * kSecondsPerDay});
  add(key("scan", "a"), 5, Verdict::review);
  take();
  EXPECT_THAT(remarks_text(table_), HasSubstr("anna: scan: review"));
  decide("a", 4.5, /*is_accepted=*/true);
  hand_in("scan", "a", {.time = 11 * kSecondsPerDay});
  take();
  EXPECT_EQ(scan().points, 4.5);
  EXPECT_EQ(remarks_text(table_), "");
  EXPECT_THAT(scan().whys,
              ElementsAre("1 day late, 10 % off", "accepted by eve on 2026-02-03: looked at it"));
  add(key("scan", "a"), 0, Verdict::grader_error);
  hand_in("scan", "a", {.time = 11 * kSecondsPerDay});
  EXPECT_TRUE(take()) << "who accepts points accepts no failure";
  EXPECT_THAT(remarks_text(table_), HasSubstr("grader-error"));
}

TEST_F(ClassRules, WhatWasNotHandedInMayHavePoints) {
  table_.facts["scan"].max_points = 10;
  decide("", 6);
  take();
  EXPECT_EQ(scan().points, 6);
  EXPECT_EQ(scan().max_points, 10);
  EXPECT_EQ(points_csv(table_),
            "id,name,scan,transpose,total,reasons\r\nanna,,6.0,0.0,6.0,scan: 6.0: overruled by eve on "
            "2026-02-03: looked "
            "at it\r\n");
  store_.add(
      Overrule{.student = "anna", .exercise = "scan", .is_withdrawn = true, .reason = "r", .who = "eve"});
  table_.rows[0].standings.clear();
  take();
  EXPECT_THAT(points_csv(table_), HasSubstr("anna,,0.0,0.0,0.0\r\n"));
  ASSERT_EQ(store_.overrules("anna", "scan").size(), 2U) << "all stays on record";
  EXPECT_EQ(store_.overrules("anna", "scan")[0].points, 6);
}

TEST_F(ClassRules, SaysWhosePointsANewReleaseMovedAndWhy) {
  const std::string old_report =
      R"({"exercises": [{"correctness": {"cases": [{"name": "1 x 1", "verdict": "passed"}]},
          "technique": {"gates": [{"name": "store-sectors", "verdict": "inefficient"}]},
          "speed": {"verdict": "not-measured", "points_share": null}}]})";
  const std::string new_report =
      R"({"exercises": [{"correctness": {"cases": [{"name": "1 x 1", "verdict": "passed"}]},
          "technique": {"gates": [{"name": "store-sectors", "verdict": "passed"}]},
          "speed": {"verdict": "passed", "points_share": 0.5}}]})";
  hand_in("scan", "a");
  hand_in("transpose", "b");
  add(key("scan", "a", "1.0"), 6, Verdict::inefficient, old_report);
  add(key("transpose", "b", "1.0"), 10);
  add(key("scan", "a"), 0, Verdict::grader_error);
  add(key("scan", "a"), 9, Verdict::passed, new_report);
  add(key("transpose", "b"), 10);
  take(/*first_new=*/3);
  EXPECT_EQ(
      moves_text(table_, store_),
      "  anna: scan: 9.0 (passed, by 2.0), was 6.0 (inefficient, by 1.0): gate store-sectors: passed, was "
      "inefficient; speed: passed (50 % of its points), was not-measured\n");
  EXPECT_EQ(rules_json(scan()).at("before").at("lockstep"), "1.0");
  EXPECT_EQ(rules_json(scan()).at("before").at("points"), 6);
  hand_in("scan", "a");
  take(/*first_new=*/6);
  EXPECT_EQ(moves_text(table_, store_), "") << "of this run alone";
  EXPECT_TRUE(scan().before) << "on record all the same";
}

TEST_F(ClassRules, UnknownTimesAreSaidOnce) {
  policy_.deadline = kSecondsPerDay;
  hand_in("scan", "a");
  add(key("scan", "a"), 7);
  take();
  EXPECT_EQ(scan().points, 7);
  EXPECT_THAT(table_.problems,
              ElementsAre("scan: 1 file counted as in time, since nobody says when they were handed in"));
}

}  // namespace
}  // namespace lockstep::classroom
