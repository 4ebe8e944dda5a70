// Bounds, alignment, uninitialised reads: found at the right line and thread, and nothing that an honest
// kernel does.
#include <algorithm>
#include <array>
#include <chrono>

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Status = LaunchResult::Status;

const char* const kOwnWord = "mul.wide.u32 %d2, %r1, 4;\nadd.u64 %d2, %d2, %d0;\n";  // lines 1 and 2

class MemoryCheckTest : public DeviceTest {};

TEST_F(MemoryCheckTest, OneElementPastTheEndIsFound) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>(33, 1), "in");
  EXPECT_EQ(run(std::string(kOwnWord) + "ld.global.u32 %r2, [%d2+8];", a, 0, 0, {}, {32, 1, 1}).status,
            Status::illegal_address);
  ASSERT_THAT(findings(), ElementsAre("out-of-bounds 3"));
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::just_past_end);
  EXPECT_EQ(seen.findings[0].object, (Finding::Object{"in", a, 132}));
  EXPECT_EQ(seen.findings[0].access, Finding::Access::read);
  EXPECT_EQ(seen.findings[0].width, 4U);
  EXPECT_EQ(seen.findings[0].thread[0], 31U);
}

TEST_F(MemoryCheckTest, TheFirstBlockThatFaultsIsReportedWhateverTheWorkersTiming) {
  // Blocks from 5 on write far out of bounds; the later ones have less to do before.
  const DeviceAddress a = upload(std::vector<std::uint32_t>(64, 1), "a");
  for (int repeat = 0; repeat < 50; ++repeat) {
    run("mov.u32 %r2, %ctaid.x;\nmov.u32 %r3, 64;\nsub.u32 %r3, %r3, %r2;\nmul.lo.u32 %r3, %r3, 50;\n"
        "SPIN: sub.u32 %r3, %r3, 1;\nsetp.gt.s32 %p1, %r3, 0;\n@%p1 bra SPIN;\nsetp.lt.u32 %p2, %r2, 5;\n"
        "@%p2 ret;\nst.global.u32 [%d0+4096], %r2;",
        a, 0, 0, {64, 1, 1}, {32, 1, 1});
    ASSERT_THAT(findings(), ElementsAre("out-of-bounds 10"));
    ASSERT_EQ(seen.findings[0].block[0], 5U) << "repeat " << repeat;
  }
}

TEST_F(MemoryCheckTest, BeforeTheStartIsFound) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>(32, 1), "out");
  EXPECT_EQ(run("st.global.u32 [%d0+-4], %r1;", a, 0, 0, {}, {1, 1, 1}).status, Status::illegal_address);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::before_start);
  EXPECT_EQ(seen.findings[0].object, (Finding::Object{"out", a, 128}));
  EXPECT_EQ(seen.findings[0].address, a - 4);
}

TEST_F(MemoryCheckTest, WildAddressesEndTheLaunchOnly) {
  for (const char* address :
       {"0", "0x7fffffffffffffff", "0xfffffffffffffff8", "0x200000000000", "0x23ffffffffff0000",
        "0x100000000000", "0x110000000000", "0x120000000000", "0x130000000000"}) {
    const LaunchResult result =
        run(std::string("mov.u64 %d2, ") + address + ";\nld.u64 %d3, [%d2];\nst.u64 [%d2], %d3;", 0, 0, 0,
            {4, 1, 1}, {64, 1, 1});
    EXPECT_NE(result.status, Status::ok) << address;
  }
  const DeviceAddress a = upload(std::vector<std::uint32_t>(32, 1));
  EXPECT_EQ(run(std::string(kOwnWord) + "st.global.u32 [%d2], %r1;", a, 0, 0, {}, {32, 1, 1}).status,
            Status::ok);
}

