// Every form of operand, one instruction each.
#include "ptx_test_support.h"

namespace lockstep::emulator::ptx {
namespace {

const char* const kDeclarations =
    ".reg .pred %p<4>; .reg .b32 %r<8>; .reg .b64 %rd<4>; .reg .f32 %f<4>; .shared .b32 s[4]; .local .b8 "
    "depot[64];\n";

struct Parsed {
  Function function;
  std::vector<Operand> operands;
  std::string register_name(const Operand& operand) const {
    return function.registers.at(operand.index).name;
  }
};

Parsed operands_of(const std::string& instruction) {
  Parsed parsed{parse_body(kDeclarations + instruction), {}};
  parsed.operands = parsed.function.instructions.at(0).operands;
  return parsed;
}

Operand immediate_of(const std::string& literal) {
  return operands_of("mov.b64 %rd1, " + literal + ";").operands.at(1);
}

TEST(Operands, IntegerImmediates) {
  const std::pair<const char*, std::uint64_t> cases[] = {{"0", 0},
                                                         {"0U", 0},
                                                         {"42", 42},
                                                         {"42U", 42},
                                                         {"-42", static_cast<std::uint64_t>(-42)},
                                                         {"0x7f", 127},
                                                         {"0XFFU", 255},
                                                         {"0777", 511},
                                                         {"0b1011", 11},
                                                         {"0B11U", 3},
                                                         {"18446744073709551615", ~std::uint64_t{0}},
                                                         {"-9223372036854775808", std::uint64_t{1} << 63},
                                                         {"WARP_SZ", 32}};
  for (const auto& [literal, value] : cases) {
    const Operand operand = immediate_of(literal);
    EXPECT_EQ(operand.kind, Operand::Kind::immediate) << literal;
    EXPECT_EQ(operand.immediate_type, Operand::ImmediateType::integer) << literal;
    EXPECT_EQ(operand.bits, value) << literal;
  }
}

TEST(Operands, FloatImmediates) {
  EXPECT_EQ(immediate_of("0f3F800000").immediate_type, Operand::ImmediateType::f32);
  EXPECT_EQ(immediate_of("0f3F800000").bits, 0x3F800000u);
  EXPECT_EQ(immediate_of("-0F3F800000").bits, 0xBF800000u);
  EXPECT_EQ(immediate_of("0d3FF0000000000000").immediate_type, Operand::ImmediateType::f64);
  EXPECT_EQ(immediate_of("0d3FF0000000000000").bits, 0x3FF0000000000000u);
  EXPECT_EQ(immediate_of("2.5e0").immediate_type, Operand::ImmediateType::f64);
  EXPECT_EQ(immediate_of("2.5e0").bits, 0x4004000000000000u);
  EXPECT_EQ(immediate_of("-1e-1").bits, 0xBFB999999999999Au);
}

TEST(Operands, RegistersPredicatesPairsAndSinks) {
  const Parsed set = operands_of("setp.lt.and.s32 %p1|%p2, %r1, %r2, !%p3;");
  ASSERT_EQ(set.operands.size(), 4u);
  ASSERT_EQ(set.operands[0].kind, Operand::Kind::pair);
  EXPECT_EQ(set.register_name(set.operands[0].elements.at(0)), "%p1");
  EXPECT_EQ(set.register_name(set.operands[0].elements.at(1)), "%p2");
  EXPECT_EQ(set.operands[3].kind, Operand::Kind::reg);
  EXPECT_TRUE(set.operands[3].negated);
  EXPECT_FALSE(set.operands[1].negated);
  const Parsed shuffle = operands_of("shfl.sync.bfly.b32 %r1|_, %r2, 1, 31, -1;");
  EXPECT_EQ(shuffle.operands[0].elements.at(1).kind, Operand::Kind::sink);
  EXPECT_EQ(operands_of("atom.global.add.u32 _, [%rd1], 1;").operands[0].kind, Operand::Kind::sink);
}

TEST(Operands, SpecialRegisters) {
  const auto special = [](const std::string& name) {
    const Operand operand = operands_of("mov.u32 %r1, " + name + ";").operands.at(1);
    EXPECT_EQ(operand.kind, Operand::Kind::special) << name;
    return operand.name;
  };
  EXPECT_EQ(special("%tid.x"), "tid.x");
  EXPECT_EQ(special("%nctaid.z"), "nctaid.z");
  EXPECT_EQ(special("%laneid"), "laneid");
  EXPECT_EQ(special("%clock64"), "clock64");
  EXPECT_EQ(special("%cluster_ctarank"), "cluster_ctarank");
  EXPECT_EQ(special("%envreg31"), "envreg31");
  EXPECT_EQ(special("%pm3_64"), "pm3_64");
}

TEST(Operands, Addresses) {
  const auto address = [](const std::string& text) {
    const Parsed parsed = operands_of("ld.b32 %r1, " + text + ";");
    EXPECT_EQ(parsed.operands.at(1).kind, Operand::Kind::address) << text;
    return parsed.operands.at(1);
  };
  EXPECT_EQ(address("[%rd1]").elements.at(0).kind, Operand::Kind::reg);
  EXPECT_EQ(address("[%rd1]").offset, 0);
  EXPECT_EQ(address("[%rd1+8]").offset, 8);
  EXPECT_EQ(address("[%rd1+-8]").offset, -8);
  EXPECT_EQ(address("[%rd1-8]").offset, -8);
  EXPECT_EQ(address("[ data + 0x10 ]").offset, 16);
  EXPECT_EQ(address("[data]").elements.at(0).kind, Operand::Kind::symbol);
  EXPECT_EQ(address("[data]").elements.at(0).name, "data");
  EXPECT_EQ(address("[4096]").elements.at(0).bits, 4096u);
  EXPECT_EQ(address("[s+4]").elements.at(0).name, "s");
  EXPECT_EQ(address("[s+4]").elements.at(0).offset, 0) << "the offset is the address operand's";
  const Operand tensor = address("[%rd1, {%r1, %r2}]");
  ASSERT_EQ(tensor.elements.size(), 2u);
  EXPECT_EQ(tensor.elements[1].kind, Operand::Kind::list);
}

TEST(Operands, SymbolsAndLists) {
  const Operand symbol = operands_of("mov.u64 %rd1, depot+16;").operands.at(1);
  EXPECT_EQ(symbol.kind, Operand::Kind::symbol);
  EXPECT_EQ(symbol.name, "depot");
  EXPECT_EQ(symbol.offset, 16);
  const Parsed split = operands_of("mov.b64 {%r1, _}, %rd1;");
  ASSERT_EQ(split.operands[0].kind, Operand::Kind::list);
  EXPECT_EQ(split.register_name(split.operands[0].elements.at(0)), "%r1");
  EXPECT_EQ(split.operands[0].elements.at(1).kind, Operand::Kind::sink);
  const Parsed mixed = operands_of("st.v4.b32 [%rd1], {%r1, 7, 0f00000000, %r2};");
  ASSERT_EQ(mixed.operands[1].elements.size(), 4u);
  EXPECT_EQ(mixed.operands[1].elements[1].bits, 7u);
  const Function scoped =
      parse_body(".reg .u32 tid; mov.u32 tid, %tid.x; // one\n mov.u32 tid, /* two */ 3;");
  EXPECT_EQ(scoped.instructions.at(0).operands.at(0).kind, Operand::Kind::reg);
  EXPECT_EQ(scoped.instructions.at(1).operands.at(1).bits, 3u);
}

}  // namespace
}  // namespace lockstep::emulator::ptx
