// Module-scope declarations: sizes, alignment, initialisers byte by byte, relocations.
#include "ptx_test_support.h"

namespace lockstep::emulator::ptx {
namespace {

Variable only_variable(const std::string& text) { return parse_items(text).variables.at(0); }

TEST(Declarations, PreambleIsKept) {
  const Module module = parse(".version 8.5\n.target sm_75, debug\n.address_size 64\n");
  EXPECT_EQ(module.version, "8.5");
  EXPECT_EQ(module.target, "sm_75");
}

TEST(Declarations, SizeAlignmentAndSpace) {
  const Module module = parse_items(R"(
    .global .align 16 .b8 plain[40];
    .const .f64 number;
    .shared .v4 .f32 vector[3];
    .extern .shared .align 128 .b8 dynamic[];
    .visible .global .attribute(.managed) .align 4 .u32 managed = 7;
    .global .u16 first, second[2][3][4];
    .global .b8 huge[1152921504606846976];)");
  const auto expect = [&](const char* name, Space space, Type type, unsigned alignment, std::uint64_t bytes) {
    const Variable& variable = named(module.variables, name);
    EXPECT_EQ(variable.space, space) << name;
    EXPECT_EQ(variable.type, type) << name;
    EXPECT_EQ(variable.alignment, alignment) << name;
    EXPECT_EQ(variable.bytes, bytes) << name;
  };
  expect("plain", Space::global, Type::b8, 16, 40);
  expect("number", Space::constant, Type::f64, 8, 8);
  expect("vector", Space::shared, Type::f32, 16, 48);
  expect("dynamic", Space::shared, Type::b8, 128, 0);
  expect("managed", Space::global, Type::u32, 4, 4);
  expect("first", Space::global, Type::u16, 2, 2);
  expect("second", Space::global, Type::u16, 2, 48);
  expect("huge", Space::global, Type::b8, 1, std::uint64_t{1} << 60);
  EXPECT_TRUE(named(module.variables, "dynamic").external);
  EXPECT_TRUE(named(module.variables, "managed").managed);
  EXPECT_FALSE(named(module.variables, "plain").managed);
}

TEST(Declarations, DefinitionReplacesExtern) {
  const Module module = parse_items(".extern .global .u32 x; .global .u32 x = 3; .extern .global .u32 x;");
  ASSERT_EQ(module.variables.size(), 1u);
  EXPECT_FALSE(module.variables[0].external);
  EXPECT_EQ(initial_value(module.variables[0], 0, 4), 3u);
}

TEST(Initialisers, IntegersOfEveryBaseAndWidth) {
  const Variable bytes = only_variable(".global .b8 x[8] = {255, 0x1F, 017, 0b101, 7U, -1, 0XaB};");
  const std::vector<unsigned> expected{255, 31, 15, 5, 7, 255, 0xAB};
  ASSERT_EQ(bytes.initial.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_EQ(initial_value(bytes, i, 1), expected[i]) << i;
  EXPECT_EQ(initial_value(only_variable(".global .u16 x[2] = {1, 0x1234};"), 2, 2), 0x1234u);
  EXPECT_EQ(initial_value(only_variable(".global .s32 x = -2;"), 0, 4), 0xFFFFFFFEu);
  EXPECT_EQ(initial_value(only_variable(".global .u64 x = 18446744073709551615;"), 0, 8), ~std::uint64_t{0});
}

TEST(Initialisers, Floats) {
  const Variable singles =
      only_variable(".global .f32 x[4] = {0f3F800000, 1.5, -2.5e-1, 0d4000000000000000};");
  EXPECT_EQ(initial_value(singles, 0, 4), 0x3F800000u);
  EXPECT_EQ(initial_value(singles, 4, 4), 0x3FC00000u);
  EXPECT_EQ(initial_value(singles, 8, 4), 0xBE800000u);
  EXPECT_EQ(initial_value(singles, 12, 4), 0x40000000u);
  const Variable doubles = only_variable(".global .f64 x[2] = {-1.0, 0f3F800000};");
  EXPECT_EQ(initial_value(doubles, 0, 8), 0xBFF0000000000000u);
  EXPECT_EQ(initial_value(doubles, 8, 8), 0x3FF0000000000000u);
}

TEST(Initialisers, NestedBracesFillRows) {
  const Variable rows = only_variable(".global .b8 x[2][3] = {{1, 2}, {4}};");
  EXPECT_EQ(rows.bytes, 6u);
  EXPECT_EQ(initial_value(rows, 0, 6), 0x0000'0400'0201u);
  const Variable vectors = only_variable(".global .v2 .u16 x[2] = {{1, 2}, {3, 4}};");
  EXPECT_EQ(initial_value(vectors, 0, 8), 0x0004'0003'0002'0001u);
}

TEST(Initialisers, OpenArrayTakesItsSizeFromTheValues) {
  EXPECT_EQ(only_variable(".global .u32 x[] = {1, 2, 3};").bytes, 12u);
  EXPECT_EQ(only_variable(".global .u32 x[][2] = {{1, 2}, {3}};").bytes, 16u);
}

TEST(Initialisers, ZerosAreEmpty) {
  EXPECT_TRUE(only_variable(".global .u32 x[4] = {0, 0, 0, 0};").initial.empty());
  EXPECT_TRUE(only_variable(".global .u32 x[4];").initial.empty());
}

TEST(Initialisers, Addresses) {
  const Module module = parse_items(R"(
    .func f() { ret; }
    .global .u32 t[4];
    .global .u64 x[5] = {t, 9, generic(t)+12, f, generic(t+4)+-8};)");
  const Variable& x = named(module.variables, "x");
  ASSERT_EQ(x.relocations.size(), 4u);
  const auto expect = [&](std::size_t i, std::uint64_t offset, const char* symbol, std::int64_t addend,
                          bool generic) {
    EXPECT_EQ(x.relocations[i].offset, offset) << i;
    EXPECT_EQ(x.relocations[i].symbol, symbol) << i;
    EXPECT_EQ(x.relocations[i].addend, addend) << i;
    EXPECT_EQ(x.relocations[i].generic, generic) << i;
  };
  expect(0, 0, "t", 0, false);
  expect(1, 16, "t", 12, true);
  expect(2, 24, "f", 0, true);
  expect(3, 32, "t", -4, true);
  EXPECT_EQ(initial_value(x, 8, 8), 9u);
}

TEST(Initialisers, AddressInEightMaskedBytes) {
  const Module module = parse_items(R"(
    .global .u32 t[4];
    .global .u8 x[10] = {97, 0XFF(generic(t)+4), 0xFF00(generic(t)+4), 0xFF0000(generic(t)+4),
      0xFF000000(generic(t)+4), 0xFF00000000(generic(t)+4), 0xFF0000000000(generic(t)+4),
      0xFF000000000000(generic(t)+4), 0xFF00000000000000(generic(t)+4), 98};)");
  const Variable& x = named(module.variables, "x");
  ASSERT_EQ(x.relocations.size(), 1u);
  EXPECT_EQ(x.relocations[0].offset, 1u);
  EXPECT_EQ(x.relocations[0].symbol, "t");
  EXPECT_EQ(x.relocations[0].addend, 4);
  EXPECT_EQ(initial_value(x, 0, 1), 97u);
  EXPECT_EQ(initial_value(x, 9, 1), 98u);
}

TEST(Declarations, FilesWithEscapesAndTimes) {
  const Module module =
      parse_items(".file 1 \"a \\\"quoted\\\" n\\141me.cu\"\n.file 7 \"b.h\", 12345, 678\n");
  EXPECT_EQ(module.files.at(1), "a \"quoted\" name.cu");
  EXPECT_EQ(module.files.at(7), "b.h");
  EXPECT_EQ(parse_items(".file 1 \"two\\nlines\"\n").files.at(1), "two?lines");
}

}  // namespace
}  // namespace lockstep::emulator::ptx
