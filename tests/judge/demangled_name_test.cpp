// Names that a submission chose: read without demangling, demangled only when that is short work, and
// bounded.
#include "course/demangled_name.h"

#include <gtest/gtest.h>

namespace lockstep::course {
namespace {

/// transpose(pair<pair<…>, pair<…>>) with `levels` of pairs: each doubles the text.
std::string doubling_symbol(int levels) {
  constexpr std::string_view kDigits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string symbol = "_Z9transposeSt4pairIiiE";
  std::string last = "S0_";
  for (int level = 0; level < levels; ++level) {
    symbol += "S_I" + last + last + "E";
    last = std::string("S") + kDigits[static_cast<std::size_t>(level) + 1] + '_';
  }
  return symbol;
}

TEST(DemangledName, ReadsAsWritten) {
  EXPECT_EQ(demangled_name("_Z9transposePKfPfiiP11CUstream_st"),
            "transpose(float const*, float*, int, int, CUstream_st*)");
  EXPECT_EQ(demangled_name("transpose"), "transpose");
  EXPECT_EQ(demangled_name("_Zno name"), "_Zno name");
}

TEST(DemangledName, ASymbolOfABillionCharactersIsLeftAsItIs) {
  const std::string symbol = doubling_symbol(30);
  EXPECT_LT(symbol.size(), 512U);
  EXPECT_EQ(demangled_name(symbol), symbol);
  const std::string packs = "_Z1fIJiiiEEvDpSt4pairIT_S1_E";
  EXPECT_EQ(demangled_name(packs), packs);
}

TEST(DemangledName, IsBounded) {
  const std::string letters(60000, 'a');
  EXPECT_EQ(demangled_name(letters), letters.substr(0, kMostNameBytes) + "…");
  EXPECT_EQ(demangled_name("_Z60000" + letters + "v").size(), kMostNameBytes + std::string("…").size());
  EXPECT_EQ(demangled_name(doubling_symbol(4)).size(), kMostNameBytes + std::string("…").size());
}

TEST(DemangledName, IsNotCutInsideACharacter) {
  EXPECT_EQ(shortened("abc", 3), "abc");
  EXPECT_EQ(shortened("a\u00e9b", 2), "a…");
  EXPECT_EQ(shortened("\x80\x80\x80", 2), "…");
}

TEST(UnqualifiedName, IsReadFromTheSymbol) {
  EXPECT_EQ(unqualified_name("_Z9transposePKfPfiiP11CUstream_st"), "transpose");
  EXPECT_EQ(unqualified_name("_ZN5other9transposeEi"), "transpose");
  EXPECT_EQ(unqualified_name("_Z9transposeIfEvPKT_PS0_ii"), "transpose");
  EXPECT_EQ(unqualified_name("transpose_c"), "transpose_c");
  EXPECT_EQ(unqualified_name("_Zpl1aS_"), "");
  EXPECT_EQ(unqualified_name("_Z99transpose"), "");
  EXPECT_EQ(unqualified_name("_Z99999999999999999999transpose"), "");
  EXPECT_EQ(unqualified_name("_Z"), "");
}

}  // namespace
}  // namespace lockstep::course