TEST_F(MemoryCheckTest, AMisalignedVectorIsFound) {
  const DeviceAddress a = upload(std::vector<float>(64, 1));
  EXPECT_EQ(run("ld.global.v4.f32 {%f1, %f2, %f3, %f4}, [%d0+4];", a, 0, 0, {}, {1, 1, 1}).status,
            Status::misaligned_address);
  EXPECT_THAT(findings(), ElementsAre("misaligned 1"));
}

TEST_F(MemoryCheckTest, WhatEachLaunchDoesWrongIsToldOnce) {
  const Device::ModuleId module =
      device.load_ptx(kernel_text("ld.global.u32 %r2, [%d0];\nst.global.u32 [%d0+4], %r2;"));
  const Device::KernelId kernel = device.kernel(module, "kernel");
  const std::array<std::uint64_t, 3> parameters{device.allocate(128, "workspace")};
  for (int launch = 0; launch < 3; ++launch) device.launch(kernel, {}, std::as_bytes(std::span(parameters)));
  seen = device.take_observations();
  EXPECT_EQ(seen.launches, 3U);
  ASSERT_THAT(findings(), ElementsAre("uninitialised-read 1"));
  EXPECT_EQ(seen.findings[0].count, 3U);
  EXPECT_THAT(device.take_observations().findings, IsEmpty());
}

TEST_F(MemoryCheckTest, ReadingUninitialisedMemoryIsFound) {
  const DeviceAddress a = device.allocate(128, "workspace");
  EXPECT_EQ(run(std::string(kOwnWord) + "ld.global.u32 %r2, [%d2];\nst.global.u32 [%d2], %r2;", a, 0, 0, {},
                {32, 1, 1})
                .status,
            Status::ok);
  ASSERT_THAT(findings(), ElementsAre("uninitialised-read 3"));
  EXPECT_EQ(seen.findings[0].object.name, "workspace");
}

