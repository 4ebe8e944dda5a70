// The error that is reported first: its line in the submission, and what it means. The outputs are
// nvcc 13.0's.
#include "build/compiler_errors.h"

#include <gmock/gmock.h>

namespace lockstep::build {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* kSource =
    "#include \"transpose.h\"\n"
    "\n"
    "float scale(float x) { return 2 * x; }\n"
    "__global__ void copy_kernel(const float* in, float* out, int columns) {\n"
    "  const int i = threadIdx.x;\n"
    "  std::vector<float> row(columns);\n"
    "  out[i] = std::min(in[i], scale(in[i]))\n"
    "\n"
    "  out[i] = in[i * columns];\n"
    "}\n"
    "void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {\n"
    "  copy_kernel<<<1, 32, 0, stream>>>(in, out, columns);\n"
    "}\n";

CompilerError error_in(const std::string& output, const std::string& source = kSource) {
  return first_error(output, source, "a.cu").value_or(CompilerError{});
}

TEST(CompilerErrors, ThereIsNoneInWarnings) {
  EXPECT_FALSE(first_error("", kSource, "a.cu"));
  EXPECT_FALSE(first_error("a.cu(5): warning #177-D: variable \"error\" was declared\n", kSource, "a.cu"));
  EXPECT_FALSE(first_error("ptxas warning : Stack size cannot be determined\n", kSource, "a.cu"));
}

TEST(CompilerErrors, AFunctionWithoutAnOrdinaryNameHasNoLine) {
  for (const char* symbol : {"_ZNK1V3dotEv", "_Zpl1VS_"}) {
    for (const char* source : {"namespace {}\n", "#include <cstdio>\n"}) {
      const std::string output = std::string("ptxas fatal   : Unresolved extern function '") + symbol + "'\n";
      EXPECT_EQ(error_in(output, source).line, 0U) << symbol << ' ' << source;
    }
  }
}

TEST(CompilerErrors, TheHostsFunctionsAreNotTheKernels) {
  const CompilerError own = error_in(
      "a.cu(7): error: calling a __host__ function(\"scale(float)\") from a __global__ "
      "function(\"copy_kernel\") is not allowed\n\na.cu(7): error: identifier \"scale\" is undefined in "
      "device code\n",
      "\n\n\n\n\n\n  out[i] = scale(in[i]);\n");
  EXPECT_EQ(own.line, 7U);
  EXPECT_THAT(own.meaning, StartsWith("scale runs on the host alone, and copy_kernel on the GPU."));
  EXPECT_THAT(own.meaning, HasSubstr("write __device__ before its definition"));
  const CompilerError library = error_in(
      "a.cu(7): error: calling a constexpr __host__ function(\"min\") from a __global__ "
      "function(\"copy_kernel\") is not allowed.\n    out[i] = std::min(in[i], 0)\n             ^\n");
  EXPECT_THAT(library.meaning, HasSubstr("CUDA has a min of its own: leave std:: out"));
}

TEST(CompilerErrors, AnErrorInAHeaderHasTheSubmissionsLine) {
  // Nothing leads there, and the function that is named does.
  const CompilerError vector = error_in(
      "/usr/include/c++/12/bits/allocator.h(159): error: calling a constexpr __host__ "
      "function(\"__new_allocator\") from a __global__ function(\"copy_kernel\") is not allowed.\n"
      "        allocator(const allocator& __a) noexcept\n        ^\n\n");
  EXPECT_EQ(vector.line, 6U);
  EXPECT_THAT(vector.meaning, StartsWith("A std::vector lives in the host's memory, and copy_kernel runs"));
  const CompilerError instantiated = error_in(
      "/usr/include/c++/12/bits/new_allocator.h(111): error: pointer to reference is not allowed\n"
      "        [[__nodiscard__]] _Tp*\n                             ^\n"
      "          detected during:\n"
      "            instantiation of class \"std::allocator<_Tp>\" at line 124 of /usr/include/allocator.h\n"
      "            instantiation of class \"std::vector<_Tp, _Alloc>\" at line 9 of a.cu\n"
      "            instantiation of \"void k<T>()\" at line 12 of a.cu\n");
  EXPECT_EQ(instantiated.line, 9U);
  EXPECT_EQ(instantiated.message, "pointer to reference is not allowed");
  EXPECT_THAT(instantiated.meaning, StartsWith("This line leads into the header new_allocator.h, of which"));
}

TEST(CompilerErrors, AMissingSemicolonIsInTheLineBefore) {
  const std::string head = "a.cu(9): error: expected a \";\"\n";
  EXPECT_EQ(error_in(head + "    out[i] = in[i * columns];\n    ^\n").line, 7U) << "over an empty line";
  EXPECT_EQ(error_in(head + "    out[i] = in[i * columns];\n             ^\n").line, 9U);
}

TEST(CompilerErrors, AMissingBraceIsToldBeforeWhatFollowsFromIt) {
  const CompilerError error = error_in(
      "a.cu(11): error: expected a \";\"\n  void transpose(int rows) {\n                           ^\n\n"
      "At end of source: error: expected a \"}\"\na.cu(4): note #3196-D: to match this \"{\"\n");
  EXPECT_EQ(error.line, 4U);
  EXPECT_THAT(error.meaning, HasSubstr("A } is missing"));
}

TEST(CompilerErrors, TheOthersHaveTheirLinesInTheCompilersOrder) {
  const std::string output =
      "a.cu(11): error: expected a \";\"\n  void transpose(int rows) {\n                           ^\n\n"
      "At end of source: error: expected a \"}\"\na.cu(4): note #3196-D: to match this \"{\"\n"
      "a.cu(9): error: identifier \"n\" is undefined\na.cu(999): error: no such line\n";
  const std::vector<CompilerError> further = further_errors(output, kSource, "a.cu");
  ASSERT_EQ(further.size(), 2U);
  EXPECT_EQ(further[0].line, 11U);
  EXPECT_EQ(further[0].message, "expected a \";\"");
  EXPECT_EQ(further[1].line, 9U);
  EXPECT_TRUE(further_errors("a.cu(9): error: alone\n", kSource, "a.cu").empty());
}

TEST(CompilerErrors, ANameThatIsMisspeltHasTheOneThatIsMeant) {
  EXPECT_THAT(error_in("a.cu(9): error: identifier \"collumns\" is undefined\n").meaning,
              HasSubstr("Did you mean columns?"));
  EXPECT_THAT(error_in("a.cu(9): error: identifier \"__syncthread\" is undefined\n").meaning,
              HasSubstr("__syncthreads"));
  EXPECT_THAT(error_in("a.cu(9): error: identifier \"qqqqqqqqqqqq\" is undefined\n").meaning,
              HasSubstr("Is it misspelt"));
}

TEST(CompilerErrors, WhatHasNoPlaceIsSoughtInTheSource) {
  const CompilerError undefined = error_in(
      "/usr/bin/ld: submission.o: in function `transpose(float const*)':\n"
      "a.cudafe1.cpp:(.text+0x2ea): undefined reference to `scale(float)'\n");
  EXPECT_EQ(undefined.line, 3U);
  EXPECT_THAT(undefined.meaning, StartsWith("scale is declared and nowhere defined"));
  const CompilerError shared = error_in(
      "ptxas error   : Entry function '_Z11copy_kernelPKfPfi' uses too much shared data (0x10000 bytes, "
      "0xc000 max)\n");
  EXPECT_EQ(shared.line, 4U);
  EXPECT_THAT(shared.meaning, HasSubstr("extern __shared__"));
  const CompilerError assembler =
      error_in("ptxas a.ptx, line 46; error   : Unknown modifier '.u33'\n", "\n  asm(\"mov.u33 %0, 1;\");\n");
  EXPECT_EQ(assembler.line, 2U);
  EXPECT_THAT(assembler.meaning, HasSubstr("nvcc passes on unread: Unknown modifier '.u33'"));
}

/// What is said of a line, and words of what it means.
struct Class {
  const char *message, *line, *words;
};

TEST(CompilerErrors, EveryClassIsToldInPlainWords) {
  constexpr Class kClasses[] = {
      {"a __global__ function call must be configured", "k(in);", "write <<<blocks, threads, 0, stream>>>"},
      {"a host function call cannot be configured", "k<<<1, 1>>>(in);", "write __global__ before"},
      {"device code does not support exception handling", "throw 5;", "neither throw nor catch"},
      {"The operator 'dynamic_cast' is not allowed in device code", "x", "dynamic_cast looks up types"},
      {"a variable length array cannot have static storage duration", "__shared__ int s[n];",
       "how long a __shared__ array is"},
      {"expression must have a constant value", "float tile[rows];", "how long an array is"},
      {"identifier \"g\" is undefined in device code", "g;", "g is a variable of the host"},
      {"too few arguments in function call", "k(in);", "fewer arguments than the function has parameters"},
      {"argument of type \"const float *\" is incompatible with parameter of type \"float *\"", "k(in);",
       "in the order of the parameters"},
      {"argument of type \"const Particle *\" is incompatible with parameter of type \"const float4 *\"",
       "k(in);",
       "A const float4 * is wanted where a const Particle * is given: are the arguments in the order of the "
       "parameters? The same memory is read as another type with reinterpret_cast<const float4 "
       "*>(argument)."},
      {"no instance of overloaded function \"atomicAdd\" matches the argument list\n            argument "
       "types are: (unsigned short *, unsigned int)",
       "x", "There is no atomicAdd of (unsigned short *, unsigned int)"},
      {"no instance of overloaded function \"__shfl_down_sync\" matches the argument list\n            "
       "argument types are: (unsigned int, const int)",
       "x", "__shfl_down_sync(mask, value, lane)"},
      {"expected a \">>>\"", "k<<<1, 1>>(in);", "three < and three >"},
      {"initializer not allowed for __shared__ variable ", "x", "begins without a value"},
      {"declaration is incompatible with previous \"tile\" (declared at line 5)",
       "extern __shared__ T tile[];", "those of one name need one type"},
      {"cannot overload functions distinguished by return type alone", "int f();", "exercise's header"},
      {"calling a __device__ function(\"f(int)\") from a __host__ function(\"g\") is not allowed", "f(3);",
       "f runs on the GPU alone, and g on the host"},
      {"expected a declaration", "}", "a } too many"},
      {"calling a constexpr __host__ function(\"operator[]\") from a __global__ function(\"k\") is not "
       "allowed.",
       "row[i] = 0;", "k uses an object of the host's library here, such as a std::vector"},
  };
  for (const Class& one : kClasses) {
    const CompilerError error = error_in(std::string("a.cu(1): error: ") + one.message + "\n", one.line);
    EXPECT_EQ(error.line, 1U) << one.message;
    EXPECT_THAT(error.meaning, HasSubstr(one.words)) << one.message;
    EXPECT_THAT(error.meaning, Not(HasSubstr("{"))) << one.message;
  }
}

TEST(CompilerErrors, NothingThatASubmissionSaysIsALineThatItDoesNotHave) {
  EXPECT_EQ(error_in("a.cu(4294967295): error: x\n").line, 0U);
  EXPECT_EQ(error_in("a.cu(99999999999999999999): error: x\n").line, 0U);
  EXPECT_EQ(error_in("a.cu(0): error: expected a \";\"\n  x\n  ^\n").line, 0U);
  EXPECT_EQ(error_in("): error: x\n").line, 0U);
  EXPECT_EQ(error_in(": error: \n", "").line, 0U);
  EXPECT_EQ(error_in("a.cu(1): error: identifier \"\" is undefined\n").line, 1U);
}

TEST(CompilerErrors, LengthDoesNotMatter) {
  const std::string many(1'000'000, '(');
  error_in("a.cu(1): error: identifier \"" + many + "\" is undefined\n", many);
  std::string names;
  for (int i = 0; i < 100'000; ++i) names += "copy_kernel(";
  error_in("b.h(1): error: calling a __host__ function(\"f\") from a __global__ function(\"copy_kernel\")\n",
           names);
}

}  // namespace
}  // namespace lockstep::build
