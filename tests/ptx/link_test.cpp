// Modules that are linked: which names become one, which stay apart, and what contradicts itself.
#include "emulator/ptx/link.h"

#include <initializer_list>

#include "ptx_test_support.h"

namespace lockstep::emulator::ptx {
namespace {

Module linked(std::initializer_list<const char*> files) {
  std::vector<Module> modules;
  for (const char* items : files) modules.push_back(parse_items(items));
  return link(std::move(modules));
}

std::string refusal(std::initializer_list<const char*> files) {
  try {
    linked(files);
  } catch (const LinkError& error) {
    return error.what();
  }
  return {};
}

/// The symbol that an instruction's operand names.
const std::string& symbol_at(const Function& function, std::size_t instruction, std::size_t operand) {
  return function.instructions.at(instruction).operands.at(operand).name;
}

TEST(Link, ADefinitionTakesThePlaceOfDeclarations) {
  for (const bool declared_first : {true, false}) {
    const char* user =
        ".extern .func f; .extern .global .align 4 .u32 v; .extern .const .align 4 .b8 c[8];\n"
        ".visible .entry k() { .reg .b32 r; call f; ld.global.u32 r, [v]; ret; }";
    const char* owner =
        ".visible .func f { ret; } .visible .global .align 4 .u32 v = 7; .visible .const .align 16 .b8 c[8];";
    const Module module = declared_first ? linked({user, owner}) : linked({owner, user});
    EXPECT_EQ(module.functions.size(), 2U);
    EXPECT_FALSE(named(module.functions, "f").external);
    EXPECT_EQ(module.variables.size(), 2U);
    EXPECT_EQ(initial_value(named(module.variables, "v"), 0, 4), 7U);
    EXPECT_FALSE(named(module.variables, "c").external);
    EXPECT_EQ(named(module.variables, "c").alignment, 16U);
  }
}

TEST(Link, WhatNoneDefinesStaysADeclaration) {
  const Module module = linked({".extern .func f; .extern .global .u32 v;", ".extern .func f;"});
  EXPECT_TRUE(named(module.functions, "f").external);
  EXPECT_TRUE(named(module.variables, "v").external);
}

TEST(Link, OwnNamesStayApart) {
  const Module module = linked(
      {".global .u32 v = 1; .func f { ret; }\n"
       ".visible .entry one() { .reg .b32 r; ld.global.u32 r, [v]; call f; ret; }",
       ".global .u32 v = 2; .func f { exit; } .global .u64 at[] = {v, f};\n"
       ".visible .entry two(.param .u64 f) { .reg .b32 r; ld.global.u32 r, [v]; ld.param.u32 r, [f]; ret; }",
       ".visible .global .u32 v = 3;"});
  EXPECT_EQ(module.functions.size(), 4U);
  const auto value_of = [&](const std::string& name) {
    return initial_value(named(module.variables, name), 0, 4);
  };
  const Function &one = named(module.functions, "one"), &two = named(module.functions, "two");
  const auto variable_of = [](const Function& kernel) {
    return kernel.instructions.at(0).operands.at(1).elements.at(0).name;
  };
  EXPECT_EQ(value_of(variable_of(one)), 1U);
  EXPECT_EQ(value_of(variable_of(two)), 2U);
  EXPECT_EQ(value_of("v"), 3U);
  EXPECT_EQ(named(module.functions, symbol_at(one, 1, 0)).instructions.at(0).opcode, "ret");
  EXPECT_EQ(two.instructions.at(1).operands.at(1).elements.at(0).name, "f") << "its parameter";
  const std::vector<Relocation>& addresses = named(module.variables, "at").relocations;
  EXPECT_EQ(addresses.at(0).symbol, variable_of(two));
  EXPECT_EQ(named(module.functions, addresses.at(1).symbol).instructions.at(0).opcode, "exit");
}

TEST(Link, OfWeakDefinitionsTheFirstStaysAndAStrongOneGoesBefore) {
  const auto value = [](const Module& module) { return initial_value(named(module.variables, "v"), 0, 4); };
  const char *weak_1 = ".weak .global .u32 v = 1;", *weak_2 = ".weak .global .u32 v = 2;",
             *strong = ".visible .global .u32 v = 3;", *common = ".common .global .u32 v;";
  EXPECT_EQ(value(linked({weak_1, weak_2})), 1U);
  EXPECT_EQ(value(linked({weak_1, strong, weak_2})), 3U);
  EXPECT_EQ(value(linked({strong, weak_1})), 3U);
  EXPECT_EQ(value(linked({common, strong})), 3U);
  EXPECT_EQ(linked({common, common}).variables.size(), 1U);
  const Module kernels = linked({".weak .entry k() { ret; }", ".weak .entry k() { exit; }"});
  EXPECT_EQ(kernels.functions.size(), 1U);
  EXPECT_EQ(kernels.functions[0].instructions.at(0).opcode, "ret");
}

TEST(Link, DynamicSharedMemoryHasTheLargestAlignment) {
  const Module module = linked({".extern .shared .align 4 .b8 d[];", ".extern .shared .align 16 .b8 d[];",
                                ".extern .shared .b8 d[];"});
  ASSERT_EQ(module.variables.size(), 1U);
  EXPECT_EQ(module.variables[0].alignment, 16U);
}

TEST(Link, FilesHaveNumbersOfTheirOwn) {
  const Module module = linked({".file 1 \"a.cu\"\n.entry k() { .loc 1 5 0\nret; }",
                                ".file 1 \"b.cu\"\n.file 4294967295 \"c.h\"\n"
                                ".entry l() { .loc 1 6 0\nret;\n.loc 4294967295 7 0\nret; }"});
  const auto file_of = [&](const char* kernel, std::size_t instruction) {
    const Function& function = named(module.functions, kernel);
    const auto location = static_cast<std::size_t>(function.instructions.at(instruction).location);
    return module.files.at(function.locations.at(location).file);
  };
  EXPECT_EQ(file_of("k", 0), "a.cu");
  EXPECT_EQ(file_of("l", 0), "b.cu");
  EXPECT_EQ(file_of("l", 1), "c.h");
}

TEST(Link, Contradictions) {
  EXPECT_EQ(refusal({".visible .func f { ret; }", ".visible .func f { ret; }"}),
            "'f' is defined in two files");
  EXPECT_EQ(refusal({".visible .global .u32 v;", ".visible .global .u32 v;"}), "'v' is defined in two files");
  EXPECT_EQ(refusal({".visible .global .u32 v;", ".extern .const .u32 v;"}),
            "'v' is in two spaces of memory");
  EXPECT_EQ(refusal({".visible .global .b8 v[8];", ".extern .global .b8 v[9];"}),
            "'v' has 8 bytes in one file and 9 in another");
  EXPECT_EQ(refusal({".visible .global .u32 v;", ".extern .func v;"}),
            "'v' is a function in one file and a variable in another");
  EXPECT_EQ(refusal({".extern .func v;", ".visible .global .u32 v;"}),
            "'v' is a function in one file and a variable in another");
  EXPECT_EQ(refusal({".visible .entry f() { ret; }", ".extern .func f;"}),
            "'f' is a kernel in one file alone");
}

}  // namespace
}  // namespace lockstep::emulator::ptx
