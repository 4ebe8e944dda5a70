// Calls through pointers: lanes that call different functions, where they meet again, what is counted, and
// pointers that are no function.
#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// A function of one word; `body` has the value in %r1 and leaves its result in %r2.
std::string function(const std::string& name, const std::string& body) {
  return ".func (.param .b32 result) " + name +
         "(.param .b32 value)\n{\n.reg .pred %p<4>;\n.reg .b32 %r<8>;\n.reg .b64 %d<8>;\n"
         "ld.param.u32 %r1, [value];\n" +
         body + "\nst.param.b32 [result], %r2;\nret;\n}\n";
}

/// %r9 = (*%d3)(%r1), in one line.
std::string call(const std::string& label = "shape") {
  return "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; " + label +
         ": .callprototype (.param .b32 _) _ (.param .b32 _); call (y), %d3, (x), " + label +
         "; ld.param.b32 %r9, [y]; }\n";
}

/// %d3 = table[index], in one line.
std::string load_target(const std::string& index) {
  return "mul.wide.u32 %d4, " + index +
         ", 8; mov.u64 %d3, table; add.u64 %d3, %d3, %d4; ld.global.u64 %d3, [%d3];\n";
}

const char* const kStoreResult = "mul.wide.u32 %d2, %r1, 4; add.u64 %d2, %d0, %d2; st.global.u32 [%d2], %r9;";

const std::string kPlus = function("plus", "add.u32 %r2, %r1, 100;");
const std::string kTimes = function("times", "mul.lo.u32 %r2, %r1, 1000;\nadd.u32 %r2, %r2, 1;");
const std::string kTable = ".global .align 8 .u64 table[4] = {plus, times, 0, plus};\n";

class IndirectCallTest : public DeviceTest {
 protected:
  std::vector<std::uint32_t> run_warp(const std::string& body, const std::string& declarations) {
    const DeviceAddress out = upload(std::vector<std::uint32_t>(32, 0));
    EXPECT_EQ(run(body + kStoreResult, out, 0, 0, {}, {32, 1, 1}, declarations).status,
              LaunchResult::Status::ok);
    EXPECT_THAT(findings(), IsEmpty());
    return download<std::uint32_t>(out, 32);
  }
  /// The finding of a kernel whose lane 5 calls through `pointer`, and whose other lanes call functions.
  Finding finding_of(const std::string& pointer, const std::string& declarations = {}) {
    const LaunchResult result = run("and.b32 %r2, %r1, 1;\n" + load_target("%r2") +
                                        "setp.eq.u32 %p1, %r1, 5;\n@%p1 " + pointer + "\n" + call(),
                                    memory, 0, 0, {}, {32, 1, 1}, declarations + kPlus + kTimes + kTable);
    EXPECT_EQ(result.status, LaunchResult::Status::illegal_instruction);
    EXPECT_THAT(findings(), ElementsAre("trap 5"));
    if (seen.findings.empty()) return {};
    EXPECT_EQ(seen.findings[0].thread[0], 5U);
    return seen.findings[0];
  }
  const LineCounters& line(std::uint32_t number) const {
    for (const LineCounters& counters : seen.lines) {
      if (counters.line.line == number && counters.function == "kernel") return counters;
    }
    throw std::out_of_range("no such line");
  }

  const DeviceAddress memory = upload(std::vector<std::uint32_t>(32), "numbers");
};

// --- lanes that call different functions ---

TEST_F(IndirectCallTest, EachLaneCallsItsFunctionAndAllMeetBehind) {
  const auto values =
      run_warp("and.b32 %r2, %r1, 1;\n" + load_target("%r2") + call() + "add.u32 %r9, %r9, 1;\n",
               kPlus + kTimes + kTable);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(values[lane], lane % 2 == 0 ? lane + 101 : 1000 * lane + 2);
  EXPECT_EQ(line(4).warps, 1U) << "the lanes have met";
  EXPECT_EQ(line(4).lanes, 32U);
}

