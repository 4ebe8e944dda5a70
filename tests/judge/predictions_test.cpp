// Files of predictions: what is read, what is reported of a file that says something wrong, and what a
// prediction is compared with.
#include "judge/predictions.h"

#include <gmock/gmock.h>

#include <stdexcept>

namespace lockstep::judge {
namespace {

using emulator::LineCounters;
using result::PredictionResult;
using result::SourceRemark;
using result::Verdict;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

course::Prediction sectors(const std::string& name) {
  course::Prediction one;
  one.name = name;
  one.question = "How many sectors?";
  one.unit = "sectors per request";
  one.case_name = "large";
  one.counted = [](const LineCounters& line) { return static_cast<double>(line.global_load.units); };
  one.per = [](const LineCounters& line) { return static_cast<double>(line.global_load.requests); };
  one.why = "The lanes are apart.";
  return one;
}

PredictionFile read(const std::string& text) {
  return read_predictions("predictions.txt", text, {sectors("first_sectors"), sectors("second_sectors")});
}

/// Of a file whose other lines are sound: what is reported of it.
std::vector<SourceRemark> reports_on(const std::string& line) {
  const PredictionFile file = read("first_sectors = 4\n" + line + "\nsecond_sectors = 5\n");
  EXPECT_EQ(file.numbers.at("first_sectors"), 4) << "the lines before are graded";
  EXPECT_EQ(file.numbers.at("second_sectors"), 5) << "and those after it";
  return file.unread;
}

auto is_on_line(unsigned line, const std::string& words) {
  return AllOf(testing::Field(&SourceRemark::place, testing::Field(&result::Place::line, line)),
               testing::Field(&SourceRemark::sentence, HasSubstr(words)));
}

TEST(PredictionFile, HoldsNumbersQuestionMarksAndComments) {
  const PredictionFile file =
      read("\xEF\xBB\xBF# of a course\r\n\n \tfirst_sectors=4.5 # between\r\nsecond_sectors = ?");
  EXPECT_THAT(file.numbers, ElementsAre(Pair("first_sectors", 4.5)));
  EXPECT_THAT(file.unread, IsEmpty());
}

TEST(PredictionFile, ReportsALineThatSaysNothingByItsNumber) {
  EXPECT_THAT(reports_on("five"), ElementsAre(is_on_line(2, "It has no =")));
  EXPECT_THAT(reports_on("= 5"), ElementsAre(is_on_line(2, "No prediction is named \"\"")));
  EXPECT_THAT(reports_on("frist_sectors = 5"),
              ElementsAre(is_on_line(2, "\"frist_sectors\"; did you mean first_sectors")));
  EXPECT_THAT(reports_on("occupancy = 5"),
              ElementsAre(is_on_line(2, "there are first_sectors, second_sectors")));
  EXPECT_THAT(reports_on("first_sectors = 5"), ElementsAre(is_on_line(2, "stands on line 1 already")));
}

TEST(PredictionFile, TakesNumbersFromZeroOnAlone) {
  const auto report = [](const std::string& value) {
    const PredictionFile file = read("first_sectors = " + value + "\nsecond_sectors = 5\n");
    EXPECT_THAT(file.numbers, ElementsAre(Pair("second_sectors", 5))) << value;
    EXPECT_EQ(file.unread.size(), 1U) << value;
    return file.unread.at(0).sentence;
  };
  for (const char* value :
       {"", "many", "4 sectors", "4,5", "0x20", "+4", "4 = 5", "nan", "\xE2\x91\xA3", "??"})
    EXPECT_THAT(report(value), HasSubstr("is no number")) << value;
  for (const char* value : {"-1", "1e10", "1e999", "inf", "-inf"})
    EXPECT_THAT(report(value), HasSubstr("is out of range")) << value;
  EXPECT_EQ(read("first_sectors = 1e2\nsecond_sectors = 0\n").numbers,
            (std::map<std::string, double>{{"first_sectors", 100}, {"second_sectors", 0}}));
}

TEST(PredictionFile, NamesWhatItLacks) {
  const PredictionFile file = read("second_sectors = 5\n");
  EXPECT_THAT(file.unread, ElementsAre(is_on_line(0, "predictions.txt has no line for first_sectors")));
  EXPECT_THAT(file.numbers, ElementsAre(Pair("second_sectors", 5)));
}

TEST(PredictionFile, QuotesALongLineByItsBeginning) {
  const std::vector<SourceRemark> unread = reports_on("first_sectors = " + std::string(1 << 19, '7'));
  ASSERT_EQ(unread.size(), 1U) << "it comes again";
  for (const std::string& line : {std::string(1 << 19, 'x'), std::string(1 << 19, 'x') + " = 1",
                                  "\x1B[2J\x07" + std::string(1 << 19, '\x01')}) {
    const std::vector<SourceRemark> of_line = reports_on(line);
    ASSERT_EQ(of_line.size(), 1U);
    EXPECT_EQ(of_line[0].place.line, 2U);
    EXPECT_LT(of_line[0].place.text.size(), 600U);
    EXPECT_LT(of_line[0].sentence.size(), 600U);
  }
}

TEST(PredictionFile, ReportsTheFirstOfManyLinesAndCountsTheOthers) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "nothing\n";
  const PredictionFile file = read(text + "first_sectors = 4\nsecond_sectors = 5\n");
  ASSERT_EQ(file.unread.size(), kMaxUnreadLines + 1);
  EXPECT_EQ(file.unread[9].place.line, 10U);
  EXPECT_THAT(file.unread.back(), is_on_line(0, "99990 further lines"));
  EXPECT_THAT(file.numbers, UnorderedElementsAre(Pair("first_sectors", 4), Pair("second_sectors", 5)));
}

/// Two lines of kernels.cu, of which the second loads 32 sectors with each of 3 requests, and the first 4
/// with one.
emulator::Observations observations() {
  emulator::Observations observed;
  observed.lines.resize(2);
  observed.lines[0].line = {"kernels.cu", 1};
  observed.lines[0].global_load = {.requests = 1, .units = 4};
  observed.lines[1].line = {"kernels.cu", 2};
  observed.lines[1].global_load = {.requests = 3, .units = 96};
  return observed;
}

PredictionResult judged(const course::Prediction& one, std::optional<double> predicted) {
  return judge_prediction(one, predicted, observations(), SourceText("kernels.cu", "int a;\nint b;\n"));
}

TEST(PredictionResult, StandsBesideWhatWasMeasured) {
  const PredictionResult right = judged(sectors("first_sectors"), 25);
  EXPECT_EQ(right.verdict, Verdict::passed);
  EXPECT_EQ(right.measured, 25);
  EXPECT_THAT(right.places, IsEmpty());
  EXPECT_EQ(right.why, "");

  const PredictionResult wrong = judged(sectors("first_sectors"), 4);
  EXPECT_EQ(wrong.verdict, Verdict::wrong_answer);
  EXPECT_EQ(wrong.measured, 25);
  ASSERT_EQ(wrong.places.size(), 1U);
  EXPECT_EQ(wrong.places[0].text, "int b;") << "the line that counts most";
  EXPECT_EQ(wrong.why, "The lanes are apart.");
}

TEST(PredictionResult, ShowsNothingWhereNothingWasPredicted) {
  const PredictionResult open = judged(sectors("first_sectors"), std::nullopt);
  EXPECT_EQ(open.verdict, Verdict::wrong_answer);
  EXPECT_EQ(open.measured, std::nullopt);
  EXPECT_THAT(open.places, IsEmpty());
  EXPECT_EQ(open.why, "");
}

TEST(PredictionResult, ThatIsWithheldIsShownWhenItIsRight) {
  course::Prediction one = sectors("first_sectors");
  one.is_withheld = true;
  EXPECT_EQ(judged(one, 4).measured, std::nullopt);
  EXPECT_EQ(judged(one, 4).why, "The lanes are apart.");
  EXPECT_EQ(judged(one, 25).measured, 25);
}

TEST(PredictionResult, IsComparedExactly) {
  const course::Prediction one = sectors("first_sectors");
  EXPECT_EQ(judged(one, 25).verdict, Verdict::passed);
  EXPECT_EQ(judged(one, 24.999).verdict, Verdict::wrong_answer);
}

TEST(PredictionResult, NeedsACount) {
  course::Prediction one = sectors("first_sectors");
  one.per = [](const LineCounters& line) { return static_cast<double>(line.shared_load.requests); };
  EXPECT_THAT([&] { judged(one, 1); },
              testing::ThrowsMessage<std::runtime_error>(HasSubstr("nothing was counted for first_sectors")));
}

TEST(PredictionResult, OfASumNeedsNoDivisor) {
  course::Prediction one = sectors("first_sectors");
  one.per = nullptr;
  EXPECT_EQ(judged(one, 100).verdict, Verdict::passed);
}

}  // namespace
}  // namespace lockstep::judge
