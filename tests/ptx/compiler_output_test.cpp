// What the installed nvcc emits, for the architectures that students have.
#include <bit>
#include <map>

#include "ptx_test_support.h"

namespace lockstep::emulator::ptx {
namespace {

/// Indices of a tree point into it, whatever the text was.
void expect_consistent(const Operand& operand, const Function& function) {
  if (operand.kind == Operand::Kind::reg) {
    EXPECT_LT(operand.index, function.registers.size());
  }
  if (operand.kind == Operand::Kind::label) {
    EXPECT_LE(operand.index, function.instructions.size());
  }
  for (const Operand& element : operand.elements) expect_consistent(element, function);
}

void expect_consistent(const Module& module) {
  for (const Function& function : module.functions) {
    for (const Instruction& instruction : function.instructions) {
      EXPECT_LT(instruction.guard, static_cast<std::int64_t>(function.registers.size()));
      EXPECT_LT(instruction.location, static_cast<std::int64_t>(function.locations.size()));
      for (const Operand& operand : instruction.operands) expect_consistent(operand, function);
    }
    for (std::size_t i = 0; i < function.locations.size(); ++i) {
      EXPECT_LT(function.locations[i].inlined_at, static_cast<std::int64_t>(i))
          << "chains only lead backwards";
    }
  }
}

class Language : public testing::TestWithParam<int> {
 protected:
  Module module_ = parse(made("language_" + std::to_string(GetParam()) + ".ptx"));
};

TEST_P(Language, TreeIsConsistent) {
  expect_consistent(module_);
  EXPECT_EQ(module_.target, "sm_" + std::to_string(GetParam()));
  for (const char* kernel : {"transpose_kernel", "calls_kernel", "maths_kernel", "assembly_kernel"}) {
    EXPECT_TRUE(function_like(module_, kernel).entry);
  }
}

TEST_P(Language, Initialisers) {
  const Variable& weights = named(module_.variables, "weights");
  EXPECT_EQ(weights.space, Space::constant);
  const float expected_weights[] = {1.5f, -2.0f, 3.0f, 4.0f};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(initial_value(weights, 4 * i, 4), std::bit_cast<std::uint32_t>(expected_weights[i])) << i;
  }
  const double expected_table[] = {1.0, 2.0, 3.0, -4.0};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(initial_value(named(module_.variables, "table"), 8 * i, 8),
              std::bit_cast<std::uint64_t>(expected_table[i]))
        << i;
  }
  EXPECT_EQ(initial_value(named(module_.variables, "counter"), 0, 4), 5u);
  EXPECT_TRUE(named(module_.variables, "managed_value").managed);
  EXPECT_TRUE(named(module_.variables, "target").initial.empty());
  EXPECT_EQ(named(module_.variables, "target").bytes, 40u);
  EXPECT_EQ(named(module_.variables, "dynamic_shared").bytes, 0u);
}

TEST_P(Language, AddressesInInitialisers) {
  const auto expect = [&](const char* variable, std::size_t i, std::uint64_t offset,
                          const std::string& symbol, std::int64_t addend) {
    const Variable& holder = named(module_.variables, variable);
    ASSERT_LT(i, holder.relocations.size()) << variable;
    EXPECT_EQ(holder.relocations[i].offset, offset) << variable;
    EXPECT_EQ(holder.relocations[i].symbol, symbol) << variable;
    EXPECT_EQ(holder.relocations[i].addend, addend) << variable;
    EXPECT_TRUE(holder.relocations[i].generic) << variable;
  };
  expect("pointer", 0, 0, "target", 12);
  expect("mixed", 0, 8, "target", 4);
  expect("functions", 0, 0, "_Z5twicei", 0);
  expect("functions", 1, 8, "_Z6thricei", 0);
  expect("packed", 0, 1, "target", 8);
  expect("packed", 1, 11, "_Z6thricei", 0);
  EXPECT_EQ(initial_value(named(module_.variables, "packed"), 0, 1), 'p');
  EXPECT_EQ(initial_value(named(module_.variables, "packed"), 9, 2), 0xFFFDu);
  EXPECT_EQ(initial_value(named(module_.variables, "mixed"), 0, 1), 'a');
  const std::string words[] = {"one", "two", "three"};
  const Variable& messages = named(module_.variables, "messages");
  ASSERT_EQ(messages.relocations.size(), 3u);
  for (std::size_t i = 0; i < 3; ++i) {
    const Variable& text = named(module_.variables, messages.relocations[i].symbol);
    ASSERT_EQ(text.bytes, words[i].size() + 1);
    for (std::size_t j = 0; j < words[i].size(); ++j) {
      EXPECT_EQ(static_cast<char>(initial_value(text, j, 1)), words[i][j]);
    }
  }
}