TEST_F(IndirectCallTest, WarpWideOperationsBehindTheCallTakeTheWholeWarp) {
  const auto values = run_warp(
      "and.b32 %r2, %r1, 1;\n" + load_target("%r2") + call() + "shfl.sync.bfly.b32 %r9, %r9, 1, 31, -1;\n",
      kPlus + kTimes + kTable);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(values[lane], lane % 2 == 1 ? (lane - 1) + 100 : 1000 * (lane + 1) + 1);
}

TEST_F(IndirectCallTest, LanesThatHaveDivergedAlreadyDivergeFurther) {
  const auto values =
      run_warp("mov.u32 %r9, 7;\nsetp.lt.u32 %p1, %r1, 20;\n@!%p1 bra DONE;\nand.b32 %r2, %r1, 1;\n" +
                   load_target("%r2") + call() +
                   "shfl.sync.bfly.b32 %r9, %r9, 1, 31, 0xFFFFF;\nDONE: add.u32 %r9, %r9, 1;\n",
               kPlus + kTimes + kTable);
  for (unsigned lane = 0; lane < 32; ++lane) {
    const unsigned other = lane ^ 1;
    EXPECT_EQ(values[lane], 1 + (lane >= 20 ? 7 : other % 2 == 0 ? other + 100 : 1000 * other + 1)) << lane;
  }
  EXPECT_EQ(line(8).warps, 1U);
}

TEST_F(IndirectCallTest, PointersToOneFunctionKeepTheWarpWhole) {
  run_warp("setp.lt.u32 %p1, %r1, 9;\nselp.u32 %r2, 0, 3, %p1;\n" + load_target("%r2") + call(),
           kPlus + kTimes + kTable);
  EXPECT_EQ(line(4).divergent_branches, 0U);
  EXPECT_EQ(line(4).branches, 1U);
}

TEST_F(IndirectCallTest, FunctionsCallThemselvesAndEachOtherThroughPointers) {
  // f(n) = n < 2 ? n : table[n mod 2](n - 1) + n, of two functions that differ in what they add.
  const auto recursive = [](const std::string& name, const std::string& extra) {
    return function(
        name,
        "mov.u32 %r2, %r1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra END;\nand.b32 %r3, %r1, 1;\n"
        "mul.wide.u32 %d1, %r3, 8;\nmov.u64 %d2, table;\nadd.u64 %d2, %d2, %d1;\nld.global.u64 %d3, [%d2];\n"
        "sub.u32 %r4, %r1, 1;\n{\n.param .b32 x;\n.param .b32 y;\nst.param.b32 [x], %r4;\n"
        "shape: .callprototype (.param .b32 _) _ (.param .b32 _);\ncall (y), %d3, (x), shape;\n"
        "ld.param.b32 %r5, [y];\n}\nadd.u32 %r2, %r5, " +
            extra + ";\nEND:");
  };
  const std::string module =
      ".global .align 8 .u64 table[2];\n" + recursive("even", "3") + recursive("odd", "%r1");
  // Declared before it is used, as nvcc does.
  const std::string forward =
      ".func (.param .b32 result) even(.param .b32 value);\n.func (.param .b32 result) odd(.param .b32 "
      "value);\n";
  std::string whole = forward + module;
  const std::string undefined = "table[2];";
  whole.replace(whole.find(undefined), undefined.size(), "table[2] = {even, odd};");
  const auto values = run_warp("and.b32 %r2, %r1, 1;\n" + load_target("%r2") + call(), whole);
  for (unsigned lane = 0; lane < 32; ++lane) {
    // The function that lane n calls first, and then those that n, n - 1, … name.
    std::uint32_t expected = 0;
    bool is_odd = lane % 2 == 1;
    for (std::uint32_t n = lane;; --n) {
      if (n < 2) {
        expected += n;
        break;
      }
      expected += is_odd ? n : 3;
      is_odd = n % 2 == 1;
    }
    EXPECT_EQ(values[lane], expected) << lane;
  }
}

