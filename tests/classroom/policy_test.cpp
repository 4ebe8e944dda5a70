// What an instructor's rules make of points. Times are computed by hand from the calendar.
#include "classroom/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lockstep::classroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kDeadline = 1770159599;  // date -ud 2026-02-03T22:59:59Z +%s

TEST(ClassPolicy, ReadsTimesOfRfc3339AndOfRuby) {
  EXPECT_EQ(seconds_of_time("1970-01-01T00:00:00Z"), 0);
  EXPECT_EQ(seconds_of_time("2026-02-03T23:59:59+01:00"), kDeadline);
  EXPECT_EQ(seconds_of_time("2026-02-03 22:59:59.999999000 Z"), kDeadline);
  EXPECT_EQ(seconds_of_time("2026-02-03 14:59:59.000000000 -08:00"), kDeadline);
  EXPECT_EQ(seconds_of_time("2026-02-03 14:59:59 -0800"), kDeadline);
  EXPECT_EQ(seconds_of_time("2024-02-29T00:00:00Z"), 1709164800);
  for (const char* text :
       {"", "2026-02-03", "2026-02-03T23:59:59", "2026-02-30T00:00:00Z", "2026-13-01T00:00:00Z",
        "2026-02-03T24:00:00Z", "2026-02-03T23:59:59Z.", "2026-02-03T23:59:59.Z", "2026-02-03T23:59:59+25:00",
        "-026-02-03T23:59:59Z", "2026-02-03T23:59:59+1:00"})
    EXPECT_EQ(seconds_of_time(text), std::nullopt) << text;
}

Policy policy_of(const std::string& text) { return read_policy(text, {"scan", "transpose"}); }

TEST(ClassPolicy, LateDaysAreThoseBegunAfterTheGrace) {
  const Policy policy = policy_of(
      R"({"deadline": "2026-02-03T23:59:59+01:00", "grace_minutes": 10, "late_percent_per_day": 20,
          "late_days_at_most": 3})");
  const auto after = [&policy](std::int64_t seconds) {
    return effective_points(policy, "scan", 10, 10, {.time = kDeadline + seconds}, 0);
  };
  EXPECT_EQ(after(-kDay).points, 10);
  EXPECT_EQ(after(600).points, 10);
  EXPECT_THAT(after(600).whys, IsEmpty());
  EXPECT_EQ(after(601).points, 8);
  EXPECT_THAT(after(601).whys, ElementsAre("1 day late, 20 % off"));
  EXPECT_EQ(after(kDay).points, 8);
  EXPECT_EQ(after(kDay + 1).points, 6) << "the grace is before the first day alone";
  EXPECT_EQ(after(3 * kDay).points, 4);
  EXPECT_EQ(after(3 * kDay + 1).points, 0);
  EXPECT_THAT(after(3 * kDay + 1).whys, ElementsAre("4 days late, at most 3 count"));
}

TEST(ClassPolicy, FreeDaysCostNothing) {
  const Policy policy = policy_of(R"({"deadline": "2026-02-03T23:59:59+01:00", "free_late_days": 2})");
  EXPECT_EQ(policy.free_days, 2);
  const Effective effective = effective_points(policy, "scan", 10, 10, {.time = kDeadline + 3 * kDay}, 2);
  EXPECT_EQ(effective.points, 9) << "10 percent a day when nothing is said";
  EXPECT_EQ(effective.free_days, 2);
  EXPECT_EQ(effective.days_late, 3);
  EXPECT_THAT(effective.whys, ElementsAre("3 days late, 2 of them free, 10 % off"));
}

TEST(ClassPolicy, AMarkCountsWhereNoTimeIsKnown) {
  const Policy policy = policy_of(R"({"deadline": "2026-02-03T23:59:59+01:00", "days_of_late_mark": 2})");
  const HandIn marked{.is_marked_late = true};
  EXPECT_EQ(effective_points(policy, "scan", 10, 10, marked, 0).points, 8);
  EXPECT_THAT(effective_points(policy, "scan", 10, 10, marked, 0).whys,
              ElementsAre("2 days late, by its mark, 20 % off"));
  EXPECT_TRUE(effective_points(policy, "scan", 10, 10, {}, 0).time_is_unknown);
  EXPECT_EQ(effective_points(policy, "scan", 10, 10, {}, 0).points, 10);
  EXPECT_EQ(effective_points(policy_of("{}"), "scan", 10, 10, marked, 0).points, 10) << "no deadline";
}

