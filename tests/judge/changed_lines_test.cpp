// Changed lines of a bug hunt: layout and comments count nothing, a statement counts one wherever it stands,
// and no way of writing hides one.
#include "judge/changed_lines.h"

#include <gmock/gmock.h>

namespace lockstep::judge {
namespace {

using testing::ElementsAre;

const std::string kProgram = R"(#include "sum.h"

// Adds up.
__global__ void sum_kernel(const int* in, int* out, int n) {
  int sum = 0;  // of all
  for (int i = 0; i < n; ++i) sum += in[i];
  *out = sum;
}
)";

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  return text.replace(text.find(what), what.size(), by);
}

std::size_t changes(const std::string& what, const std::string& by) {
  return changed_lines(kProgram, replaced(kProgram, what, by));
}

/// Of statements that are added where the function ends.
std::size_t added(const std::string& text) { return changes("  *out", text + "\n  *out"); }

TEST(ChangedLines, APieceIsAStatementABraceOrALineOfThePreprocessor) {
  EXPECT_THAT(pieces_of(kProgram),
              ElementsAre("#include\"sum.h\"", "__global__voidsum_kernel(constint*in,int*out,intn){",
                          "intsum=0;", "for(inti=0;", "i<n;", "++i)sum+=in[i];", "*out=sum;", "}"));
  EXPECT_THAT(pieces_of("#define TWICE(x) x; x\nint a;"), ElementsAre("#defineTWICE(x)x;", "x", "inta;"));
}

TEST(ChangedLines, LayoutAndCommentsCountNothing) {
  EXPECT_EQ(changed_lines(kProgram, kProgram), 0U);
  EXPECT_EQ(changes("int sum = 0;  // of all\n  for (", "int\n\n  sum=0 /* of\n all */; for\n("), 0U);
  EXPECT_EQ(changes("// Adds up.\n", ""), 0U);
  EXPECT_EQ(changes("*out = sum;", "*out = /* a; b; */ sum;  // c; \\\n d; e;"), 0U);
  EXPECT_EQ(changes("\"sum.h\"", "\"sum.h\"  // the interface"), 0U);
}

TEST(ChangedLines, EachStatementThatIsReplacedAddedOrRemovedCountsOne) {
  EXPECT_EQ(changes("sum = 0", "sum = 1"), 1U);
  EXPECT_EQ(changes("i < n", "i <= n"), 1U);
  EXPECT_EQ(added("__syncthreads();"), 1U);
  EXPECT_EQ(changes("  *out = sum;\n", ""), 1U);
  EXPECT_EQ(changes("*out = sum;", "if (n > 0) {\n *out = sum;\n}"), 2U);
  EXPECT_EQ(changes("  int sum = 0;  // of all\n", "") + 1,
            changes("int sum = 0;", "int a, sum = 0; int b;"));
  EXPECT_EQ(changed_lines(kProgram, ""), 8U);
  EXPECT_EQ(changed_lines("", kProgram), 8U);
  // Moved: removed here and added there.
  EXPECT_EQ(changed_lines("if (a) { b; c; }", "if (a) { b; } c;"), 2U);
}

TEST(ChangedLines, OneLongLineCountsItsStatementsAndItsLength) {
  EXPECT_EQ(added("int a = 1; int b = 2; if (a) { b = 3; } else { a = 4; }"), 8U);
  std::string sum = "int a = 0";
  for (int i = 0; i < 100; ++i) sum += " + in[" + std::to_string(i) + "]";
  // 701 characters without the spaces.
  EXPECT_EQ(added(sum + ", b = 1;"), 6U);
  EXPECT_EQ(added("#define ALL " + std::string(kPieceLength * 3, 'x')), 4U);
}

TEST(ChangedLines, ContinuedLinesAreOne) {
  EXPECT_EQ(added("#define A(x) \\\n x; \\\n x; \\\n x"), 3U);
  EXPECT_EQ(added("/\\\n/ a comment; nothing else;"), 0U);
  EXPECT_EQ(changes("sum = 0", "su\\\nm = 0"), 0U);
}

TEST(ChangedLines, DigraphsAreTheBracesThatTheyStandFor) {
  EXPECT_EQ(changes("int n) {", "int n) <%"), 0U);
  EXPECT_EQ(added("if (n) <% n = 1; %>"), 3U);
  EXPECT_EQ(added("%:define A 1"), 1U);
}

/// No statement is hidden by what looks like the beginning of a comment, and is none.
TEST(ChangedLines, WhatIsNoCommentHidesNothing) {
  const std::string code = " a = 1; b = 2; c = 3; ";
  const std::string in_a_comment = "/*" + code + "*/";
  EXPECT_EQ(added(in_a_comment), 0U);
  ASSERT_EQ(added(code), 3U);
  for (const std::string& text : {
           "f(\"/*\");" + code + "f(\"*/\");",                   // in a string
           "f('\"', \"/*\");" + code + "f(\"*/\");",             // behind the character of a quote
           "f(\"\\\"/*\");" + code + "f(\"*/\");",               // behind a quote that ends no string
           "f(1'0, \"/*\");" + code + "f(\"*/\");",              // behind a separator of digits
           "f(1'0, '/*');" + code + "f('*/');",                  // a character of two
           "f(1e+'0', \"/*\");" + code + "f(\"*/\", '0');",      // a number with a sign
           "f(R\"( \" )\", \"/*\");" + code + "f(\"*/\");",      // behind a raw string
           "f(R\"(\n/* )\");" + code + "f(R\"(*/)\");",          // in a raw string
           "f(u8R\"x(\" /* )x\");" + code + "f(\"*/\");",        // the same with a delimiter
           "#if __has_include(</*>)\n#endif\n" + code + "/**/",  // in the name of a header
           "#if __has_include(<a\"b>) /* \" */\n#endif\n" + code + "/**/",
           "#include \"a\\\" /* \"\n" + code + "/* */",     // a header's name has no escapes
           "#if 0\n don't /* \n#endif\n" + code + "/**/",   // a quote that does not end
           "#define A /* \n// */" + code,                   // behind the end of a comment
           "/* *\\ \n/" + code + "/* */",                   // a star and a slash, on joined lines
           "// \\ \r \n" + code,                            // a line that does not go on
           "// \r" + code + "\n",                           // a line that a carriage return ends
           "f(\"a\"R\"(\" \")\" /* \");" + code + "/* */",  // a suffix, or a raw string
           "a$R\"(/* )\";" + code + "/* */",                // a name with an unusual character
       }) {
    EXPECT_GE(added(text), 3U) << text;
  }
}

TEST(ChangedLines, AreCountedInTimeWhateverIsHandedIn) {
  constexpr std::size_t kMax = 1 << 20;
  const auto repeated = [](const std::string& text) {
    std::string all;
    while (all.size() + text.size() <= kMax) all += text;
    return all;
  };
  for (const char* text : {";", "#", "#\n", "<", "#<", "<%", "/*", "/**/", "\"", "''", "R\"", "x", "%:"})
    EXPECT_GT(changed_lines(kProgram, repeated(text)), 7U) << text;
}

}  // namespace
}  // namespace lockstep::judge