TEST_F(IndirectCallTest, AListOfTargetsDoesAsAPrototypeDoes) {
  const auto values =
      run_warp("and.b32 %r2, %r1, 1;\n" + load_target("%r2") +
                   "{ .param .b32 x; .param .b32 y; st.param.b32 [x], %r1; list: .calltargets plus, "
                   "times; call (y), %d3, (x), list; ld.param.b32 %r9, [y]; }\n",
               kPlus + kTimes + kTable);
  for (unsigned lane = 0; lane < 32; ++lane)
    EXPECT_EQ(values[lane], lane % 2 == 0 ? lane + 100 : 1000 * lane + 1);
}

TEST_F(IndirectCallTest, AFunctionThatWaitsForAnotherOfItsWarpLetsItRun) {
  // The even lanes wait for what the odd ones leave, then the other way round.
  const std::string flag = "mov.u64 %d1, flag;\n";
  const std::string waits =
      function("waits", flag +
                            "mov.u32 %r2, 0;\nAGAIN: atom.global.add.u32 %r3, [%d1], 0;\n"
                            "setp.ne.u32 %p1, %r3, 16;\n@%p1 bra AGAIN;");
  const std::string sets = function("sets", flag + "atom.global.add.u32 %r2, [%d1], 1;\nmov.u32 %r2, 1;");
  for (const std::string both : {"waits, sets", "sets, waits"}) {
    const auto values = run_warp(
        "and.b32 %r2, %r1, 1;\n" + load_target("%r2") + call(),
        ".global .u32 flag;\n" + waits + sets + ".global .align 8 .u64 table[2] = {" + both + "};\n");
    for (unsigned lane = 0; lane < 32; ++lane)
      EXPECT_EQ(values[lane], (lane % 2 == 1) == both.ends_with("sets") ? 1U : 0U) << both;
  }
}

/// The even lanes come to the function that they share with the odd ones a round later, which wait there.
TEST_F(IndirectCallTest, LanesMeetInAFunctionThatTheyCallAtDifferentTimes) {
  const std::string quick = function("quick", "add.u32 %r2, %r1, 1;");
  const std::string waits =
      function("waits",
               "add.u32 %r3, %r1, 1;\nadd.u32 %r4, %r3, 1;\nadd.u32 %r5, %r4, %r3;\nadd.u32 %r6, %r5, %r4;\n"
               "shfl.sync.bfly.b32 %r2, %r1, 1, 31, -1;\nadd.u32 %r2, %r2, %r6;\nsub.u32 %r2, %r2, %r5;\n"
               "sub.u32 %r2, %r2, %r4;");
  const auto values = run_warp(
      "and.b32 %r2, %r1, 1;\n"
      "AGAIN: " +
          load_target("%r2") + call() + "add.u32 %r2, %r2, 1;\nsetp.lt.u32 %p1, %r2, 2;\n@%p1 bra AGAIN;\n",
      quick + waits + ".global .align 8 .u64 table[2] = {quick, waits};\n");
  for (unsigned lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane ^ 1) << lane;
}

// --- what is counted ---

TEST_F(IndirectCallTest, ACallPartsAWarpOnceHoweverManyFunctions) {
  const std::string minus = function("minus", "sub.u32 %r2, %r1, 1;");
  run_warp("and.b32 %r2, %r1, 3;\nmin.u32 %r2, %r2, 2;\n" + load_target("%r2") + call(),
           kPlus + kTimes + minus + ".global .align 8 .u64 table[3] = {plus, times, minus};\n");
  EXPECT_EQ(line(4).branches, 1U);
  EXPECT_EQ(line(4).divergent_branches, 1U);
  // Functions of 4, 5 and 4 instructions, run by 8, 8 and 16 lanes.
  EXPECT_EQ(line(4).idle_caused, 24U * 4 + 24 * 5 + 16 * 4);
  EXPECT_EQ(line(5).idle_here, 0U);
}