TEST_P(Language, CallsAndBounds) {
  const Function& calls = function_like(module_, "calls_kernel");
  EXPECT_EQ(calls.max_threads[0], 256u);
  EXPECT_EQ(calls.min_blocks_per_multiprocessor, 2u);
  EXPECT_FALSE(calls.prototypes.empty());
  std::size_t direct = 0, indirect = 0;
  for (const Instruction& call : calls.instructions) {
    if (call.opcode != "call") continue;
    const auto reg = std::ranges::find(call.operands, Operand::Kind::reg, &Operand::kind);
    if (reg == call.operands.end()) {
      ++direct;
      continue;
    }
    ++indirect;
    EXPECT_TRUE(calls.prototypes.contains(call.operands.back().name));
  }
  EXPECT_GE(direct, 2u) << "vprintf and twice";
  EXPECT_GE(indirect, 2u);
  std::map<std::string, int> names;
  for (const Variable& variable : calls.variables) ++names[variable.name];
  for (const auto& [name, count] : names) EXPECT_EQ(count, 1) << name;
  EXPECT_TRUE(names.contains("param0@2"));
}

TEST_P(Language, SharedTileAndLines) {
  const Function& transpose = function_like(module_, "transpose_kernel");
  ASSERT_EQ(transpose.variables.size(), 1u);
  EXPECT_EQ(transpose.variables[0].bytes, 32u * 33 * 4);
  EXPECT_EQ(transpose.variables[0].space, Space::shared);
  const auto barrier = std::ranges::find_if(transpose.instructions, [](const Instruction& instruction) {
    return instruction.opcode == "bar" || instruction.opcode == "barrier";
  });
  ASSERT_NE(barrier, transpose.instructions.end());
  const Location& location = transpose.locations.at(static_cast<std::size_t>(barrier->location));
  EXPECT_EQ(location.line, line_of("language.cu", "__syncthreads"));
  EXPECT_TRUE(module_.files.at(location.file).ends_with("language.cu"));
  EXPECT_EQ(transpose.declared_at.line, line_of("language.cu", "transpose_kernel"));
}

TEST_P(Language, InlineAssemblyKeepsItsOwnNames) {
  const Function& assembly = function_like(module_, "assembly_kernel");
  const auto branch = std::ranges::find(assembly.instructions, "brx", &Instruction::opcode);
  ASSERT_NE(branch, assembly.instructions.end());
  const auto& targets = assembly.target_lists.at(branch->operands.at(1).name);
  ASSERT_EQ(targets.size(), 2u);
  EXPECT_EQ(assembly.instructions.at(targets[0].index).spelling(), "membar.gl");
  EXPECT_EQ(assembly.instructions.at(targets[1].index).spelling(), "membar.cta");
  const auto predicates = std::ranges::count(assembly.registers, "p", &Register::name);
  EXPECT_EQ(predicates, 3) << "one for each block of assembly";
}

INSTANTIATE_TEST_SUITE_P(Architectures, Language, testing::Values(75, 80, 90, 100, 120));

class Library : public testing::TestWithParam<const char*> {};

TEST_P(Library, TreeIsConsistentAndTablesAreWhole) {
  const Module module = parse(made(GetParam()));
  expect_consistent(module);
  const Variable& matrix = named(module.variables, "precalc_xorwow_matrix");
  EXPECT_EQ(matrix.bytes, 102400u);
  EXPECT_EQ(matrix.initial.size(), 102400u);
  // The first word of the matrix in curand_precalc.h is 850664906.
  EXPECT_EQ(initial_value(matrix, 0, 4), 850664906u);
  for (const char* kernel : {"random", "groups", "scan", "half", "matrix", "cluster"}) {
    EXPECT_FALSE(function_like(module, std::string(kernel) + "_kernel").instructions.empty());
  }
  EXPECT_EQ(function_like(module, "cluster_kernel").cluster, (std::array<std::uint32_t, 3>{2, 1, 1}));
}

INSTANTIATE_TEST_SUITE_P(Architectures, Library, testing::Values("library_90.ptx", "library_120.ptx"));

}  // namespace
}  // namespace lockstep::emulator::ptx
