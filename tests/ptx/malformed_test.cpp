// Text that is no PTX ends in a ParseError with its line, and in nothing else.
#include <chrono>

#include "emulator/ptx/lexer.h"
#include "ptx_test_support.h"

namespace lockstep::emulator::ptx {
namespace {

struct Malformed {
  const char* name;
  std::string text;
  std::uint32_t line;
  const char* message;  ///< a part of it
};

std::string body(const std::string& statements) {
  return with_preamble(".entry k(.param .u64 a)\n{\n.reg .b32 %r<3>; .reg .pred p;\n" + statements + "\n}\n");
}

std::string repeated(const std::string& text, std::size_t times) {
  std::string result;
  for (std::size_t i = 0; i < times; ++i) result += text;
  return result;
}

std::vector<Malformed> malformed() {
  const auto item = [](const std::string& text) { return with_preamble(text); };
  return {
      {"empty", "", 1, "'.version'"},
      {"no_target", ".version 9.0\n", 2, "'.target'"},
      {"target_without_version", ".target sm_90\n", 1, "'.version'"},
      {"addresses_of_32_bits", ".version 9.0\n.target sm_90\n.address_size 32\n", 4, "64 bits"},
      {"words", "once upon a time", 1, "'.version'"},
      {"control_character", item("\x01"), 4, "code 1"},
      {"zero_byte", item(std::string(1, '\0')), 4, "code 0"},
      {"not_ascii", item("\xC3\xA9"), 4, "code 195"},
      {"lone_dot", item(". global"), 4, "after '.'"},
      {"comment_without_end", item("/* ..."), 4, "comment"},
      {"string_without_end", item(".file 1 \"abc\n\""), 4, "string"},
      {"string_cut_in_escape", item(".file 1 \"abc\\"), 4, "string"},
      {"file_without_name", item(".file 1 2"), 4, "file's name"},
      {"unknown_directive", item(".texture x;"), 4, "'texture'"},
      {"texture_reference", item(".global .texref t;"), 4, "type"},
      {"variable_without_type", item(".global x;"), 4, "type"},
      {"variable_with_two_types", item(".global .b8 .b8 x;"), 4, "two types"},
      {"variable_of_predicates", item(".global .pred x;"), 4, "predicate"},
      {"variable_without_name", item(".global .b8;"), 4, "name"},
      {"variable_without_semicolon", item(".global .b8 x\n.global .b8 y;"), 5, "';'"},
      {"variable_twice", item(".global .b8 x;\n.global .b8 x;"), 5, "twice"},
      {"variable_is_function", item(".func x() { ret; }\n.global .b8 x;"), 5, "twice"},
      {"alignment_3", item(".global .align 3 .b8 x;"), 4, "alignment"},
      {"alignment_huge", item(".global .align 2147483648 .b8 x;"), 4, "alignment"},
      {"alignment_beyond_32_bits", item(".global .align 4294967296 .b8 x;"), 4, "32 bits"},
      {"size_zero", item(".global .b8 x[0];"), 4, "no elements"},
      {"size_negative", item(".global .b8 x[-1];"), 4, "size"},
      {"size_overflows", item(".global .b8 x[4294967296][4294967296];"), 4, "larger than any memory"},
      {"size_beyond_64_bits", item(".global .b8 x[99999999999999999999];"), 4, "64 bits"},
      {"size_open_inside", item(".global .b8 x[2][];"), 4, "first dimension"},
      {"size_open_and_no_value", item(".global .b8 x[];"), 4, "no size"},
      {"dimensions", item(".global .b8 x" + repeated("[1]", 50) + ";"), 4, "dimensions"},
      {"too_many_values", item(".global .b8 x[2] = {1,2,3};"), 4, "more values"},
      {"values_without_end", item(".global .b8 x[2] = {1,2"), 4, "'}'"},
      {"values_without_comma", item(".global .b8 x[2] = {1 2};"), 4, "'}'"},
      {"values_flat", item(".global .b8 x[2][2] = {1,2,3,4};"), 4, "'{'"},
      {"values_too_deep", item(".global .b8 x = " + repeated("{", 100000)), 4, "number"},
      {"values_far_apart", item(".global .b8 x[2][1152921504606846976] = {{1},{2}};"), 4, "padding"},
      {"values_far_apart_in_open_array",
       item(".global .b8 x[][1152921504606846976] = {" + repeated("{},", 20) + "{1}};"), 4,
       "larger than any memory"},
      {"float_in_bytes", item(".global .b8 x = 1.5;"), 4, "integer"},
      {"integer_in_floats", item(".global .f32 x = 1;"), 4, "float"},
      {"address_in_bytes", item(".global .b8 y; .global .b32 x = y;"), 4, "eight bytes"},
      {"address_of_nothing", item("\n.global .u64 x = y;"), 5, "'y' is not declared"},
      {"address_in_pieces", item(".global .b8 y; .global .b8 x[2] = {0xFF(y), 3};"), 4, "eight successive"},
      {"address_cut", item(".global .b8 y; .global .b8 x[2] = {0xFF(y), 0xFF00(y)};"), 4, "eight successive"},
      {"number_octal", item(".global .b32 x = 089;"), 4, "'089'"},
      {"number_hexadecimal", item(".global .b32 x = 0x;"), 4, "'0x'"},
      {"number_with_letters", item(".global .b32 x = 12ab;"), 4, "'12ab'"},
      {"number_short_float", item(".global .f32 x = 0f3F8;"), 4, "'0f3F8'"},
      {"number_without_exponent", item(".global .f32 x = 1e;"), 4, "'1e'"},
      {"number_huge_exponent", item(".global .f32 x = 1e999999;"), 4, "'1e999999'"},
      {"function_twice", item(".func f() { ret; }\n.func f() { ret; }"), 5, "twice"},
      {"function_without_body", item(".func f()"), 4, "';'"},
      {"function_parameter_in_register", item(".func f(.reg .b32 x) { ret; }"), 4, "registers"},
      {"function_parameter_twice", item(".func f(.param .b32 x, .param .b32 x) { ret; }"), 4, "twice"},
      {"function_directive", item(".func f() .surprise { ret; }"), 4, "surprise"},
      {"attribute_without_end", item(".global .attribute(.managed .b8 x"), 4, "not closed"},
      {"section_without_end", item(".section .debug_info { .b8 1"), 4, "does not end"},
      {"register_undeclared", body("mov.b32 %r1, %r3;"), 7, "'%r3' is not declared"},
      {"register_twice", body(".reg .b32 x;\n.reg .b64 x;"), 8, "twice"},
      {"register_range_twice", body(".reg .b32 %r<3>;"), 7, "twice"},
      {"register_range_huge", body(".reg .b32 %x<4000000000>;"), 7, "too many"},
      {"register_of_no_type", body(".reg .b33 x;"), 7, "type"},
      {"register_leading_zero", body("mov.b32 %r1, %r01;"), 7, "'%r01'"},
      {"component_of_scalar", body("mov.b32 %r1.x, 3;"), 7, "component"},
      {"component_of_variable", body("mov.b64 %r1, a.x;"), 7, "component"},
      {"guard_of_number", body("@3 ret;"), 7, "predicate"},
      {"guard_of_word", body("@%r1 ret;"), 7, "predicate"},
      {"guard_alone", body("@p"), 8, "instruction"},
      {"label_undeclared", body("bra NOWHERE;"), 7, "'NOWHERE' is not declared"},
      {"label_twice", body("L: ret;\nL: ret;"), 8, "twice"},
      {"label_of_inner_scope", body("bra L;\n{ L: ret; }"), 7, "'L'"},
      {"label_in_list", body("call f, (L);\nL: ret;"), 7, "'L'"},
      {"targets_undeclared", body("t: .branchtargets X, Y;"), 7, "'X'"},
      {"call_targets_of_labels", body("L: t: .calltargets L;"), 7, "function"},
      {"operand_missing", body("mov.b32 %r1, ;"), 7, "operand"},
      {"operand_of_string", body("mov.b32 %r1, \"x\";"), 7, "operand"},
      {"operand_negated_number", body("mov.b32 %r1, !1;"), 7, "name"},
      {"operands_too_deep", body("mov.b32 " + repeated("{", 100000)), 7, "too deep"},
      {"addresses_too_deep", body("ld.b32 %r1, " + repeated("[a, ", 100000)), 7, "too deep"},
      {"address_of_nothing_at_all", body("ld.b32 %r1, [];"), 7, "name"},
      {"address_of_float", body("ld.b32 %r1, [1.5];"), 7, "float"},
      {"address_of_sink", body("ld.b32 %r1, [_];"), 7, "neither"},
      {"address_without_end", body("ld.b32 %r1, [a;"), 7, "']'"},
      {"blocks_too_deep", body(repeated("{", 100000)), 7, "too deep"},
      {"body_without_end", item(".entry k() {\nret;\n"), 6, "end of the text"},
      {"brace_too_many", body("ret; }"), 8, "directive"},
      {"global_inside", body(".global .b8 x;"), 7, "inside a function"},
      {"variable_inside_of_no_size", body(".shared .b8 x[];"), 7, "no size"},
      {"location_without_column", body(".loc 1 2\nret;"), 8, "column"},
      {"location_attribute", body(".loc 1 2 3, colour 4"), 7, "'colour'"},
      {"location_name_missing", body(".loc 1 2 3, function_name L, inlined_at 1 1 1\nret;"), 7, "debug_str"},
      {"location_beyond_32_bits", body(".loc 1 99999999999 3\nret;"), 7, "32 bits"},
  };
}

TEST(MalformedText, EndsInAnErrorWithItsLine) {
  const std::vector<Malformed> table = malformed();
  ASSERT_GE(table.size(), 40u);
  for (const Malformed& entry : table) {
    try {
      parse(entry.text);
      ADD_FAILURE() << entry.name << " was accepted";
    } catch (const ParseError& error) {
      EXPECT_EQ(error.line(), entry.line) << entry.name << ": " << error.what();
      EXPECT_NE(std::string_view(error.what()).find(entry.message), std::string_view::npos)
          << entry.name << ": " << error.what();
      EXPECT_LT(std::string_view(error.what()).size(), 250u) << entry.name;
    }
  }
}

/// A cut inside a function, a declaration or a section is an error; a cut between them leaves a whole text.
TEST(MalformedText, CutAtEveryTokenOfARealText) {
  const std::string text = made("inlined_90.ptx");
  std::vector<std::pair<std::size_t, bool>> cuts;  // where, and whether all of what stands before is closed
  Lexer lexer(text);
  std::size_t depth = 0;
  while (lexer.peek().kind != Token::Kind::end) {
    const Token token = lexer.take();
    depth += token.is('{') ? 1 : 0;
    depth -= token.is('}') ? 1 : 0;
    cuts.emplace_back(static_cast<std::size_t>(token.text.data() - text.data()) + token.text.size(),
                      depth == 0);
  }
  ASSERT_GT(cuts.size(), 300u);
  std::size_t errors = 0;
  for (const auto& [end, closed] : cuts) {
    try {
      parse(std::string_view(text).substr(0, end));
      EXPECT_TRUE(closed) << "cut inside braces at byte " << end << " was accepted";
    } catch (const ParseError&) {
      ++errors;
    }
  }
  EXPECT_GT(errors, cuts.size() / 2);
}

/// Twice the text takes about twice the time: shapes that invite a search for each of their parts.
TEST(MalformedText, TimeIsLinear) {
  const auto shapes = [](std::size_t n) {
    std::vector<std::string> texts(6);
    texts[0] = body(repeated("{ .param .b32 x; st.param.b32 [x], %r1; }\n", n));
    texts[4] = ".global .b32 x[" + std::to_string(n) + "] = {" + repeated("7, ", n - 1) + "7};";
    for (std::size_t i = 0; i < n; ++i) {
      const std::string number = std::to_string(i);
      texts[1].append("bra L").append(number).append(";\nL").append(number).append(":\n");
      texts[2].append(".loc 1 ").append(number).append(" 0\n.loc 2 7 1, function_name A, inlined_at 1 ");
      texts[2].append(number).append(" 0\nret;\n");
      texts[3].append(".reg .b32 x").append(number).append(";\nmov.b32 x").append(number).append(", 1;\n");
      texts[5].append(".func f").append(number).append("();\n");
    }
    texts[1] = body(repeated("{", 50) + texts[1] + repeated("}", 50));
    texts[2] = body(texts[2]) + ".section .debug_str { A: .b8 65, 0 }";
    texts[3] = body(texts[3]);
    texts[4] = with_preamble(texts[4]);
    texts[5] = with_preamble(texts[5]);
    return texts;
  };
  const auto seconds = [](const std::string& text) {
    double best = 1e9;
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto begin = std::chrono::steady_clock::now();
      parse(text);
      best = std::min(best, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    }
    return best;
  };
  const auto small = shapes(4000), large = shapes(32000);
  for (std::size_t i = 0; i < small.size(); ++i) {
    // Linear is 8, quadratic 64; between them there is room for caches and a busy machine.
    EXPECT_LT(seconds(large[i]), 32 * seconds(small[i]) + 0.02) << "shape " << i;
  }
}

}  // namespace
}  // namespace lockstep::emulator::ptx