// --- pointers that are no function ---

TEST_F(IndirectCallTest, NullPointersAreFound) {
  EXPECT_EQ(finding_of("mov.u64 %d3, 0;").cause, Finding::Cause::null_function);
}
TEST_F(IndirectCallTest, PointersToDataAreFound) {
  const Finding global = finding_of("mov.u64 %d3, %d0;");
  EXPECT_EQ(global.cause, Finding::Cause::data_called);
  EXPECT_EQ(global.object.name, "numbers");
  const Finding shared = finding_of("cvta.shared.u64 %d3, tile;", ".shared .b32 tile[4];\n");
  EXPECT_EQ(shared.cause, Finding::Cause::data_called);
  EXPECT_EQ(shared.space, Finding::Space::shared);
}
TEST_F(IndirectCallTest, AddressesOfTheHostAreFound) {
  const Finding finding = finding_of("mov.u64 %d3, 0x7f1234567890;");
  EXPECT_EQ(finding.cause, Finding::Cause::host_function);
  EXPECT_EQ(finding.address, 0x7f12'3456'7890U);
}
TEST_F(IndirectCallTest, AddressesOfNothingAreFound) {
  for (const auto& [number, address] : {std::pair("0x1234", std::uint64_t{0x1234}), {"-1", UINT64_MAX}}) {
    const Finding finding = finding_of(std::string("mov.u64 %d3, ") + number + ";");
    EXPECT_EQ(finding.cause, Finding::Cause::no_function);
    EXPECT_EQ(finding.address, address);
  }
}
TEST_F(IndirectCallTest, KernelsAreNoFunctions) {
  const Finding finding = finding_of("mov.u64 %d3, other;", ".visible .entry other()\n{\nret;\n}\n");
  EXPECT_EQ(finding.cause, Finding::Cause::kernel_called);
  EXPECT_EQ(finding.name, "other");
}
TEST_F(IndirectCallTest, FunctionsOfAnotherShapeAreFound) {
  const Finding finding = finding_of("mov.u64 %d3, alone;", ".func alone()\n{\nret;\n}\n");
  EXPECT_EQ(finding.cause, Finding::Cause::function_of_other_type);
  EXPECT_EQ(finding.name, "alone");
}

TEST_F(IndirectCallTest, FunctionsOfAnotherModuleAreRefusedByName) {
  const Device::ModuleId other =
      device.load_ptx(kernel_text("mov.u64 %d2, plus;\nst.global.u64 [%d0], %d2;", kPlus));
  const struct {
    std::uint64_t a, b;
    std::uint32_t n, unused;
  } parameters{memory, 0, 0, 0};
  ASSERT_EQ(
      device.launch(device.kernel(other, "kernel"), {}, std::as_bytes(std::span(&parameters, 1))).status,
      LaunchResult::Status::ok);
  EXPECT_EQ(run("ld.global.u64 %d3, [%d0];\n" + call(), memory, 0, 0, {}, {1, 1, 1}, kPlus + kTimes + kTable)
                .status,
            LaunchResult::Status::unsupported);
  EXPECT_THAT(findings(), ElementsAre("unsupported 2"));
}

// --- virtual functions ---

/// The object's address is in %d5.
const std::string kVirtualCall =
    "ld.u64 %d6, [%d5];\nld.u64 %d3, [%d6+8];\n{ .param .b64 x; .param .b32 y; st.param.b64 [x], %d5; "
    "shape: .callprototype (.param .b32 _) _ (.param .b64 _); call (y), %d3, (x), shape; ld.param.b32 %r9, "
    "[y]; }";
