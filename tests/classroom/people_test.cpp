// Who of the roster somebody is, whom a course system names in its own way: never a guess.
#include "classroom/people.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace lockstep::classroom {
namespace {

const std::vector<Student> kRoster = {
    {.id = "anna", .name = "Ångström, Anna", .sid = "00123", .email = "Anna@Example.org", .number = "501"},
    {.id = "bob", .name = "Bob Builder", .sid = "7", .email = "bob@example.org"},
    {.id = "bob2", .name = "Bob  BUILDER", .sid = "8"},
    {.id = "900", .name = "Cy de Vries"}};

TEST(People, AreJoinedByAllThatAgrees) {
  const auto how = [](const Person& person) {
    const Joined joined = join(person, kRoster);
    return joined.id + " by " + joined.how + joined.problem;
  };
  EXPECT_EQ(how({.name = "anna ångström", .sid = "00123", .email = "anna@example.org"}),
            "anna by sid and email and name");
  EXPECT_EQ(how({.sid = "00123"}), "anna by sid");
  EXPECT_EQ(how({.name = "Anna ÅNGSTRÖM"}), "anna by name");
  EXPECT_EQ(how({.run_together = "ångströmanna"}), "anna by name");
  EXPECT_EQ(how({.name = "Participant", .number = "501"}), "anna by number");
  EXPECT_EQ(how({.name = "Bob Builder", .sid = "8"}), "bob2 by sid and name") << "of two Bobs one";
  EXPECT_EQ(how({.run_together = "vriescyde", .number = "900"}), "900 by number and name");
  EXPECT_EQ(how({.run_together = "devriescy"}), "900 by name") << "nobody knows where a last name begins";
  EXPECT_EQ(how({.id = "bob"}), "bob by ") << "an entry of that name needs no agreement";
}

TEST(People, WhoMayBeSeveralIsNobody) {
  std::vector<std::string> candidates;
  const auto problem = [&candidates](const Person& person) {
    const Joined joined = join(person, kRoster);
    EXPECT_EQ(joined.id, "");
    candidates = joined.candidates;
    return joined.problem;
  };
  EXPECT_EQ(problem({.name = "Bob Builder"}), "may be bob or bob2 of the roster");
  EXPECT_THAT(candidates, testing::ElementsAre("bob", "bob2"));
  EXPECT_EQ(problem({.name = "Anna Ångström", .sid = "7"}), "may be anna or bob of the roster");
  EXPECT_EQ(problem({.name = "Anna Ångström", .sid = "99"}),
            "agrees with anna of the roster by name, which has another sid");
  EXPECT_EQ(problem({.name = "Anna Ångström", .number = "502"}),
            "agrees with anna of the roster by name, which has another number");
  EXPECT_EQ(problem({.name = "Somebody Else", .number = "900"}),
            "is called like 900 of the roster, and has another name")
      << "a system's number is no student's id by accident";
  EXPECT_EQ(problem({}), "has no name that is known");
}

TEST(People, OutsideTheRosterHaveTheSystemsId) {
  const Joined dora = join({.name = "Dora", .sid = "55", .email = "d@example.org"}, kRoster);
  EXPECT_EQ(dora.id, "55");
  EXPECT_EQ(dora.name, "Dora");
  EXPECT_FALSE(dora.is_in_roster);
  EXPECT_EQ(join({.name = "Dora", .email = "d@example.org"}, {}).id, "d@example.org");
  EXPECT_EQ(join({.name = "Dora", .number = "12"}, {}).id, "12");
  EXPECT_EQ(join({.name = "Dora"}, {}).id, "Dora");
}

TEST(People, AreShownOnOneLine) {
  EXPECT_EQ((Person{.name = "A\n\x1B[2Jb", .sid = "5", .email = "a@b"}).shown(), "A b (sid 5, a@b)");
  EXPECT_EQ((Person{.number = "5"}).shown(), "number 5");
  EXPECT_EQ(Person{}.shown(), "somebody without a name");
}

}  // namespace
}  // namespace lockstep::classroom
