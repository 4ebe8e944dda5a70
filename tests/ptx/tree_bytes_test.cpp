// What a text makes of itself in memory is counted as it is parsed, and bounded.
#include <malloc.h>

#include <functional>

#include "emulator/ptx/lexer.h"
#include "ptx_test_support.h"

namespace lockstep::emulator::ptx {
namespace {

/// What the heap holds. Nothing under the address sanitizer, whose heap does not say.
std::size_t heap_bytes() {
  const struct mallinfo2 heap = mallinfo2();
  return heap.uordblks + heap.hblkhd;
}

std::string repeated(int times, const std::function<std::string(int)>& item) {
  std::string text;
  for (int i = 0; i < times; ++i) text += item(i);
  return text;
}

/// A text of little that takes much.
struct Bomb {
  const char* name;
  std::string items;
};

std::vector<Bomb> bombs() {
  constexpr int kMany = 30'000;
  const auto number = [](int i) { return std::to_string(i); };
  const auto body = [](const std::string& statements) {
    return ".entry k()\n{\n.reg .b32 a;\n" + statements + "\nret;\n}\n";
  };
  const auto many = [&](const std::string& before, const std::string& after) {
    return repeated(kMany, [&](int i) { return before + number(i) + after; });
  };
  const auto same = [&](const std::string& text) { return repeated(kMany, [&](int) { return text; }); };
  return {
      {"operands", body("prefetch {a" + same(",a") + "};")},
      {"instructions", body(same("x;"))},
      {"modifiers", body(same("x.a.b.c.d.e.f.g.h;"))},
      {"long_modifiers", body(same("x.a_modifier_of_some_length;"))},
      {"branches", body("T: " + same("bra T;"))},
      {"targets", body("T: L: .branchtargets T" + same(",T") + ";")},
      {"labels", body(many("l", ":"))},
      {"lists", body("T: " + many("l", ": .branchtargets T;"))},
      {"prototypes", body(many("l", ": .callprototype _ (.param .b32 p);"))},
      {"registers", body(many(".reg .b32 b", ";"))},
      {"registers_of_a_range", body(".reg .b32 %r<30000>;" + many("x %r", ";"))},
      {"vector_registers", body(".reg .v4 .b32 v; x {v" + repeated(8000, [](int) { return ",v"; }) + "};")},
      {"local_variables", body(many(".local .b8 v", ";"))},
      {"locations", body(many(".loc 1 ", " 1\n"))},
      {"names_of_locations", body(many(".loc 1 ", " 1, function_name n, inlined_at 1 1 1\n")) +
                                 ".section .debug_str { n: .b8 97" +
                                 repeated(4095, [](int) { return ",97"; }) + "}"},
      {"parameters", ".func f(.param .b32 p" + many(",.param .b32 q", "") + ");"},
      {"functions", many(".func f", ";")},
      {"bodies", many(".func f", "{}")},
      {"variables", many(".global .b8 v", ";")},
      {"values", ".global .b64 v[] = {1" + same(",1") + "};"},
      {"padding", ".global .b8 v[][60] = {{1}" + repeated(500, [](int) { return ",{1}"; }) + "};"},
      {"addresses", ".global .b8 x; .global .b64 v[] = {x" + same(",x") + "};"},
      {"bytes_of_addresses",
       ".global .b8 x; .global .b8 v[] = {0xFF(x),0xFF00(x),0xFF0000(x),0xFF000000(x),"
       "0xFF00000000(x),0xFF0000000000(x),0xFF000000000000(x),0xFF00000000000000(x)" +
           repeated(3000,
                    [](int) {
                      return ",0xFF(x),0xFF00(x),0xFF0000(x),0xFF000000(x),"
                             "0xFF00000000(x),0xFF0000000000(x),0xFF000000000000(x),"
                             "0xFF00000000000000(x)";
                    }) +
           "};"},
      {"files", many(".file ", " \"a file of some length.cu\"\n")},
      {"debug_strings", ".section .debug_str {" + many("l", ": .b8 1\n") + "}"},
  };
}

class TreeBytes : public testing::TestWithParam<Bomb> {};

TEST_P(TreeBytes, AreWhatTheHeapHolds) {
  const std::string text = with_preamble(GetParam().items);
  const std::size_t before = heap_bytes();
  const Module module = parse(text);
  const std::size_t taken = heap_bytes() - before;
  EXPECT_LE(taken, module.bytes + 4096);
  EXPECT_GE(module.bytes, GetParam().items.size() / 4);
}

TEST_P(TreeBytes, AreBounded) {
  const std::string text = with_preamble(GetParam().items);
  const std::size_t bytes = parse(text).bytes;
  EXPECT_EQ(parse(text, bytes).bytes, bytes);
  try {
    parse(text, bytes - 1);
    ADD_FAILURE() << "parsed";
  } catch (const ParseError& error) {
    EXPECT_NE(std::string(error.what()).find("takes more memory than the emulated device has for it"),
              std::string::npos)
        << error.what();
  }
}

INSTANTIATE_TEST_SUITE_P(Bombs, TreeBytes, testing::ValuesIn(bombs()),
                         [](const auto& bomb) { return bomb.param.name; });

TEST(TreeBytesOfCompilers, AreFewTimesTheText) {
  const std::string text = made("language_90.ptx");
  EXPECT_LT(parse(text).bytes, 40 * text.size());
}

}  // namespace
}  // namespace lockstep::emulator::ptx
