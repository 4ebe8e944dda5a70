// Folders and temporary names leave the compiler's output, and no text is too long for that.
#include "build/compiler_output.h"

#include <gtest/gtest.h>

namespace lockstep::build {
namespace {

TEST(CompilerOutput, TemporaryNamesAreDropped) {
  EXPECT_EQ(without_temporary_names("/tmp/tmpxft_0000a1b2_00000000-6_scan.cudafe1.cpp:3: x"),
            "scan.cudafe1.cpp:3: x");
  EXPECT_EQ(without_temporary_names("in tmpxft_1_2-3_a and tmpxft_4_5-6_b"), "in a and b");
}

TEST(CompilerOutput, OtherTextStays) {
  for (const char* text : {"", "tmpxft_", "tmpxft_xyz", "tmpxft_12_34_5", "tmpxft_12_34-", "tmpxft_12_34-5",
                           "/tmp/tmpxft_12", "tmpxft_tmpxf"}) {
    EXPECT_EQ(without_temporary_names(text), text);
  }
  EXPECT_EQ(without_temporary_names("tmpxft_tmpxft_1_2-3_a"), "tmpxft_a");
}

TEST(CompilerOutput, LengthDoesNotMatter) {
  const std::string letters = "tmpxft_" + std::string(10'000'000, 'a');
  EXPECT_EQ(without_temporary_names(letters), letters);
  std::string folders;
  for (int i = 0; i < 1'000'000; ++i) folders += "/submission/";
  EXPECT_EQ(without(folders + "x", "/submission/"), "x");
}

TEST(CompilerOutput, AdviceThatCannotBeFollowedIsDropped) {
  EXPECT_EQ(without_advice("is not allowed. The experimental flag '--expt-relaxed-constexpr' can be used to "
                           "allow this.\n\nRemark: The warnings can be suppressed with \"-diag-suppress "
                           "<warning-number>\"\n\n1 error\n"),
            "is not allowed.\n\n1 error\n");
  EXPECT_EQ(without_advice("Remark: others stay\n"), "Remark: others stay\n");
}

TEST(CompilerOutput, KeywordsAreThoseThatWereWritten) {
  EXPECT_EQ(with_cuda_keywords("  __attribute__((shared)) int a[n];\n                              ^\n"),
            "  __shared__ int a[n];\n                 ^\n");
  const std::string line = "__attribute__((global)) void f() { __attribute__((device)) x; }\n";
  EXPECT_EQ(with_cuda_keywords(line + std::string(24, ' ') + '^'),
            "__global__ void f() { __device__ x; }\n" + std::string(11, ' ') + '^')
      << "what stands behind the mark moves nothing";
  EXPECT_EQ(with_cuda_keywords(line + "    ^"), "__global__ void f() { __device__ x; }\n^")
      << "inside of the keyword";
  for (const char* text :
       {"", "__attribute__((", "__attribute__((shared)", "__attribute__((unused)) x\n  ^\n", "   ^"})
    EXPECT_EQ(with_cuda_keywords(text), text);
}

TEST(CompilerOutput, LongLinesAreCut) {
  const std::string letters(5000, 'a');
  EXPECT_EQ(with_long_lines_cut("x\n" + letters + "\n\ny\n"), "x\n" + letters.substr(0, 2000) + "…\n\ny\n");
  EXPECT_EQ(with_long_lines_cut(""), "");
  EXPECT_EQ(with_long_lines_cut("no end"), "no end");
}

}  // namespace
}  // namespace lockstep::build
