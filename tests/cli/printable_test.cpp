// Foreign text made safe to show.
#include "report/printable.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/text_style.h"
#include "text/wording.h"

namespace lockstep::test {
namespace {

using namespace report;
using namespace result;
using testing::ElementsAre;

TEST(Printable, KeepsOrdinaryText) {
  for (const char* text : {"α ≤ 3", "größe.cu", "日本語", "שלום", "naïve — “so”", "🙂", "0x7f ~ \\n"})
    EXPECT_EQ(printable(text), text);
}

TEST(Printable, IsOneLine) {
  EXPECT_EQ(printable("α ≤ 3\nnext\r\n"), "α ≤ 3 next ");
  EXPECT_EQ(printable_lines("α ≤ 3\nnext\r\n"), "α ≤ 3\nnext\n");
}

// By class: what a terminal takes for a line break or a control, what changes the order, what shows nothing.
TEST(Printable, DropsWhatNobodySees) {
  for (const char* hidden :
       {"\u0085", "\u009B",     "\u2028",     "\u2029",  // line breaks and a C1 introducer
        "\u061C", "\u200E",     "\u200F",     "\u202A",     "\u202E", "\u2066", "\u2069",  // direction
        "\u00AD", "\u034F",     "\u180E",     "\u200B",     "\u200D", "\u2060", "\u2064",
        "\uFEFF",                                                      // no width
        "\u115F", "\u3164",     "\uFFA0",                              // fillers
        "\uFE0F", "\U000E0041", "\U000E0100", "\U0001D173", "\uFFF9",  // selectors, tags, annotations
        "\uFFFE", "\uFFFF"}) {                                         // what no XML file may hold
    const std::string text = std::string("a").append(hidden).append("b");
    EXPECT_EQ(printable(text), "ab");
    EXPECT_EQ(printable_lines(text), "ab");
  }
  EXPECT_EQ(printable(std::string("a\0b", 3)), "ab");
}

TEST(ShellWord, QuotesWhatAShellWouldRead) {
  EXPECT_EQ(text::shell_word("solutions/05-transpose/rungs/tiled.cu"),
            "solutions/05-transpose/rungs/tiled.cu");
  EXPECT_EQ(text::shell_word("my file.cu"), "'my file.cu'");
  EXPECT_EQ(text::shell_word("it's; rm"), "'it'\\''s; rm'");
  EXPECT_EQ(text::shell_word(""), "''");
}

TEST(Printable, DropsEscapeSequences) {
  EXPECT_EQ(printable("a\x1B[1;31mb\x1B[0mc"), "abc");
  EXPECT_EQ(printable("a\x1B]0;title\ab"), "ab");
  EXPECT_EQ(printable("a\x1B]8;;http://x\x1B\\b"), "ab");
  EXPECT_EQ(printable("a\x1B"
                      "7b"),
            "ab");
  EXPECT_EQ(printable("a\x1B"), "a");
  EXPECT_EQ(printable("a\x1B[31"), "a");
}

TEST(Printable, DropsControlsAndDirectionMarks) {
  EXPECT_EQ(printable("a\r\b\a\x7F"
                      "b"),
            "ab");
  EXPECT_EQ(printable("a\xC2\x9B"
                      "31mb"),
            "a31mb");  // C1 control sequence introducer
  EXPECT_EQ(printable("a\xE2\x80\xAE"
                      "b"),
            "ab");  // right-to-left override
  EXPECT_EQ(printable("a\tb"), "a    b");
}

TEST(Printable, ReplacesWhatIsNotUtf8) {
  EXPECT_EQ(printable("\xFF\xFE"), "??");
  EXPECT_EQ(printable("\xC3("), "?(");
  EXPECT_EQ(printable("\xC0\xAF"), "??");            // overlong
  EXPECT_EQ(printable("\xED\xA0\x80"), "???");       // half of a surrogate pair
  EXPECT_EQ(printable("\xF4\x90\x80\x80"), "????");  // beyond U+10FFFF
  EXPECT_EQ(printable("\xE2\x82"), "??");            // cut short
}

TEST(Cut, CountsColumnsNotBytes) {
  EXPECT_EQ(cut("ααα", 3), "ααα");
  EXPECT_EQ(cut("αααα", 3), "αα…");
}

TEST(Wrap, BreaksBetweenWordsAndInsideLongOnes) {
  EXPECT_THAT(wrap("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(wrap("αααααααα", 3), ElementsAre("ααα", "ααα", "αα"));
  EXPECT_THAT(wrap("", 5), ElementsAre());
}

TEST(SplitLines, DropsEmptyLinesAtTheEndOnly) {
  EXPECT_THAT(split_lines("a\n\nb\n \n"), ElementsAre("a", "", "b"));
}

TEST(Quote, OfALongFileNameTheEndIsShown) {
  const report::TextStyle style{.colour = false, .width = 100};
  const std::string text = quote(style, {"/home/" + std::string(200, 'a') + "/größe.cu", 7, "x = 1;"}, "", 2);
  const std::string name = text.substr(0, text.find('\n'));
  EXPECT_EQ(name, "  …" + std::string(50, 'a') + "/größe.cu:7");
}

}  // namespace
}  // namespace lockstep::test