const std::string kMethod =
    ".func (.param .b32 result) method(.param .b64 self)\n{\n.reg .b32 %r<2>;\nmov.u32 %r1, 5;\n"
    "st.param.b32 [result], %r1;\nret;\n}\n"
    ".global .align 8 .u64 vtable[2] = {0, method};\n.global .align 8 .u64 pure[2] = {0, 0};\n";

TEST_F(IndirectCallTest, AnObjectOfTheHostIsToldOf) {
  const DeviceAddress object = upload(std::vector<std::uint64_t>{0x5600'1234'5678});
  EXPECT_EQ(run("mov.u64 %d5, %d0;\n" + kVirtualCall, object, 0, 0, {}, {1, 1, 1}, kMethod).status,
            LaunchResult::Status::illegal_address);
  ASSERT_THAT(findings(), ElementsAre("out-of-bounds 3"));
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::host_pointer);
  EXPECT_TRUE(seen.findings[0].of_virtual_call);
}

TEST_F(IndirectCallTest, AnObjectWithinAnotherIsOneToo) {
  const DeviceAddress object = upload(std::vector<std::uint64_t>{0, 0});
  EXPECT_EQ(run("add.s64 %d5, %d0, 8;\ncvta.to.global.u64 %d7, %d0;\nld.global.u64 %d6, [%d7+8];\n"
                "ld.u64 %d3, [%d6+8];\n" +
                    kVirtualCall.substr(kVirtualCall.find('{')),
                object, 0, 0, {}, {1, 1, 1}, kMethod)
                .status,
            LaunchResult::Status::illegal_address);
  ASSERT_THAT(findings(), ElementsAre("out-of-bounds 4"));
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::null_pointer);
  EXPECT_TRUE(seen.findings[0].of_virtual_call);
}

TEST_F(IndirectCallTest, AnElementOfAnArrayIsOneToo) {
  const DeviceAddress object = upload(std::vector<std::uint64_t>{0, 0});
  EXPECT_EQ(run("mul.wide.u32 %d8, %r1, 8;\ncvta.to.global.u64 %d7, %d0;\nadd.s64 %d9, %d8, %d7;\n"
                "ld.global.u64 %d6, [%d9];\nadd.s64 %d5, %d0, %d8;\nld.u64 %d3, [%d6+8];\n" +
                    kVirtualCall.substr(kVirtualCall.find('{')),
                object, 0, 0, {}, {2, 1, 1}, kMethod)
                .status,
            LaunchResult::Status::illegal_address);
  ASSERT_THAT(findings(), ElementsAre("out-of-bounds 6"));
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::null_pointer);
  EXPECT_TRUE(seen.findings[0].of_virtual_call);
}

TEST_F(IndirectCallTest, OtherLoadsDoNotSpeakOfObjects) {
  const DeviceAddress object = upload(std::vector<std::uint64_t>{0x5600'1234'5678});
  std::string other_argument = kVirtualCall;
  other_argument.replace(other_argument.find("[x], %d5"), 8, "[x], %d6");
  EXPECT_EQ(run("mov.u64 %d5, %d0;\n" + other_argument, object, 0, 0, {}, {1, 1, 1}, kMethod).status,
            LaunchResult::Status::illegal_address);
  ASSERT_THAT(findings(), ElementsAre("out-of-bounds 3"));
  EXPECT_FALSE(seen.findings[0].of_virtual_call);
}

TEST_F(IndirectCallTest, APureVirtualFunctionIsToldOf) {
  const DeviceAddress object = upload(std::vector<std::uint64_t>{0});
  EXPECT_EQ(run("mov.u64 %d5, %d0;\nmov.u64 %d7, pure;\nst.global.u64 [%d0], %d7;\n" + kVirtualCall, object,
                0, 0, {}, {1, 1, 1}, kMethod)
                .status,
            LaunchResult::Status::illegal_instruction);
  ASSERT_THAT(findings(), ElementsAre("trap 6"));
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::pure_virtual_call);
}

}  // namespace
}  // namespace lockstep::emulator