TEST_F(MemoryCheckTest, WrittenThenReadIsFine) {
  const DeviceAddress a = device.allocate(128, "workspace");
  run(std::string(kOwnWord) + "st.global.u32 [%d2], %r1;\nld.global.u32 %r2, [%d2];", a, 0, 0, {},
      {32, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(MemoryCheckTest, OneUninitialisedByteOfAWordIsFound) {
  const DeviceAddress a = device.allocate(128);
  run("st.global.u8 [%d0], %r1;\nst.global.u16 [%d0+2], %r1;\nld.global.u32 %r2, [%d0];\n"
      "popc.b32 %r2, %r2;\nst.global.u32 [%d0], %r2;",
      a, 0, 0, {}, {1, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("uninitialised-read 3"));
}

TEST_F(MemoryCheckTest, MarkingUninitialisedMakesReadsFindings) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>(32, 1));
  device.mark_uninitialised(a, 128);
  run(std::string(kOwnWord) + "ld.global.u32 %r2, [%d2];\nst.global.u32 [%d2], %r2;", a, 0, 0, {},
      {32, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("uninitialised-read 3"));
}

TEST_F(MemoryCheckTest, SharedMemoryBeginsUninitialisedInEveryBlock) {
  run("mov.u32 %r2, tile;\nsetp.eq.u32 %p1, %r1, 0;\nmov.u32 %r4, %ctaid.x;\nsetp.eq.u32 %p2, %r4, 0;\n"
      "@%p2 st.shared.u32 [%r2], 1;\nbar.sync 0;\nld.shared.u32 %r3, [%r2];\n"
      "st.shared.u32 [%r2+4], %r3;",
      0, 0, 0, {8, 1, 1}, {1, 1, 1}, ".shared .align 4 .b8 tile[64];\n");
  EXPECT_THAT(findings(), ElementsAre("uninitialised-read 7"));
}

TEST_F(MemoryCheckTest, SharedBoundsIncludeDynamicMemory) {
  const std::string declaration = ".extern .shared .align 16 .b8 buffer[];\n";
  const std::string body = "mov.u32 %r2, buffer;\nst.shared.u32 [%r2+60], %r1;";
  EXPECT_EQ(run(body, 0, 0, 0, {}, {1, 1, 1}, declaration, 64).status, Status::ok);
  EXPECT_EQ(run(body, 0, 0, 0, {}, {1, 1, 1}, declaration, 60).status, Status::illegal_address);
  EXPECT_THAT(findings(), ElementsAre("out-of-bounds 2"));
}

// A window's offsets have 32 bits, a register may have 64: what the lower half says must not be believed.
TEST_F(MemoryCheckTest, WideAddressesOfWindowsAreOutside) {
  const DeviceAddress a = upload(std::vector<std::uint32_t>(256, 1));
  const std::string own_word = "mul.wide.u32 %d2, %r1, 16;\nadd.u64 %d2, %d2, ";
  const std::string declaration = ".extern .shared .align 16 .b8 buffer[];\n";
  for (const char* access :
       {"st.shared.u32 [%d2], %r1;", "ld.shared.u32 %r2, [%d2];", "st.shared.u8 [%d2], %r1;",
        "st.shared.v4.u32 [%d2], {%r1, %r1, %r1, %r1};", "ld.shared.v2.u64 {%d3, %d4}, [%d2];",
        "red.shared.add.u32 [%d2], 1;", "atom.shared.cas.b64 %d3, [%d2], %d0, %d1;",
        "cp.async.ca.shared.global [%d2], [%d0], 4;", "st.local.u32 [%d2], %r1;", "ld.local.u32 %r2, [%d2];",
        "ld.param.u32 %r2, [%d2];"}) {
    for (const char* base : {"0x100000000000", "0x100000000", "0x8000000000000000", "0xffffffff00000000"}) {
      EXPECT_EQ(run(own_word + base + ";\n" + access, a, 0, 0, {}, {32, 1, 1}, declaration, 4096).status,
                Status::illegal_address)
          << access << " at " << base;
      EXPECT_THAT(findings(), ElementsAre("out-of-bounds 3")) << access << " at " << base;
    }
  }
  // One lane of many, and lanes that stand in a row.
  EXPECT_EQ(run("mul.wide.u32 %d2, %r1, 4;\nsetp.eq.u32 %p1, %r1, 7;\n@%p1 add.u64 %d2, %d2, 0x300000000;\n"
                "st.shared.u32 [%d2], %r1;",
                a, 0, 0, {}, {32, 1, 1}, declaration, 4096)
                .status,
            Status::illegal_address);
  ASSERT_THAT(findings(), ElementsAre("out-of-bounds 4"));
  EXPECT_EQ(seen.findings[0].thread[0], 7U);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::outside_window);
  EXPECT_EQ(seen.findings[0].space, Finding::Space::shared);
  EXPECT_EQ(seen.findings[0].address, 12884901916U);
  EXPECT_EQ(run("mul.wide.u32 %d2, %r1, 4;\nst.shared.u32 [%d2+0x300000000], %r1;", a, 0, 0, {}, {32, 1, 1},
                declaration, 4096)
                .status,
            Status::illegal_address);
}

TEST_F(MemoryCheckTest, WideAddressesInsideTheirWindowAreFine) {
  EXPECT_EQ(run("mul.wide.u32 %d2, %r1, 4;\nst.shared.u32 [%d2+64], %r1;\nred.shared.add.u32 [%d2+64], 1;\n"
                "ld.shared.u32 %r2, [%d2+64];",
                0, 0, 0, {}, {32, 1, 1}, ".extern .shared .align 16 .b8 buffer[];\n", 192)
                .status,
            Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(MemoryCheckTest, ATrapEndsTheLaunch) {
  EXPECT_EQ(run("setp.eq.u32 %p1, %r1, 3;\n@%p1 trap;", 0, 0, 0, {}, {32, 1, 1}).status,
            Status::launch_failure);
  EXPECT_THAT(findings(), ElementsAre("trap 2"));
}

TEST_F(MemoryCheckTest, ConfigurationsThatHardwareRefusesAreRefused) {
  using Code = DeviceError::Code;
  const auto code = [&](Dim3 grid, Dim3 block, std::uint32_t shared) {
    try {
      run("mov.u32 %r2, 0;", 0, 0, 0, grid, block, ".extern .shared .align 16 .b8 buffer[];\n", shared);
    } catch (const DeviceError& error) {
      return error.code();
    }
    return Code::invalid_value;
  };
  EXPECT_EQ(code({1, 1, 1}, {1025, 1, 1}, 0), Code::invalid_configuration);
  EXPECT_EQ(code({1, 1, 1}, {64, 32, 1}, 0), Code::invalid_configuration);
  EXPECT_EQ(code({0, 1, 1}, {32, 1, 1}, 0), Code::invalid_configuration);
  EXPECT_EQ(code({1, 65536, 1}, {32, 1, 1}, 0), Code::invalid_configuration);
  EXPECT_EQ(code({1, 1, 1}, {32, 1, 1}, 228 * 1024), Code::invalid_configuration);
}

TEST_F(MemoryCheckTest, PrintfFormatsAsHardwareDoes) {
  // vprintf's buffer: an int, a double and a string pointer, each at its natural alignment.
  const std::string declarations =
      ".extern .func (.param .b32 status) vprintf(.param .b64 format, .param .b64 arguments);\n"
      ".global .align 1 .b8 text[16] = {37, 53, 100, 32, 37, 46, 50, 102, 32, 37, 115, 37, 37, 10, 0, "
      "0};\n"  // "%5d %.2f %s%%\n"
      ".global .align 1 .b8 word[4] = {97, 98, 99, 0};\n";
  const std::string body =
      ".local .align 8 .b8 buffer[24];\nmov.u64 %d2, buffer;\ncvta.local.u64 %d3, %d2;\nst.local.u32 [%d2], "
      "42;\n"
      "mov.f64 %g1, 0d3FF4000000000000;\nst.local.f64 [%d2+8], %g1;\nmov.u64 %d4, word;\nst.local.u64 "
      "[%d2+16], %d4;\n"
      "mov.u64 %d5, text;\n{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 r0;\nst.param.b64 [p0], "
      "%d5;\nst.param.b64 [p1], %d3;\n"
      "call (r0), vprintf, (p0, p1);\n}";
  EXPECT_EQ(run(body, 0, 0, 0, {2, 1, 1}, {1, 1, 1}, declarations).output,
            "   42 1.25 abc%\n   42 1.25 abc%\n");
}

TEST_F(MemoryCheckTest, AKernelMayNotWriteToConstants) {
  const std::string declarations = ".const .align 4 .b8 limits[16];\n";
  const std::string body = "mov.u64 %d2, limits;\ncvta.const.u64 %d3, %d2;\n";
  EXPECT_EQ(run(body + "ld.u32 %r2, [%d3+4];", 0, 0, 0, {}, {1, 1, 1}, declarations).status,
            LaunchResult::Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(run(body + "st.u32 [%d3+4], %r1;", 0, 0, 0, {}, {1, 1, 1}, declarations).status,
            LaunchResult::Status::illegal_address);
  ASSERT_THAT(findings(), ElementsAre("out-of-bounds 3"));
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::constant_written);
  EXPECT_EQ(seen.findings[0].object.name, "limits");
}

TEST_F(MemoryCheckTest, OnlyConstantsAreReadAsConstants) {
  const std::string declarations = ".const .align 4 .b8 limits[16];\n";
  const DeviceAddress a = upload(std::vector<std::uint32_t>(33, 1), "in");
  for (const char* from : {"[%d0]", "[%d2]"}) {
    EXPECT_EQ(
        run("mov.u64 %d2, limits;\nsetp.eq.u32 %p1, %r1, 3;\n@%p1 mov.u64 %d2, %d0;\nld.const.u32 %r2, " +
                std::string(from) + ";",
            a, 0, 0, {}, {32, 1, 1}, declarations)
            .status,
        Status::illegal_address);
    ASSERT_THAT(findings(), ElementsAre("out-of-bounds 4"));
    EXPECT_EQ(seen.findings[0].cause, Finding::Cause::constant_elsewhere);
    EXPECT_EQ(seen.findings[0].object.name, "in");
  }
  EXPECT_EQ(run("ld.const.u32 %r2, [limits+4];", a, 0, 0, {}, {32, 1, 1}, declarations).status, Status::ok);
  EXPECT_THAT(findings(), IsEmpty());
}

TEST_F(MemoryCheckTest, ConstantsHaveTheirLimitTogether) {
  const auto run_with = [&](const char* bytes) {
    return run("ld.const.u32 %r2, [one];\nld.const.u32 %r2, [other];", 0, 0, 0, {}, {1, 1, 1},
               std::string(".const .align 4 .b8 one[40000];\n.const .align 4 .b8 other[") + bytes + "];\n")
        .status;
  };
  EXPECT_EQ(run_with("25536"), Status::ok);
  EXPECT_THROW(run_with("25540"), DeviceError);
}

TEST_F(MemoryCheckTest, StaticSharedMemoryHasTheLimitOfCompilation) {
  const auto status = [&](const char* bytes) {
    return run("mov.u32 %r2, tile;\nst.shared.u32 [%r2], %r1;", 0, 0, 0, {}, {1, 1, 1},
               std::string(".shared .align 4 .b8 tile[") + bytes + "];\n")
        .status;
  };
  EXPECT_EQ(status("49152"), Status::ok);
  EXPECT_THROW(status("49156"), DeviceError);
}

TEST_F(MemoryCheckTest, WhatTheSystemKeepsIsNotChargedToTheKernel) {
  const std::uint32_t most = static_cast<std::uint32_t>(device.properties().shared_bytes_per_block_optin);
  for (const char* body : {"mov.u32 %r2, 0;", "mov.u32 %r2, %reserved_smem_offset_1;"}) {
    const auto status = [&](std::uint32_t dynamic) {
      return run(body, 0, 0, 0, {}, {1, 1, 1}, {}, dynamic).status;
    };
    EXPECT_EQ(status(most), Status::ok) << body;
    EXPECT_THROW(status(most + 1), DeviceError) << body;
  }
}

TEST_F(MemoryCheckTest, AFindingInAFunctionNamesItsCallers) {
  const std::string declarations =
      ".func fill(.param .b64 to)\n{\n.reg .b64 %d<4>;\n.loc 1 100 1\nld.param.u64 %d1, [to];\n"
      ".loc 1 101 1\nst.global.u32 [%d1], 1;\nret;\n}\n";
  run("{\n.param .b64 p0;\nst.param.b64 [p0], %d0;\ncall fill, (p0);\n}", 0, 0, 0, {}, {1, 1, 1},
      declarations);
  ASSERT_THAT(findings(), ElementsAre("out-of-bounds 101"));
  ASSERT_EQ(seen.findings[0].stack.size(), 2U);
  EXPECT_EQ(seen.findings[0].stack[0].line, 101U);
  EXPECT_EQ(seen.findings[0].stack[1].line, 4U);
}

TEST_F(MemoryCheckTest, APointerOfTheHostLooksLikeOne) {
  run("ld.global.u32 %r2, [%d0];", reinterpret_cast<DeviceAddress>(this), 0, 0, {}, {1, 1, 1});
  ASSERT_THAT(findings(), ElementsAre("out-of-bounds 1"));
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::host_pointer);
}

// C's own printf takes memory for as many digits as it is asked for.
TEST_F(MemoryCheckTest, PrintfsWidthsAndPrecisionsAreLimited) {
  const auto printed = [&](const std::string& format, std::int32_t number) {
    std::string bytes;
    for (const char c : format) bytes += std::to_string(static_cast<int>(c)) + ", ";
    const std::string declarations =
        ".extern .func (.param .b32 status) vprintf(.param .b64 format, .param .b64 arguments);\n"
        ".global .align 1 .b8 text[32] = {" +
        bytes + "0};\n";
    const std::string body =
        ".local .align 8 .b8 buffer[24];\nmov.u64 %d2, buffer;\ncvta.local.u64 %d3, %d2;\n"
        "ld.param.u32 %r2, [n];\nst.local.u32 [%d2], %r2;\n"
        "mov.f64 %g1, 0d3FF8000000000000;\nst.local.f64 [%d2+8], %g1;\nmov.u64 %d5, text;\n"
        "{\n.param .b64 p0;\n.param .b64 p1;\n.param .b32 r0;\nst.param.b64 [p0], %d5;\n"
        "st.param.b64 [p1], %d3;\ncall (r0), vprintf, (p0, p1);\n}";
    return run(body, 0, 0, static_cast<std::uint32_t>(number), {}, {1, 1, 1}, declarations).output;
  };
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(printed("%.*f", 2'000'000'000).size(), 511U);
  EXPECT_EQ(printed("%*f|", 2'000'000'000), std::string(503, ' ') + "1.500000|");
  EXPECT_EQ(printed("%*f|", -2'147'483'647 - 1), "1.500000" + std::string(503, ' ') + "|");
  EXPECT_EQ(printed("%99999999999999d", 7), std::string(510, ' ') + "7");
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5));
  EXPECT_EQ(printed("%.*f|", 1), "1.5|");
  EXPECT_EQ(printed("%.*f|", -1), "1.500000|");
  EXPECT_EQ(printed("%-*f|", 10), "1.500000  |");
  EXPECT_EQ(printed("%05d|", 42), "00042|");
}

// --- loads that the compiler has all lanes do ---

/// %p1 holds for the even lanes: lines 1 and 2.
const char* const kEvenLanes = "and.b32 %r2, %r1, 1;\nsetp.eq.u32 %p1, %r2, 0;\n";

class SpeculatedLoadTest : public DeviceTest {
 protected:
  std::vector<std::string> found(const std::string& body, unsigned threads = 32) {
    status =
        run(kEvenLanes + body, memory, 0, 0, {}, {threads, 1, 1}, ".shared .align 4 .u32 word;\n").status;
    return findings();
  }
  const DeviceAddress memory = device.allocate(4, "memory");
  Status status = Status::ok;
};

TEST_F(SpeculatedLoadTest, LanesThatDropTheValueReadNothing) {
  for (const char* place : {"shared.u32 %r3, [word]", "global.u32 %r3, [%d0]", "u32 %r3, [%d0]"}) {
    const std::string load = std::string("ld.") + place + ";\n";
    EXPECT_THAT(found("setp.gt.u32 %p2, %r1, 99;\n" + load + "selp.b32 %r4, %r3, 0, %p2;"), IsEmpty())
        << load;
    EXPECT_THAT(found("setp.lt.u32 %p2, %r1, 99;\n" + load + "selp.b32 %r4, 0, %r3, %p2;"), IsEmpty())
        << load;
    EXPECT_THAT(found("setp.gt.u32 %p2, %r1, 99;\n" + load + "selp.b32 %r4, 0, %r3, !%p2;"), IsEmpty())
        << load;
    EXPECT_THAT(found(load + "setp.gt.u32 %p2, %r1, 99;\nselp.b32 %r4, %r3, 0, %p2;"), IsEmpty()) << load;
  }
}

TEST_F(SpeculatedLoadTest, LanesThatKeepTheValueReadIt) {
  const std::string use = "\nsetp.ne.u32 %p4, %r4, 5;\n@%p4 mov.u32 %r5, 1;";
  for (const char* place : {"shared.u32 %r3, [word]", "global.u32 %r3, [%d0]", "u32 %r3, [%d0]"}) {
    const std::string load = std::string("ld.") + place + ";\n";
    EXPECT_THAT(found(load + "selp.b32 %r4, %r3, 0, %p1;" + use), ElementsAre("uninitialised-read 3"))
        << load;
    EXPECT_EQ(seen.findings[0].thread[0], 0U) << load;
    EXPECT_THAT(found(load + "selp.b32 %r4, 0, %r3, %p1;" + use), ElementsAre("uninitialised-read 3"))
        << load;
    EXPECT_EQ(seen.findings[0].thread[0], 1U) << load;
    EXPECT_THAT(found(load + "setp.eq.u32 %p2, %r1, 7;\nselp.b32 %r4, %r3, 0, %p2;" + use),
                ElementsAre("uninitialised-read 3"))
        << load;
    EXPECT_EQ(seen.findings[0].thread[0], 7U) << load;
  }
}

TEST_F(SpeculatedLoadTest, BothValuesOfASelectionMayBeLoaded) {
  const std::string loads =
      "st.global.u32 [%d0], 1; bar.warp.sync 0xffffffff;\nld.shared.u32 %r3, [word];\nld.global.u32 %r4, "
      "[%d0];\n";
  const std::string use = "\nsetp.ne.u32 %p4, %r5, 5;\n@%p4 mov.u32 %r6, 1;";
  EXPECT_THAT(found("setp.gt.u32 %p2, %r1, 99;\n" + loads + "selp.b32 %r5, %r3, %r4, %p2;" + use), IsEmpty());
  EXPECT_THAT(found(loads + "selp.b32 %r5, %r4, %r3, %p1;" + use), ElementsAre("uninitialised-read 4"));
  EXPECT_EQ(seen.findings[0].count, 16U);
}

TEST_F(SpeculatedLoadTest, AValueThatIsUsedOtherwiseIsRead) {
  // Thread 32 writes what all other threads read, if the value of no lane is kept, then without harm.
  const std::string begin =
      "setp.gt.u32 %p2, %r1, 99;\nsetp.eq.u32 %p3, %r1, 32;\n@%p3 st.shared.u32 [word], 2;\n";
  const std::string load = "ld.shared.u32 %r3, [word];\n", select = "selp.b32 %r4, %r3, 0, %p2;\n";
  EXPECT_THAT(found(begin + load + select, 64), IsEmpty());
  const auto races = [&](const std::string& code) {
    const std::vector<std::string> all = found(begin + code, 64);
    return std::find(all.begin(), all.end(), "race 5") != all.end();
  };
  EXPECT_TRUE(races(load + select + "add.u32 %r5, %r3, 1;")) << "a second reader";
  EXPECT_TRUE(races(load + "mov.u32 %r3, %r3;\n" + select)) << "another writer";
  EXPECT_TRUE(races(load + "st.global.u32 [%d0], 1;\n" + select)) << "a store between";
  EXPECT_TRUE(races(load + "bar.sync 0;\n" + select)) << "a barrier between";
  EXPECT_TRUE(races(load + "bra next;\nnext:\n" + select)) << "in another block";
  EXPECT_TRUE(races("ld.volatile.shared.u32 %r3, [word];\n" + select)) << "volatile";
  EXPECT_TRUE(races("@!%p3 " + load + select)) << "guarded";
  EXPECT_TRUE(races("mov.u32 %r6, word; ld.shared.u32 %r3, [%r6];\nmov.u32 %r6, %r1;\n" + select))
      << "the address has changed";
}

TEST_F(SpeculatedLoadTest, WhatOnlyCalculatesMayStandBetweenLoadAndSelection) {
  const std::string begin =
      "setp.gt.u32 %p2, %r1, 99;\nsetp.eq.u32 %p3, %r1, 32;\n@%p3 st.shared.u32 [word], 2;\n"
      "ld.shared.u32 %r3, [word];\n";
  for (const char* calculation : {"popc.b32 %r5, %r1;",
                                  "clz.b32 %r5, %r1;",
                                  "bfind.u32 %r5, %r1;",
                                  "brev.b32 %r5, %r1;",
                                  "cnot.b32 %r5, %r1;",
                                  "bfi.b32 %r5, %r1, %r1, 8, 4;",
                                  "prmt.b32 %r5, %r1, 0, 0x0123;",
                                  "bmsk.clamp.b32 %r5, %r1, 4;",
                                  "szext.clamp.s32 %r5, %r1, 8;",
                                  "fns.b32 %r5, %r1, 0, 1;",
                                  "div.u32 %r5, %r1, 3;",
                                  "rem.u32 %r5, %r1, 3;",
                                  "sad.u32 %r5, %r1, 3, 4;",
                                  "mul24.lo.u32 %r5, %r1, 3;",
                                  "mad24.lo.u32 %r5, %r1, 3, 4;",
                                  "dp4a.u32.u32 %r5, %r1, 3, 4;",
                                  "dp2a.lo.u32.u32 %r5, %r1, 3, 4;",
                                  "add.cc.u32 %r5, %r1, 3; addc.u32 %r6, %r1, 0;",
                                  "vabsdiff4.u32.u32.u32 %r5, %r1, 3, 4;",
                                  "slct.u32.s32 %r5, 1, 2, %r1;",
                                  "rcp.approx.f32 %f1, 0f40000000;",
                                  "sqrt.rn.f32 %f1, 0f40000000;",
                                  "ex2.approx.f32 %f1, 0f40000000;",
                                  "copysign.f32 %f1, 0f40000000, 0f40000000;",
                                  "testp.finite.f32 %p4, 0f40000000;",
                                  "isspacep.shared %p4, %d0;"}) {
    EXPECT_THAT(found(begin + calculation + "\nselp.b32 %r4, %r3, 0, %p2;", 64), IsEmpty()) << calculation;
  }
}

TEST_F(SpeculatedLoadTest, AWriteRacesOnlyWithLanesThatKeepTheValue) {
  const std::string begin = "setp.eq.u32 %p2, %r1, 0;\nst.shared.u32 [word], 1;\nbar.sync 0;\n";
  const std::string end = "selp.b32 %r4, %r3, 0, %p2;\n@%p2 st.shared.u32 [word], 2;";
  EXPECT_THAT(found(begin + "ld.shared.u32 %r3, [word];\n" + end, 64), IsEmpty());
  EXPECT_THAT(found(begin + "setp.eq.u32 %p3, %r1, 32;\nld.shared.u32 %r3, [word];\n"
                            "selp.b32 %r4, %r3, 0, %p3;\n@%p2 st.shared.u32 [word], 2;",
                    64),
              Contains(HasSubstr("race")));
}

TEST_F(SpeculatedLoadTest, BoundsAndTrafficAreThoseOfAllLanes) {
  const std::uint32_t one = 1;
  device.write(memory, std::as_bytes(std::span(&one, 1)));
  const std::string end = "selp.b32 %r4, %r3, 0, %p2;";
  EXPECT_THAT(found("setp.gt.u32 %p2, %r1, 99;\nld.global.u32 %r3, [%d0];\n" + end), IsEmpty());
  const auto counted = std::find_if(seen.lines.begin(), seen.lines.end(),
                                    [](const LineCounters& line) { return line.line.line == 4; });
  ASSERT_NE(counted, seen.lines.end());
  EXPECT_EQ(counted->global_load.requests, 1U);
  EXPECT_EQ(counted->global_load.bytes, 32U * 4);
  EXPECT_THAT(found("setp.gt.u32 %p2, %r1, 99;\nld.global.u32 %r3, [%d0+4];\n" + end),
              ElementsAre("out-of-bounds 4"));
  EXPECT_EQ(status, Status::illegal_address);
}

}  // namespace
}  // namespace lockstep::emulator
