// Rosters as spreadsheets and course systems write them.
#include "classroom/roster.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lockstep::classroom {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

TEST(Roster, TakesTwoColumnsWhereverTheyAre) {
  EXPECT_THAT(read_roster("mail,Name, ID \na@example.org,Anna,17\nb@example.org,Bob,18\n"),
              ElementsAre(Student{"17", "Anna"}, Student{"18", "Bob"}));
  EXPECT_THAT(read_roster("id\nanna"), ElementsAre(Student{"anna", ""})) << "no names, no last line break";
  EXPECT_THAT(read_roster("id,name\n"), IsEmpty());
}

TEST(Roster, ReadsQuotesLineBreaksAndAByteOrderMark) {
  EXPECT_THAT(read_roster("\xEF\xBB\xBFid,name\r\n1,\"Ångström, \"\"A.\"\"\"\r\n\r\n2,\"two\nlines\"\r\n"),
              ElementsAre(Student{"1", "Ångström, \"A.\""}, Student{"2", "two\nlines"}));
}

TEST(Roster, SaysWhatIsWrongAndWhere) {
  const auto says = [](const std::string& table) -> std::string {
    try {
      read_roster(table);
    } catch (const RosterError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(says(""), "the roster is empty");
  EXPECT_THAT(says("name,mail\nA,B\n"), HasSubstr("the roster has no column \"id\""));
  EXPECT_EQ(says("id,name\n1,A\n1,B\n"), "line 3 of the roster has the id 1 for the second time");
  EXPECT_EQ(says("id,name\n\"1\",\"two\nlines\"\n,B\n"), "line 4 of the roster has no id");
  EXPECT_EQ(says("id,name\n1,\"A\n2,B\n"), "a quote in line 2 of the roster does not end");
  EXPECT_EQ(says("id,name\n\"1\"2,A\n"), "line 2 of the roster goes on after a closing quote");
}

}  // namespace
}  // namespace lockstep::classroom
