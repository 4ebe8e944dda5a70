// Functions: headers, registers, labels, scopes.
#include "ptx_test_support.h"

namespace lockstep::emulator::ptx {
namespace {

TEST(Functions, HeaderAndBounds) {
  const Module module = parse_items(R"(
    .visible .entry k(.param .align 8 .b8 a[16], .param .u64 .ptr .global .align 64 b, .param .f32 c)
    .maxntid 256
    .minnctapersm 2
    .reqnctapercluster 2, 1, 1
    .explicitcluster
    .maxnreg 32
    { ret; }
    .entry l() .reqntid 32, 4 { ret; })");
  const Function& k = named(module.functions, "k");
  EXPECT_TRUE(k.entry);
  EXPECT_FALSE(k.external);
  ASSERT_EQ(k.parameters.size(), 3u);
  EXPECT_EQ(k.parameters[0].bytes, 16u);
  EXPECT_EQ(k.parameters[0].alignment, 8u);
  EXPECT_EQ(k.parameters[1].bytes, 8u);
  EXPECT_EQ(k.parameters[1].alignment, 8u)
      << "the alignment of what a pointer points to is not the pointer's";
  EXPECT_EQ(k.parameters[2].type, Type::f32);
  EXPECT_EQ(k.parameters[2].space, Space::param);
  EXPECT_EQ(k.max_threads, (std::array<std::uint32_t, 3>{256, 1, 1}));
  EXPECT_EQ(k.required_threads, (std::array<std::uint32_t, 3>{0, 0, 0}));
  EXPECT_EQ(k.min_blocks_per_multiprocessor, 2u);
  EXPECT_EQ(k.cluster, (std::array<std::uint32_t, 3>{2, 1, 1}));
  EXPECT_EQ(named(module.functions, "l").required_threads, (std::array<std::uint32_t, 3>{32, 4, 1}));
}

TEST(Functions, DeclarationsMergeWithTheDefinition) {
  const Module module = parse_items(R"(
    .func (.param .b32 r) f (.param .b32 a);
    .extern .func (.param .b32 r) vprintf (.param .b64 a, .param .b64 b);
    .func stop() .noreturn;
    .func (.param .b32 r) f (.param .b32 a) { ret; }
    .func (.param .b32 r) f (.param .b32 a);)");
  ASSERT_EQ(module.functions.size(), 3u);
  EXPECT_FALSE(named(module.functions, "f").external);
  EXPECT_EQ(named(module.functions, "f").instructions.size(), 1u);
  EXPECT_EQ(named(module.functions, "f").returns.size(), 1u);
  EXPECT_TRUE(named(module.functions, "vprintf").external);
  EXPECT_EQ(named(module.functions, "vprintf").parameters.size(), 2u);
  EXPECT_TRUE(named(module.functions, "stop").external);
}

TEST(Functions, InstructionIsOpcodeModifiersGuardAndLine) {
  const Function f = parse_body(R"(.reg .pred %p<2>;
    .reg .f32 %f<5>;
    .reg .b64 %rd1;
    @!%p1 ld.global.nc.L2::128B.v4.f32 {%f1, %f2, %f3, %f4}, [%rd1];
    ret;)");
  ASSERT_EQ(f.instructions.size(), 2u);
  const Instruction& load = f.instructions[0];
  EXPECT_EQ(load.opcode, "ld");
  EXPECT_EQ(load.modifiers, (std::vector<std::string>{"global", "nc", "L2::128B", "v4", "f32"}));
  EXPECT_EQ(load.spelling(), "ld.global.nc.L2::128B.v4.f32");
  ASSERT_GE(load.guard, 0);
  EXPECT_EQ(f.registers[static_cast<std::size_t>(load.guard)].name, "%p1");
  EXPECT_TRUE(load.guard_negated);
  EXPECT_EQ(load.ptx_line, 9u);
  EXPECT_EQ(f.instructions[1].guard, -1);
  EXPECT_EQ(f.instructions[1].location, -1);
}

TEST(Functions, RangesMakeRegistersWhenNamed) {
  const Function f =
      parse_body(".reg .b32 %r<16000000>, %r1<10>; mov.b32 %r7, %r15999999; mov.b32 %r15, %r7;");
  ASSERT_EQ(f.registers.size(), 3u);
  EXPECT_EQ(f.registers[0].name, "%r7");
  EXPECT_EQ(f.registers[0].type, Type::b32);
  EXPECT_EQ(f.registers[1].name, "%r15999999");
  EXPECT_EQ(f.instructions[1].operands[1].index, f.instructions[0].operands[0].index);
}

TEST(Functions, VectorRegistersAreTheirComponents) {
  const Function f = parse_body(R"(.reg .v2 .f32 v; .reg .v4 .b32 %w<2>; .reg .f32 s;
    mov.f32 v.y, 1.0; mov.b32 %w1.a, 2; st.global.v2.f32 [data], v;)");
  EXPECT_EQ(f.registers[f.instructions[0].operands[0].index].name, "v.y");
  EXPECT_EQ(f.registers[f.instructions[1].operands[0].index].name, "%w1.w");
  const Operand& whole = f.instructions[2].operands[1];
  ASSERT_EQ(whole.kind, Operand::Kind::list);
  ASSERT_EQ(whole.elements.size(), 2u);
  EXPECT_EQ(f.registers[whole.elements[0].index].name, "v.x");
  EXPECT_EQ(f.registers[whole.elements[1].index].name, "v.y");
}

TEST(Functions, LabelsForwardsBackwardsAndAtTheEnd) {
  const Function f = parse_body(R"(.reg .pred p;
    TOP: bra MIDDLE;
    @p bra TOP;
    MIDDLE: ret;
    bra END;
    END:)");
  const auto target = [&](std::size_t i) {
    EXPECT_EQ(f.instructions[i].operands[0].kind, Operand::Kind::label);
    return f.instructions[i].operands[0].index;
  };
  ASSERT_EQ(f.instructions.size(), 4u);
  EXPECT_EQ(target(0), 2u);
  EXPECT_EQ(target(1), 0u);
  EXPECT_EQ(target(3), 4u);
}

TEST(Functions, LabelsBelongToTheirScope) {
  const Function f = parse_body(R"(
    { AGAIN: bra DONE; bra AGAIN; DONE: }
    { AGAIN: bra DONE; bra AGAIN; bra OUTER; DONE: }
    OUTER: ret;)");
  std::vector<std::uint32_t> targets;
  for (std::size_t i = 0; i < 5; ++i) targets.push_back(f.instructions[i].operands[0].index);
  EXPECT_EQ(targets, (std::vector<std::uint32_t>{2, 0, 5, 2, 5}));
}

TEST(Functions, LocalRegistersShadow) {
  const Function f = parse_body(R"(.reg .b32 %r<4>; .reg .pred p;
    mov.b32 %r1, 1;
    { .reg .b64 %r1; .reg .b16 %r<3>; mov.b64 %r1, 2; mov.b16 %r2, 3; mov.b32 %r3, 4; }
    mov.b32 %r1, 5; mov.b32 %r2, 6;)");
  const auto written = [&](std::size_t i) { return f.registers[f.instructions[i].operands[0].index]; };
  EXPECT_EQ(written(0).type, Type::b32);
  EXPECT_EQ(written(1).type, Type::b64);
  EXPECT_EQ(written(2).type, Type::b16);
  EXPECT_EQ(written(3).type, Type::b32);
  EXPECT_EQ(f.instructions[4].operands[0].index, f.instructions[0].operands[0].index);
  EXPECT_EQ(written(5).type, Type::b32);
  EXPECT_NE(f.instructions[5].operands[0].index, f.instructions[2].operands[0].index);
}

TEST(Functions, VariablesOfSeveralScopesGetSuffixes) {
  const Function f = parse_body(R"(.reg .b32 %r<3>;
    { .param .b32 param0; st.param.b32 [param0], %r1; .param .b64 retval0; }
    { .param .align 4 .b8 param0[12]; st.param.b32 [param0+8], %r1; }
    { .param .b32 data; st.param.b32 [data], %r1; { .param .b32 param0; st.param.b32 [param0], %r2; } }
    ld.param.b32 %r1, [data];)");
  std::vector<std::string> names;
  for (const Variable& variable : f.variables) names.push_back(variable.name);
  EXPECT_EQ(names, (std::vector<std::string>{"param0", "retval0", "param0@2", "data@2", "param0@3"}));
  EXPECT_EQ(f.variables[2].bytes, 12u);
  const auto base = [&](std::size_t i, std::size_t operand) {
    return f.instructions[i].operands[operand].elements.at(0).name;
  };
  EXPECT_EQ(base(0, 0), "param0");
  EXPECT_EQ(base(1, 0), "param0@2");
  EXPECT_EQ(base(2, 0), "data@2");
  EXPECT_EQ(base(3, 0), "param0@3");
  EXPECT_EQ(base(4, 1), "data") << "outside the scope the name means the kernel's parameter";
}

TEST(Functions, LocalNameThatShadowsTheModules) {
  const Module module = parse_items(R"(.shared .b32 s;
    .entry k() { .reg .b32 r; { .shared .b64 s; st.shared.b32 [s], r; } st.shared.b32 [s], r; })");
  const Function& k = module.functions.at(0);
  EXPECT_EQ(k.variables.at(0).name, "s@2");
  EXPECT_EQ(k.instructions[0].operands[0].elements[0].name, "s@2");
  EXPECT_EQ(k.instructions[1].operands[0].elements[0].name, "s");
}

TEST(Functions, TargetListsAndPrototypes) {
  const Module module = parse_items(R"(
    .func f() { ret; }
    .func g() { ret; }
    .entry k() {
    .reg .b32 i; .reg .b64 p; .param .b32 a, r;
    targets: .branchtargets A, B, A;
    brx.idx.uni i, targets;
    A: ret;
    { targets: .branchtargets B, C; brx.idx i, targets; C: }
    B: ret;
    callees: .calltargets f, g;
    call p, (), callees;
    proto: .callprototype (.param .b32 _) _ (.param .b32 _, .param .align 8 .b8 _[24]) .noreturn;
    call.uni (r), p, (a, a), proto;
    })");
  const Function& k = named(module.functions, "k");
  const auto& first = k.target_lists.at("targets");
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0].index, 1u);
  EXPECT_EQ(first[1].index, 3u);
  EXPECT_EQ(first[2].index, 1u);
  EXPECT_EQ(k.instructions[0].operands[1].kind, Operand::Kind::symbol);
  EXPECT_EQ(k.instructions[0].operands[1].name, "targets");
  EXPECT_EQ(k.instructions[2].operands[1].name, "targets@2");
  EXPECT_EQ(k.target_lists.at("targets@2")[0].index, 3u);
  EXPECT_EQ(k.target_lists.at("callees")[1].name, "g");
  EXPECT_EQ(k.instructions[4].operands[2].name, "callees");
  const Function::Prototype& prototype = k.prototypes.at("proto");
  ASSERT_EQ(prototype.returns.size(), 1u);
  ASSERT_EQ(prototype.parameters.size(), 2u);
  EXPECT_EQ(prototype.parameters[1].bytes, 24u);
  const Instruction& call = k.instructions[5];
  ASSERT_EQ(call.operands.size(), 4u);
  EXPECT_EQ(call.operands[0].kind, Operand::Kind::list);
  EXPECT_EQ(call.operands[2].elements.size(), 2u);
  EXPECT_EQ(call.operands[3].name, "proto");
}

}  // namespace
}  // namespace lockstep::emulator::ptx
