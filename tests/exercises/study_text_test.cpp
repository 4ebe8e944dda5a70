// Text as all case studies read it, and the colours and marks of their pictures.
#include "study/text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "shell.h"
#include "study/svg.h"

namespace lockstep::study::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StrEq;

TEST(StudyText, IsQuotedByAtMostSixtyCharactersWithoutControl) {
  EXPECT_EQ(in_quotes(""), "\"\"");
  EXPECT_EQ(excerpt(std::string(60, 'x')), std::string(60, 'x'));
  EXPECT_EQ(excerpt(std::string(61, 'x')), std::string(60, 'x') + "…");
  EXPECT_EQ(in_quotes("a\x1b[31m\tb\x7f"), "\"a?[31m?b?\"");
  std::string greek;
  for (int i = 0; i < 61; ++i) greek += "τ";
  EXPECT_EQ(excerpt(greek), greek.substr(0, 120) + "…");
  EXPECT_EQ(excerpt("Å\xc3|\xff|\xe2\x82|\xc2\x9b|€|😀"), "Å?|?|??|?|€|😀");
}

TEST(StudyText, FieldsStandBetweenSeparatorsThatAreNotQuoted) {
  EXPECT_THAT(fields_of(" a ,\"b, c\",,d\r", ','), ElementsAre("a", "b, c", "", "d"));
  EXPECT_THAT(fields_of("", ','), ElementsAre(""));
  EXPECT_THAT(pieces_of("a,\"b,", ','), ElementsAre("a", "\"b", ""));
  EXPECT_THAT(pieces_of("", ','), ElementsAre(""));
  EXPECT_EQ(trimmed(" \t\r"), "");
  EXPECT_EQ(trimmed(" a b\r"), "a b");
}

TEST(StudyText, ANumberIsTheWholeText) {
  EXPECT_EQ(number_of<double>("+1.5e3"), 1500);
  EXPECT_EQ(number_of<int>("-7"), -7);
  EXPECT_TRUE(std::isnan(number_of<double>("nan").value()));
  for (const char* wrong : {"", "+", "+-1", "++1", " 1", "1 ", "1x", "1,5", "0x1", "1e999"})
    EXPECT_FALSE(number_of<double>(wrong)) << wrong;
  for (const char* wrong : {"1.5", "99999999999999999999"}) EXPECT_FALSE(number_of<int>(wrong)) << wrong;
}

TEST(StudyText, LinesThatSayNothingArePassedOver) {
  std::istringstream in("\xef\xbb\xbf# names\r\n\r\n  a b \r\n \t\n#\n# second\nlast");
  TextLines lines(in, "a.csv");
  std::string line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "a b");
  EXPECT_EQ(lines.remark(), " names");
  try {
    lines.fail("wrong");
  } catch (const std::runtime_error& error) {
    EXPECT_THAT(error.what(), StrEq("a.csv:3: wrong"));
  }
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "last");
  EXPECT_EQ(lines.number(), 7U);
  EXPECT_EQ(lines.remark(), " second");
  EXPECT_FALSE(lines.next(line));
}

TEST(StudyText, HasCharactersOfUtf8Alone) {
  EXPECT_EQ(excerpt("τ€🂡\xef\xbf\xbd"), "τ€🂡\xef\xbf\xbd");
  EXPECT_EQ(excerpt("\xed\xa0\x80|\xe0\x80\x80|\xf0\x80\x80\x80|\xf4\x90\x80\x80|\xc0\x80|\xe2\x82"),
            "???|???|????|????|??|??");
}

TEST(StudyText, TheFirstFieldBetweenTabsMayBeEmpty) {
  std::istringstream in(" \t10\t-5\t \r\n\t10 -5\n");
  TextLines lines(in, "a.tsv");
  std::string line;
  ASSERT_TRUE(lines.next(line));
  EXPECT_THAT(fields_of(line, '\t'), ElementsAre("", "10", "-5"));
  ASSERT_TRUE(lines.next(line));
  EXPECT_EQ(line, "10 -5");
}

std::string error_of_opening(const std::string& file) {
  try {
    opened(file);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(StudyText, AFileIsOpenedIfItIsOneAndNotCompressed) {
  const lockstep::test::TemporaryFolder folder;
  folder.write("a.txt", "abc");
  folder.write("a.gz", "\x1f\x8b\x08");
  folder.write("empty", "");
  const std::string path = folder.path().string() + '/';
  std::ifstream in = opened(path + "a.txt");
  EXPECT_EQ(begin_of(in, 2), "ab");
  EXPECT_EQ(begin_of(in, 9), "abc");
  EXPECT_EQ(in.get(), 'a');
  EXPECT_EQ(error_of_opening(path + "empty"), "");
  EXPECT_EQ(error_of_opening(path + "a.gz"), path + "a.gz is compressed: gunzip it first");
  EXPECT_TRUE(opened(path + "a.gz", true).good());
  EXPECT_EQ(error_of_opening(path + "none"), path + "none cannot be opened");
  EXPECT_EQ(error_of_opening("/dev/null"), "/dev/null is no regular file");
  EXPECT_EQ(error_of_opening(path), path + " is no regular file");
}

TEST(StudySvgMarks, HaveTheMinusOfPrint) {
  Svg svg(100, 100, "a");
  svg.mark_left(10, 20, "-5");
  svg.mark_below(10, 20, "3-4");
  EXPECT_THAT(svg.finished(),
              HasSubstr("d=\"M5 20L10 20\"/>\n<text x=\"1\" y=\"24.5\" class=\"end\">−5</text>"));
  EXPECT_THAT(svg.finished(), HasSubstr(">3-4</text>"));
  EXPECT_THAT(svg.finished(), Not(HasSubstr(">-5<")));
}

TEST(StudySvgColours, AreMixedWithinTheScale) {
  const Colour black{0, 0, 0}, other{255, 16, 1};
  EXPECT_EQ(mixed(black, other, 0), "#000000");
  EXPECT_EQ(mixed(black, other, 0.5), "#800801");
  EXPECT_EQ(mixed(black, other, 7), "#ff1001");
}

}  // namespace
}  // namespace lockstep::study::test
