// submission_metadata.yml of a Gradescope export. Gradescope publishes no schema: the members are those that
// its users' scripts read, ":submitters" with ":name", ":sid" and ":email", ":created_at" and ":history"; the
// layout is that of Psych, Ruby's writer of YAML by libyaml (https://github.com/ruby/psych).
#include "classroom/gradescope.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace lockstep::classroom {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

TEST(GradescopeMetadata, TakesSubmittersAndTimesAndPassesOverTheRest) {
  const auto found = read_gradescope_metadata(R"(---
submission_101:
  :submitters:
  - :name: Anna Ångström
    :sid: '00123'
    :email: anna@example.org
  :created_at: 2026-02-03 04:05:06.789000000 Z
  :score: 7.5
  :status: processed
  :results:
    output: |-
      submission_999:
        :submitters:
        - :name: Mallory
    tests:
    - name: one
      output: "  :submitters:\n  - :sid: '1'\n"
  :history:
  - :id: 100
    :created_at: 2026-01-01 00:00:00.000000000 Z
submission_102:
  :submitters:
  - :name: Bob
    :sid: 7
    :email: b@example.org
  - :name: Cy
    :sid:
    :email: c@example.org
  :created_at: 2026-02-04 00:00:00.000000000 -08:00
)");
  ASSERT_THAT(found, SizeIs(2));
  EXPECT_EQ(found[0].folder, "submission_101");
  ASSERT_THAT(found[0].submitters, SizeIs(1));
  EXPECT_EQ(found[0].submitters[0].name, "Anna Ångström");
  EXPECT_EQ(found[0].submitters[0].sid, "00123");
  EXPECT_EQ(found[0].submitters[0].email, "anna@example.org");
  EXPECT_EQ(found[0].created_at, "2026-02-03 04:05:06.789000000 Z");
  ASSERT_THAT(found[1].submitters, SizeIs(2));
  EXPECT_EQ(found[1].submitters[0].sid, "7");
  EXPECT_EQ(found[1].submitters[1].name, "Cy");
  EXPECT_EQ(found[1].submitters[1].sid, "");
  EXPECT_EQ(found[1].created_at, "2026-02-04 00:00:00.000000000 -08:00");
  for (const auto& submission : found) EXPECT_EQ(submission.problem, "");
}

std::string name_of(const std::string& value) {
  const auto found =
      read_gradescope_metadata("submission_1:\n  :submitters:\n  - :sid: '1'\n    :name: " + value +
                               "\n  :created_at: 2026-02-03 04:05:06 Z\n");
  if (found.size() != 1) return "not one submission";
  if (!found[0].problem.empty()) return "problem: " + found[0].problem;
  EXPECT_EQ(found[0].created_at, "2026-02-03 04:05:06 Z") << value;
  return found[0].submitters.size() == 1 ? found[0].submitters[0].name : "not one submitter";
}

TEST(GradescopeMetadata, ReadsEveryQuoteThatAWriterMakesOfAName) {
  EXPECT_EQ(name_of("'O''Brien: \"x\" #1'"), "O'Brien: \"x\" #1");
  EXPECT_EQ(name_of(R"("a\tb\x1B\u00E9\U0001F600\\\"")"), "a\tb\x1B\xC3\xA9\xF0\x9F\x98\x80\\\"");
  EXPECT_EQ(name_of("\"one\\\n      \\ two\""), "one two") << "a long text, broken with a backslash";
  EXPECT_EQ(name_of("'one\n      two'"), "one two");
  EXPECT_EQ(name_of("'one\n\n      two'"), "one\ntwo") << "an empty line is a line break";
  EXPECT_EQ(name_of(R"("\N\_\L\P")"), "\xC2\x85\xC2\xA0\xE2\x80\xA8\xE2\x80\xA9");
  EXPECT_EQ(name_of("one\n      two"), "one two");
  EXPECT_EQ(name_of("~"), "");
}

TEST(GradescopeMetadata, OfWhatItDoesNotKnowNothingCounts) {
  EXPECT_THAT(name_of("!ruby/object:Gem::Installer"),
              HasSubstr("problem: has a value in line 4 that is no plain"));
  for (const char* value : {"&1 Anna", "*1", "|-\n      Anna", "{a: b}"})
    EXPECT_THAT(name_of(value), HasSubstr("that is no plain text")) << value;
  EXPECT_EQ(name_of("\"\\q\""), "problem: has an escape that is not known");
  EXPECT_EQ(name_of("\"\\UFFFFFFFF\""), "problem: has a character that does not exist");
  EXPECT_EQ(name_of("'Anna"), "problem: has a quote in line 4 that does not end");
  EXPECT_EQ(name_of("'Anna' b"), "problem: goes on behind a quote in line 4");
}

TEST(GradescopeMetadata, AProblemIsOfOneSubmissionAlone) {
  const auto found = read_gradescope_metadata(
      "submission_1:\n  :submitters:\n  - :name: *1\n    :sid: '1'\nsubmission_2:\n  :submitters: []\n"
      "submission_3:\n  :submitters:\n  - :sid: '3'\nsubmission_4:\n  :submitters:\n  - :sid: '4'\n  "
      ":submitters:\n"
      "  - :sid: '5'\n");
  ASSERT_THAT(found, SizeIs(4));
  EXPECT_THAT(found[0].problem, HasSubstr("line 3"));
  EXPECT_EQ(found[1].problem, "names no submitter");
  EXPECT_EQ(found[2].problem, "");
  EXPECT_EQ(found[3].problem, "has two lists of submitters");
}

TEST(GradescopeMetadata, SaysWhatIsNoSuchFile) {
  EXPECT_THAT(read_gradescope_metadata(""), IsEmpty());
  for (const char* text : {"\x01\xFF", "- a\n", "submission_1: {}\n", "{\"submission_1\": 1}",
                           "\"submission_1\":\n", "---\nsubmission_1:\n  :submitters:\n  - :sid: '1'\n...\n"})
    EXPECT_THROW(read_gradescope_metadata(text), TableError) << text;
}

}  // namespace
}  // namespace lockstep::classroom
