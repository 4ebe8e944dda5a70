// `.loc`: chains of inlined calls, from small texts and from nvcc over three files.
#include "ptx_test_support.h"

namespace lockstep::emulator::ptx {
namespace {

const Location& location_of(const Function& function, std::size_t instruction) {
  const std::int32_t index = function.instructions.at(instruction).location;
  if (index < 0) throw std::runtime_error("the instruction has no location");
  return function.locations.at(static_cast<std::size_t>(index));
}

/// From the innermost to the outermost.
std::vector<Location> chain_of(const Function& function, const Instruction& instruction) {
  std::vector<Location> chain;
  for (std::int32_t i = instruction.location; i >= 0; i = chain.back().inlined_at) {
    chain.push_back(function.locations.at(static_cast<std::size_t>(i)));
  }
  return chain;
}

const char* const kDebugStrings = ".section .debug_str {\nA: .b8 102,111,111,0\nB: .b8 98\n.b8 97,114,0\n}\n";

Function with_locations(const std::string& body) {
  return parse_items(".entry k() {\n" + body + "\n}\n.file 1 \"a.cu\"\n" + kDebugStrings).functions.at(0);
}

TEST(Locations, TheLastBeforeAnInstructionCounts) {
  const Function f = with_locations("membar.gl;\n.loc 1 10 3\n.loc 2 20 5\nret;\nret;");
  EXPECT_EQ(f.instructions.at(0).location, -1);
  EXPECT_EQ(location_of(f, 1).file, 2u);
  EXPECT_EQ(location_of(f, 1).line, 20u);
  EXPECT_EQ(location_of(f, 1).column, 5u);
  EXPECT_EQ(location_of(f, 1).inlined_at, -1);
  EXPECT_EQ(f.instructions.at(2).location, f.instructions.at(1).location);
  EXPECT_EQ(f.declared_at.line, 10u);
}

TEST(Locations, ChainsGoToTheLatestEarlierPlace) {
  const Function f = with_locations(R"(
    .loc 1 25 30
    .loc 2 24 38, function_name A, inlined_at 1 25 30
    .loc 3 23 38, function_name B, inlined_at 2 24 38
    membar.gl;
    .loc 1 40 1
    .loc 2 24 38, function_name A, inlined_at 1 40 1
    .loc 3 23 38, function_name A+1, inlined_at 2 24 38
    membar.gl;)");
  const auto first = chain_of(f, f.instructions.at(0));
  ASSERT_EQ(first.size(), 3u);
  EXPECT_EQ(first[0].function, "bar");
  EXPECT_EQ(first[0].file, 3u);
  EXPECT_EQ(first[1].function, "foo");
  EXPECT_EQ(first[1].line, 24u);
  EXPECT_EQ(first[2].function, "");
  EXPECT_EQ(first[2].line, 25u);
  const auto second = chain_of(f, f.instructions.at(1));
  ASSERT_EQ(second.size(), 3u);
  EXPECT_EQ(second[0].function, "oo");
  EXPECT_EQ(second[2].line, 40u);
}

TEST(Locations, CallSiteWithoutALocationOfItsOwn) {
  const Function f = with_locations(".loc 3 23 38, function_name B, inlined_at 1 9 9\nret;");
  const auto chain = chain_of(f, f.instructions.at(0));
  ASSERT_EQ(chain.size(), 2u);
  EXPECT_EQ(chain[1].line, 9u);
  EXPECT_EQ(f.declared_at.line, 23u);
}

TEST(Locations, EqualOnesAreKeptOnceAndChainsStayShort) {
  std::string body = ".loc 1 5 1\n";
  for (int i = 0; i < 1000; ++i) body += ".loc 1 5 1\nmembar.gl;\n";
  EXPECT_EQ(with_locations(body).locations.size(), 1u);
  body = ".loc 1 5 1\n";
  for (int i = 0; i < 10000; ++i)
    body += ".loc 2 7 1, function_name A, inlined_at " + std::string(i ? "2 7 1\n" : "1 5 1\n");
  const Function f = with_locations(body + "ret;");
  const auto chain = chain_of(f, f.instructions.at(0));
  EXPECT_LE(chain.size(), 300u);
  EXPECT_EQ(chain.back().line, 5u);
}

class InlinedByCompiler : public testing::TestWithParam<const char*> {};

TEST_P(InlinedByCompiler, EveryChainEndsInTheKernelsFile) {
  const Module module = parse(made(GetParam()));
  const Function& kernel = function_like(module, "inlined_kernel");
  const std::uint32_t call = line_of("inlined.cu", "[call]");
  const std::uint32_t recursion = line_of("inlined.cu", "[recursion]");
  bool saw_inner = false, saw_outer = false, saw_recursion = false;
  for (const Instruction& instruction : kernel.instructions) {
    const auto chain = chain_of(kernel, instruction);
    if (chain.empty()) continue;
    EXPECT_TRUE(module.files.at(chain.back().file).ends_with("inlined.cu"));
    EXPECT_EQ(chain.back().inlined_at, -1);
    const std::string& innermost = module.files.at(chain.front().file);
    if (innermost.ends_with("inlined_inner.h") &&
        chain.front().line == line_of("inlined_inner.h", "[inner]")) {
      saw_inner = true;
      ASSERT_EQ(chain.size(), 3u);
      EXPECT_EQ(chain[0].function, "_Z5innerf");
      EXPECT_EQ(chain[1].function, "_Z5outerf");
      EXPECT_TRUE(module.files.at(chain[1].file).ends_with("inlined_outer.h"));
      EXPECT_EQ(chain[1].line, line_of("inlined_outer.h", "[outer]"));
      EXPECT_EQ(chain[2].line, call);
      EXPECT_EQ(chain[2].function, "");
    }
    if (innermost.ends_with("inlined_outer.h")) {
      saw_outer = true;
      EXPECT_EQ(chain.back().line, call);
    }
    if (chain.front().function.starts_with("_Z7descend")) {
      saw_recursion = true;
      EXPECT_EQ(chain.back().line, recursion);
    }
  }
  EXPECT_TRUE(saw_inner);
  EXPECT_TRUE(saw_outer);
  EXPECT_TRUE(saw_recursion);
}

INSTANTIATE_TEST_SUITE_P(Architectures, InlinedByCompiler,
                         testing::Values("inlined_90.ptx", "inlined_100.ptx"));

}  // namespace
}  // namespace lockstep::emulator::ptx
