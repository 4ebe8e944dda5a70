// Technique gates: the worst case and line are named, the limit itself passes, and NaN fails.
#include "judge/technique.h"

#include <gmock/gmock.h>

#include <limits>

namespace lockstep::judge {
namespace {

using result::GateResult;
using result::Verdict;
using testing::Each;
using testing::Field;
using testing::HasSubstr;
using testing::StartsWith;

class Technique : public testing::Test {
 protected:
  Technique() {
    problem_.gates = {course::global_sectors_gate(1.5, {.scattered = "read along rows"})};
    large_.name = "large";
    large_.cost = small_.cost = {.elements = 32, .global_bytes = 256};
    large_.calls = small_.calls = 1;
    large_.measured = small_.measured = true;
    small_.name = "small";
  }

  static emulator::LineCounters stores(const std::string& file, unsigned line, std::uint64_t sectors) {
    emulator::LineCounters counters;
    counters.line = {file, line};
    counters.global_store = {1, sectors, 4, 128};
    return counters;
  }

  SourceText source_{"technique_test.cu", "int a;\nout[j] = in[i];\n"};
  course::Problem problem_;
  course::Case large_, small_;
};

TEST_F(Technique, WorstCaseAndWorstLineAreNamed) {
  std::vector<MeasuredCase> measured(2);
  measured[0].one = &large_;
  measured[0].observations.lines = {stores("/x/header.h", 1, 40), stores("/x/technique_test.cu", 1, 4),
                                    stores("/x/technique_test.cu", 2, 32)};
  measured[1].one = &small_;
  measured[1].observations.lines = {stores("/x/technique_test.cu", 2, 8)};
  const std::vector<GateResult> gates = judge_technique(problem_, measured, {}, source_);
  ASSERT_EQ(gates.size(), 2U);
  EXPECT_EQ(gates[0].verdict, Verdict::inefficient);
  EXPECT_DOUBLE_EQ(gates[0].value, 76 / 8.0);
  EXPECT_EQ(gates[0].case_name, "large");
  ASSERT_EQ(gates[0].worst.size(), 1U);
  EXPECT_EQ(gates[0].worst[0].line, 2U) << "a line of the submission, though a header's does more";
  EXPECT_EQ(gates[0].worst[0].text, "out[j] = in[i];");
  EXPECT_EQ(gates[0].explanation, "stores take 32 sectors per request, ideal 4");
  EXPECT_EQ(gates[0].advice, "read along rows");
  EXPECT_EQ(gates[1].name, "host-copies");
  EXPECT_EQ(gates[1].verdict, Verdict::passed);
}

emulator::LineCounters loads(unsigned line, std::uint64_t requests) {
  emulator::LineCounters counters;
  counters.line = {"/x/technique_test.cu", line};
  counters.global_load = {requests, requests * 4, requests * 4, requests * 128};
  return counters;
}

TEST_F(Technique, LinesThatReadTheInputOnceEachAreNamedTogether) {
  source_ = SourceText("technique_test.cu", "a = in[i];\nb = totals[i];\nc = in[i];\n");
  problem_.gates = {course::global_sectors_gate(1.5, {.again = "Read each element once."})};
  std::vector<MeasuredCase> measured(1);
  measured[0].one = &large_;
  measured[0].input_bytes = 128;
  emulator::LineCounters totals = loads(2, 1);
  totals.global_load = {1, 1, 1, 32};
  measured[0].observations.lines = {loads(1, 1), totals, loads(3, 1), stores("/x/technique_test.cu", 1, 4)};
  GateResult gate = judge_technique(problem_, measured, {}, source_)[0];
  EXPECT_EQ(gate.verdict, Verdict::inefficient);
  ASSERT_EQ(gate.worst.size(), 2U);
  EXPECT_EQ(gate.worst[0].line, 1U);
  EXPECT_EQ(gate.worst[1].line, 3U);
  EXPECT_EQ(gate.explanation, "lines 1, 3 together: loads bring 2 times the bytes of the input");
  EXPECT_THAT(gate.advice, StartsWith("Read each element once. "));
  measured[0].observations.lines = {loads(1, 1), loads(3, 9)};
  gate = judge_technique(problem_, measured, {}, source_)[0];
  ASSERT_EQ(gate.worst.size(), 1U) << "one of them reads it nine times";
  EXPECT_EQ(gate.worst[0].line, 3U);
}

TEST_F(Technique, ALineIsBlamedForAllKernelsThatRunIt) {
  std::vector<MeasuredCase> measured(1);
  measured[0].one = &large_;
  emulator::LineCounters first = stores("/x/technique_test.cu", 2, 20), second = first;
  first.function = "a";
  second.function = "b";
  measured[0].observations.lines = {first, stores("/x/technique_test.cu", 1, 30), second};
  const GateResult gate = judge_technique(problem_, measured, {}, source_)[0];
  ASSERT_EQ(gate.worst.size(), 1U);
  EXPECT_EQ(gate.worst[0].line, 2U) << "16 and 16 sectors beyond the ideal, and line 1 has 26";
  EXPECT_EQ(gate.explanation, "stores take 20 sectors per request, ideal 4");
}

TEST_F(Technique, CopiesThatNoLineMakesAreNamed) {
  std::vector<MeasuredCase> measured(1);
  measured[0].one = &large_;
  measured[0].observations.lines = {stores("/x/technique_test.cu", 2, 4)};
  measured[0].observations.copied_sectors = 36;
  const GateResult alone = judge_technique(problem_, measured, {}, source_)[0];
  EXPECT_EQ(alone.verdict, Verdict::inefficient);
  EXPECT_EQ(alone.explanation, "copies, fills, textures and surfaces are 90 % of all sectors");
  measured[0].observations.lines = {stores("/x/technique_test.cu", 2, 8)};
  EXPECT_EQ(
      judge_technique(problem_, measured, {}, source_)[0].explanation,
      "stores take 8 sectors per request, ideal 4; copies, fills, textures and surfaces are 82 % of all "
      "sectors");
}

TEST_F(Technique, LimitIsIncludedAndNaNFails) {
  std::vector<MeasuredCase> measured(1);
  measured[0].one = &large_;
  measured[0].observations.lines = {stores("technique_test.cu", 2, 12)};
  EXPECT_EQ(judge_technique(problem_, measured, {}, source_)[0].verdict, Verdict::passed);
  problem_.gates[0].value = [](const course::Measurement&) {
    return std::numeric_limits<double>::quiet_NaN();
  };
  EXPECT_EQ(judge_technique(problem_, measured, {}, source_)[0].verdict, Verdict::inefficient);
}

TEST_F(Technique, WhatMustBeReachedIsWorstWhereItIsLeastAndOfWideCasesAlone) {
  problem_.gates = {course::parallelism_gate(4, "share it out")};
  course::Case narrow;
  narrow.measured = true;
  large_.wide = small_.wide = true;
  std::vector<MeasuredCase> measured(3);
  measured[0].one = &large_;
  measured[0].observations.kernels = {{.kernel = "k", .launches = 1, .blocks = 5, .work = 500, .span = 100}};
  measured[1].one = &small_;
  measured[1].observations.kernels = {{.kernel = "k", .launches = 1, .blocks = 4, .work = 400, .span = 100}};
  measured[2].one = &narrow;
  measured[2].observations.kernels = {{.kernel = "k", .launches = 1, .blocks = 1, .work = 100, .span = 100}};
  GateResult gate = judge_technique(problem_, measured, {}, source_)[0];
  EXPECT_EQ(gate.verdict, Verdict::passed) << "the limit itself passes";
  EXPECT_EQ(gate.value, 4);
  EXPECT_TRUE(gate.at_least);
  EXPECT_EQ(gate.case_name, "small");
  measured[1].observations.kernels[0].span = 101;
  measured[1].observations.lines = {stores("/x/technique_test.cu", 2, 4)};
  measured[1].observations.lines[0].function = "k";
  measured[1].observations.lines[0].warps = 10;
  gate = judge_technique(problem_, measured, {}, source_)[0];
  EXPECT_EQ(gate.verdict, Verdict::inefficient);
  EXPECT_EQ(gate.advice, "share it out");
  ASSERT_EQ(gate.worst.size(), 1U);
  EXPECT_EQ(gate.worst[0].line, 2U);
}

TEST_F(Technique, ALaunchOfFewBlocksIsBlamedAndNotWhatTheyDo) {
  source_ = SourceText("technique_test.cu",
                       "template <class T> __global__ void add_kernel(T* out) {\n"
                       "  out[i] = in[i];\n}\n"
                       "  read_add_kernel<int><<<64, 1024>>>(out);\n"
                       "  // add_kernel<int><<<1, 1024>>>(out);\n"
                       "  add_kernel<int><<<1, 1024>>>(out);\n");
  problem_.gates = {course::parallelism_gate(4, "share it out")};
  large_.wide = true;
  std::vector<MeasuredCase> measured(1);
  measured[0].one = &large_;
  const std::string kernel = "_Z10add_kernelIiEvPT_";
  measured[0].observations.kernels = {{.kernel = kernel, .launches = 2, .blocks = 2, .work = 9, .span = 9}};
  measured[0].observations.lines = {stores("/x/technique_test.cu", 2, 4)};
  measured[0].observations.lines[0].function = kernel;
  measured[0].observations.lines[0].warps = 10;
  const auto lines = [&] {
    std::vector<unsigned> numbers;
    const auto gates = judge_technique(problem_, measured, {}, source_);
    for (const result::Place& place : gates[0].worst) numbers.push_back(place.line);
    return numbers;
  };
  EXPECT_THAT(lines(), testing::ElementsAre(6));
  measured[0].observations.kernels[0].blocks = 8;
  EXPECT_THAT(lines(), testing::ElementsAre(2)) << "there are enough, and one of them does most";
  measured[0].observations.kernels[0].blocks = 2;
  const std::string unnamed = "_ZN12_GLOBAL__N_110add_kernelEPi";  // in an unnamed namespace
  measured[0].observations.kernels[0].kernel = measured[0].observations.lines[0].function = unnamed;
  EXPECT_THAT(lines(), testing::ElementsAre(6));
  source_ = SourceText("technique_test.cu", "LAUNCH(add_kernel, 1, 1024);\nout[i] = in[i];\n");
  EXPECT_THAT(lines(), testing::ElementsAre(2)) << "no line shows a launch";
}

TEST_F(Technique, ALaunchOfSmallBlocksIsBlamedAndNotWhatTheyDo) {
  source_ = SourceText("technique_test.cu",
                       "__global__ void add_kernel(int* out) {\n"
                       "  out[blockIdx.x] = 1;\n}\n"
                       "  other_kernel<<<n, 1>>>(out);\n"
                       "  add_kernel<<<n, 1>>>(out);\n");
  problem_.gates = {course::idle_lanes_gate(4, {.branches = "rearrange it", .blocks = "start whole warps"})};
  std::vector<MeasuredCase> measured(1);
  measured[0].one = &large_;
  measured[0].observations.lines = {stores("/x/technique_test.cu", 2, 4)};
  emulator::LineCounters& line = measured[0].observations.lines[0];
  line.function = "_Z10add_kernelPi";
  line.warps = line.lanes = 100'000;
  GateResult gate = judge_technique(problem_, measured, {}, source_)[0];
  EXPECT_EQ(gate.advice, "start whole warps");
  EXPECT_THAT(gate.explanation, testing::StartsWith("1 of a warp's 32 lanes has a thread"));
  ASSERT_EQ(gate.worst.size(), 1U);
  EXPECT_EQ(gate.worst[0].line, 5U);
  line.idle_caused = line.idle_here = 31 * line.warps;
  gate = judge_technique(problem_, measured, {}, source_)[0];
  EXPECT_EQ(gate.advice, "rearrange it");
  ASSERT_EQ(gate.worst.size(), 1U);
  EXPECT_EQ(gate.worst[0].line, 2U) << "the branch is at fault";
}

TEST_F(Technique, WhoReadsNoInputHasNotDoneTheTask) {
  std::vector<MeasuredCase> measured(2);
  measured[0].one = &large_;
  measured[0].observations.lines = {stores("/x/technique_test.cu", 2, 8)};
  measured[1] = measured[0];
  measured[1].one = &small_;
  measured[1].input_bytes = 128;
  const GateResult gate = judge_technique(problem_, measured, {}, source_)[0];
  EXPECT_EQ(gate.verdict, Verdict::inefficient) << "though it moves few sectors";
  EXPECT_EQ(gate.case_name, "small");
  EXPECT_EQ(gate.explanation, "the kernels read 0 of the 128 bytes of the input: what did the work?");
  EXPECT_TRUE(gate.worst.empty());
}

TEST_F(Technique, CopiesToTheHostAreInefficient) {
  const HostCopies reads = {.to_host = {.beyond = 3808, .calls = 1, .bytes = 7904}, .from_host = {}};
  const GateResult gate = judge_technique(problem_, {}, reads, source_).back();
  EXPECT_EQ(gate.verdict, Verdict::inefficient);
  EXPECT_EQ(gate.value, 3808);
  EXPECT_EQ(gate.explanation, "1 call of your function brought 7904 bytes to the host");
  EXPECT_THAT(gate.advice, StartsWith("Leave the data on the device: "));
  EXPECT_THAT(gate.advice, HasSubstr("such as managed memory")) << "no line says cudaMemcpy";
}

TEST_F(Technique, LinesThatCopyTheWayInQuestionAreNamed) {
  source_ = SourceText("technique_test.cu",
                       "cudaMemcpyAsync(h, d, n, cudaMemcpyDeviceToHost, stream);\n"
                       "cudaMemcpyAsync(d, h, n, cudaMemcpyHostToDevice, stream);\n"
                       "cudaMemcpyAsync(d, e, n, cudaMemcpyDeviceToDevice, stream);\n"
                       "// cudaMemcpy(h, d, n, cudaMemcpyDeviceToHost);\n"
                       "cudaMemcpy(d, h, n,\n"
                       "           cudaMemcpyDefault);\n");
  const auto lines_of = [&](const HostCopies& copies) {
    std::vector<unsigned> lines;
    const auto gates = judge_technique(problem_, {}, copies, source_);
    for (const result::Place& place : gates.back().worst) lines.push_back(place.line);
    return lines;
  };
  const CopiesOneWay one = {.beyond = 8, .calls = 1, .bytes = 4104};
  EXPECT_THAT(lines_of({.to_host = one, .from_host = {}}), testing::ElementsAre(1, 5));
  EXPECT_THAT(lines_of({.to_host = {}, .from_host = one}), testing::ElementsAre(2, 5));
  EXPECT_THAT(lines_of({.to_host = one, .from_host = one}), testing::ElementsAre(1, 2, 5));
}

TEST_F(Technique, CopiesFromTheHostAreToo) {
  HostCopies copies = {.to_host = {}, .from_host = {.beyond = 34464, .calls = 2, .bytes = 165536}};
  GateResult gate = judge_technique(problem_, {}, copies, source_).back();
  EXPECT_EQ(gate.verdict, Verdict::inefficient);
  EXPECT_EQ(gate.value, 34464);
  EXPECT_EQ(gate.explanation, "2 calls of your function brought 165536 bytes from the host to the device");
  EXPECT_THAT(gate.advice, HasSubstr("Leave the data on the device"));
  copies.to_host = {.beyond = 4, .calls = 1, .bytes = 4100};
  gate = judge_technique(problem_, {}, copies, source_).back();
  EXPECT_EQ(gate.value, 34468);
  EXPECT_EQ(
      gate.explanation,
      "1 call of your function brought 4100 bytes to the host; 2 calls of your function brought 165536 bytes "
      "from the host to the device");
}

TEST_F(Technique, WhatKernelsPrintIsToldApartFromCopies) {
  source_ = SourceText("technique_test.cu",
                       "__global__ void k() {\n  printf(\"%d\", i);  // debug\n  // printf\n}\n");
  std::vector<MeasuredCase> measured(1);
  measured[0].one = &large_;
  measured[0].observations.lines = {stores("/x/technique_test.cu", 2, 4),
                                    stores("/x/technique_test.cu", 3, 4)};
  measured[0].observations.lines[0].lanes = 5;
  measured[0].observations.lines[1].lanes = 6;
  HostCopies reads = {
      .to_host = {.beyond = 100, .calls = 2, .bytes = 8292}, .from_host = {}, .printed = 8000};
  const GateResult printed = judge_technique(problem_, measured, reads, source_).back();
  EXPECT_EQ(printed.explanation,
            "2 calls of your function brought 8292 bytes to the host, 8000 of them printed by kernels");
  EXPECT_THAT(printed.advice, StartsWith("Take the printf out, or let one thread of one block print."));
  ASSERT_EQ(printed.worst.size(), 1U);
  EXPECT_EQ(printed.worst[0].line, 2U);
  EXPECT_TRUE(judge_technique(problem_, {}, reads, source_).back().worst.empty());
  reads.printed = 10;
  EXPECT_THAT(judge_technique(problem_, measured, reads, source_).back().advice,
              HasSubstr("Leave the data on the device"));
}

TEST_F(Technique, NotMeasuredKeepsTheNames) {
  const std::vector<GateResult> gates = technique_not_measured(problem_);
  ASSERT_EQ(gates.size(), 2U);
  EXPECT_THAT(gates, Each(Field(&GateResult::verdict, Verdict::not_measured)));
}

}  // namespace
}  // namespace lockstep::judge