TEST(ClassPolicy, FilesTimesCountOnlyWhereTheyAreToldTo) {
  const HandIn late{.file_time = kDeadline + kDay};
  const std::string deadline = R"("deadline": "2026-02-03T23:59:59+01:00")";
  EXPECT_TRUE(effective_points(policy_of("{" + deadline + "}"), "scan", 10, 10, late, 0).time_is_unknown);
  EXPECT_EQ(
      effective_points(policy_of("{" + deadline + R"(, "use_file_times": true})"), "scan", 10, 10, late, 0)
          .points,
      9);
}

TEST(ClassPolicy, ACurveGoesThroughItsPoints) {
  const Policy policy = policy_of(R"({"curve": [[0, 0], [60, 75], [100, 100]]})");
  const auto curved = [&policy](double earned) {
    return effective_points(policy, "scan", earned, 20, {}, 0).points;
  };
  EXPECT_DOUBLE_EQ(curved(0), 0);
  EXPECT_DOUBLE_EQ(curved(6), 7.5);
  EXPECT_DOUBLE_EQ(curved(12), 15);
  EXPECT_DOUBLE_EQ(curved(16), 17.5);
  EXPECT_DOUBLE_EQ(curved(20), 20);
  EXPECT_THAT(effective_points(policy, "scan", 6, 20, {}, 0).whys, ElementsAre("by the curve"));
  EXPECT_THAT(effective_points(policy, "scan", 20, 20, {}, 0).whys, IsEmpty());
}

TEST(ClassPolicy, DeadlinesOfSingleExercises) {
  const Policy policy = policy_of(
      R"({"deadline": "1970-01-01T00:00:10Z", "deadlines": {"scan": "1970-01-01T00:00:20Z"}, "attempts": "best"})");
  EXPECT_EQ(policy.deadline_of("transpose"), 10);
  EXPECT_EQ(policy.deadline_of("scan"), 20);
  EXPECT_EQ(policy.attempts, Policy::Attempts::best);
  EXPECT_EQ(policy_of("{}").deadline_of("scan"), std::nullopt);
  EXPECT_EQ(policy_of("{}").attempts, Policy::Attempts::last);
}

TEST(ClassPolicy, SaysWhatIsWrong) {
  const auto says = [](const std::string& text) -> std::string {
    try {
      policy_of(text);
    } catch (const PolicyError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(says("[]"), HasSubstr("a policy is an object"));
  EXPECT_THAT(says("{\"deadline\""), HasSubstr("a policy is an object"));
  EXPECT_EQ(says(R"({"dead_line": 1})"), "\"dead_line\" is no member of a policy");
  EXPECT_THAT(says(R"({"deadline": "2026-02-03"})"), HasSubstr("\"deadline\" is a time with its zone"));
  EXPECT_EQ(says(R"({"deadlines": {"scam": "1970-01-01T00:00:20Z"}})"),
            "\"deadlines\" names \"scam\", which is no exercise");
  EXPECT_EQ(says(R"({"late_percent_per_day": 101})"), "\"late_percent_per_day\" is a number from 0 to 100");
  EXPECT_EQ(says(R"({"free_late_days": 1.5})"), "\"free_late_days\" is a whole number");
  EXPECT_EQ(says(R"({"attempts": "all"})"), "\"attempts\" is \"last\" or \"best\"");
  for (const char* curve :
       {"1", "[]", "[[0, 0]]", "[[0, 0], [50, 60]]", "[[0, 0], [100, -1]]",
        "[[0, 0], [60, 70], [60, 80], [100, 100]]", "[[0, 50], [100, 40]]", "[[0, 0], 100]"})
    EXPECT_THAT(says(std::string(R"({"curve": )") + curve + "}"), HasSubstr("\"curve\" is a list of pairs"))
        << curve;
}

}  // namespace
}  // namespace lockstep::classroom
