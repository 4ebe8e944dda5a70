// Names that a student chose: shown as they are written, whatever they would expand to.
#include "text/demangled.h"

#include <gtest/gtest.h>

#include <chrono>

#include "emulator/core/observations.h"
#include "report/finding_words.h"

namespace lockstep::emulator {
namespace {

using text::demangled;
using text::shortened;

/// transpose(pair<pair<…>, pair<…>>): each level refers to the one before twice.
std::string doubling_name(int levels) {
  const auto reference = [](int k) {
    const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
    std::string number;
    for (; k >= 0; k = k / 36 - 1) number.insert(number.begin(), digits[static_cast<std::size_t>(k % 36)]);
    return "S" + number + "_";
  };
  std::string name = "_Z9transposeSt4pairIiiE";
  for (int k = 0; k < levels; ++k) name += "S_I" + reference(k) + reference(k) + "E";
  return name;
}

TEST(Demangled, SaysWhatIsWritten) {
  EXPECT_EQ(demangled("_Z16transpose_kernelPKfPfii"), "transpose_kernel(float const*, float*, int, int)");
  EXPECT_EQ(demangled("_ZN6course4scanIiLj256EEEvPT_S2_j"),
            "void course::scan<int, 256u>(int*, int*, unsigned int)");
  EXPECT_EQ(demangled("_Z9transposePKfPfiiP11CUstream_st"),
            "transpose(float const*, float*, int, int, CUstream_st*)");
  EXPECT_EQ(demangled("transpose"), "transpose");
  EXPECT_EQ(demangled("_Zno name"), "_Zno name");
  EXPECT_EQ(demangled("f"), "f") << "not the type float";
  EXPECT_EQ(demangled(""), "");
}

TEST(Demangled, NamesThatDoubleThemselvesTakeBoundedTimeAndText) {
  const auto begin = std::chrono::steady_clock::now();
  for (int levels = 0; levels < 200; ++levels) {
    Finding finding;
    finding.kernel = doubling_name(levels);
    EXPECT_LT(report::text_of(finding).size(), 1000U) << levels;
  }
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
  EXPECT_EQ(demangled(doubling_name(1)),
            "transpose(std::pair<int, int>, std::pair<std::pair<int, int>, std::pair<int, int> >)");
  EXPECT_EQ(demangled(doubling_name(30)), "transpose(…)");
}

TEST(FindingText, WhatAProgramSaysStaysWithinItsLine) {
  const std::string forged = "x\n\nforged\u0085\u009B\u202E\u2028\x1b[2J\xFF";
  Finding finding = Finding::make(Finding::Cause::unordered_accesses);
  finding.object.name = finding.kernel = forged;
  finding.line = finding.other_line = {forged, 1};
  finding.stack = {finding.line, finding.line};
  const std::string text = report::text_of(finding);
  EXPECT_EQ(
      text,
      "race in x  forged? at x  forged?:1\n  access of byte 0 of 'x  forged?', which another thread wrote at "
      "x  forged?:1 in the same launch, with no fence followed by an atomic operation or the store of a flag "
      "between the two blocks\n  in x  forged?:1\n"
      "    called at x  forged?:1\n  the earlier access: x  forged?:1\n"
      "  block (0, 0, 0), thread (0, 0, 0)\n");
}

TEST(Demangled, NamesWithManyReferencesAreToldByTheirScopes) {
  std::string references;
  for (int k = 0; k < 20; ++k) references += "S0_";
  EXPECT_EQ(demangled("_ZN3cub6detail4scanIPiS" + references + "EEvT_"), "cub::detail::scan<…>(…)");
  EXPECT_EQ(demangled("_ZN3cub6detail999scanIPiS" + references + "EEvT_"), "cub::detail(…)");
  EXPECT_EQ(demangled("_Z" + references), "_Z" + references);
  EXPECT_EQ(demangled("_Z1fIJiiiEEvDpSt4pairIT_S1_E"), "f<…>(…)") << "a pack may be long";
}

TEST(Demangled, LongNamesAreCut) {
  const std::string name(100'000, 'n');
  EXPECT_EQ(demangled(name), std::string(500, 'n') + "…");
  EXPECT_EQ(demangled("_Z100000" + name + "v"), std::string(500, 'n') + "…");
}

TEST(Shortened, IsNotCutInsideACharacter) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("a\u00e9b", 2), "a…");
  EXPECT_EQ(shortened("\x80\x80\x80", 2), "…");
}

}  // namespace
}  // namespace lockstep::emulator
