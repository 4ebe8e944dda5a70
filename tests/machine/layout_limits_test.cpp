// Sizes, alignments and counts that PTX chooses, near the ends of 32 and 64 bits: refused with a sentence, or
// laid out inside the memory that there is.
#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::HasSubstr;
using Status = LaunchResult::Status;

class LayoutLimitsTest : public DeviceTest {
 protected:
  /// Why the module, or its kernel, is refused; empty when neither is.
  std::string refusal(const std::string& body, const std::string& declarations = {}) {
    try {
      device.kernel(device.load_ptx(kernel_text(body, declarations)), "kernel");
      return {};
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.code(), DeviceError::Code::invalid_image);
      return error.what();
    }
  }
  static std::string shared(const std::string& name, std::uint64_t bytes, unsigned alignment = 1) {
    return ".shared .align " + std::to_string(alignment) + " .b8 " + name + '[' + std::to_string(bytes) +
           "];\n";
  }
};

TEST_F(LayoutLimitsTest, SharedVariablesThatTogetherExceed32Bits) {
  const std::uint64_t k31 = std::uint64_t{1} << 31;
  // What the system keeps lies behind the first two, and the third leads the sum of all back to the begin.
  EXPECT_THAT(refusal(shared("x", k31) + shared("y", k31 - 1024) + shared("z", 2048) +
                      "mov.u32 %r1, x;\nmov.u32 %r2, y;\nmov.u32 %r3, %reserved_smem_offset_1;\n"
                      "mov.u32 %r4, z;"),
              HasSubstr("kernel uses too much shared memory: 2147483648 bytes with the variable x, which "
                        "has 2147483648"));
  constexpr std::uint64_t kMax = std::uint64_t{1} << 24;
  for (const std::uint64_t bytes : {kMax + 1, k31 - 1, k31 + 1, 2 * k31 - 1, 2 * k31, 2 * k31 + 1,
                                    (std::uint64_t{1} << 62) - 1, std::uint64_t{1} << 62}) {
    EXPECT_THAT(refusal(shared("x", bytes) + "mov.u32 %r1, x;"), HasSubstr("too much shared memory"))
        << bytes;
    EXPECT_THAT(refusal("mov.u32 %r1, x;", shared("x", bytes)), HasSubstr("too much shared memory")) << bytes;
    EXPECT_THAT(refusal("mov.u32 %r1, x;\nmov.u32 %r2, y;", shared("x", 1) + shared("y", bytes, 65536)),
                HasSubstr("too much shared memory"))
        << bytes;
  }
  EXPECT_EQ(refusal(shared("x", kMax) + "mov.u32 %r1, x;"), "");
  EXPECT_THAT(refusal(shared("x", kMax) + "mov.u32 %r1, x;\nmov.u32 %r2, %reserved_smem_offset_1;"),
              HasSubstr("too much shared memory"));
}

TEST_F(LayoutLimitsTest, SharedVariablesOfManySmallOnesAndTheirAlignment) {
  std::string declarations, body;
  for (int i = 0; i < 300; ++i) {
    std::string name("v");
    name += std::to_string(i);
    declarations += shared(name, 1, 65536);
    body.append("mov.u32 %r1, ").append(name).append(";\n");
  }
  EXPECT_THAT(refusal(body, declarations), HasSubstr("too much shared memory"));
}

TEST_F(LayoutLimitsTest, InitialValuesThatMakeAnArrayOf64Bits) {
  // 5 × 3689348814741910323 = 2^64 - 1
  EXPECT_THAT(
      refusal("mov.u32 %r1, x;", ".shared .align 1 .b8 x[][3689348814741910323] = {{},{},{},{},{}};\n"),
      HasSubstr("larger than any memory"));
  EXPECT_THAT(
      refusal("mov.u32 %r1, 0;", ".global .align 1 .b8 x[][3689348814741910323] = {{},{},{},{},{}};\n"),
      HasSubstr("larger than any memory"));
}

TEST_F(LayoutLimitsTest, LocalVariablesThatTogetherExceed32Bits) {
  for (const char* bytes : {"524289", "2147483648", "4294967295", "4294967296", "4611686018427387904"}) {
    EXPECT_THAT(refusal(std::string(".local .align 1 .b8 x[") + bytes + "];\nmov.u32 %r1, 0;"),
                HasSubstr("more local memory than a thread can have"))
        << bytes;
  }
  EXPECT_THAT(refusal(".local .align 1 .b8 x[524288];\n.local .align 1 .b8 y[1];\nmov.u32 %r1, 0;"),
              HasSubstr("more local memory than a thread can have"));
  EXPECT_THAT(refusal(".local .align 1 .b8 x[1];\n.local .align 65536 .b8 y[524288];\nmov.u32 %r1, 0;"),
              HasSubstr("more local memory than a thread can have"));
  EXPECT_EQ(refusal(".local .align 65536 .b8 x[524288];\nmov.u32 %r1, 0;"), "");
}

TEST_F(LayoutLimitsTest, ParametersThatTogetherExceed64Bits) {
  const auto refused = [&](const std::string& parameters) {
    const std::string text = ".version 8.0\n.target sm_90\n.address_size 64\n.entry k(" + parameters +
                             ") {\n.reg .b32 %r1;\nld.param.u32 %r1, [z];\nret;\n}\n";
    try {
      device.kernel(device.load_ptx(text), "k");
    } catch (const DeviceError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  std::string four;
  for (const char* name : {"a", "b", "c", "d"}) {
    four += std::string(".param .align 1 .b8 ") + name + "[4611686018427387904], ";
  }
  EXPECT_THAT(refused(four + ".param .b32 z"), HasSubstr("too many parameters"));
  EXPECT_THAT(refused(".param .align 1 .b8 a[32764], .param .b32 z"), HasSubstr("too many parameters"));
  EXPECT_EQ(refused(".param .align 1 .b8 a[32760], .param .b32 z"), "");
}

TEST_F(LayoutLimitsTest, OffsetsAtTheEndsOf64Bits) {
  for (const char* offset :
       {"9223372036854775807", "-9223372036854775808", "9223372036854775800", "4294967296"}) {
    EXPECT_THAT(refusal(std::string("ld.param.u32 %r1, [a+") + offset + "];"),
                HasSubstr("a read past the kernel's parameters"))
        << offset;
    EXPECT_EQ(run(".local .align 8 .b8 x[16];\nmov.u64 %d2, x+" + std::string(offset) +
                      ";\nst.local.u32 [%d2], %r1;",
                  0, 0, 0, {}, {1, 1, 1})
                  .status,
              Status::illegal_address)
        << offset;
    EXPECT_EQ(run(".local .align 8 .b8 x[16];\nst.local.u32 [x+" + std::string(offset) + "], %r1;", 0, 0, 0,
                  {}, {1, 1, 1})
                  .status,
              Status::illegal_address)
        << offset;
  }
}

TEST_F(LayoutLimitsTest, LaunchBoundsWhoseProductExceeds64Bits) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() .maxntid 4194304, 4194304, 1048576 { ret; "
      "}\n"
      ".entry l() .reqnctapercluster 4194304, 4194304, 1048576 { ret; }\n";
  const Device::ModuleId module = device.load_ptx(text);
  const Device::KernelId kernel = device.kernel(module, "k");
  EXPECT_EQ(device.kernel_info(kernel).max_threads, 1024U);
  EXPECT_EQ(device.launch(kernel, {.block = {32, 1, 1}}, {}).status, Status::ok);
  EXPECT_THROW(device.launch(device.kernel(module, "l"), {.block = {32, 1, 1}}, {}), DeviceError);
  for (const Dim3 huge : {Dim3{0xFFFF'FFFF, 0xFFFF'FFFF, 0xFFFF'FFFF}, Dim3{1U << 22, 1U << 22, 1U << 20},
                          Dim3{1U << 31, 1, 1}, Dim3{1, 1U << 16, 1}, Dim3{1, 1, 0xFFFF'FFFF}}) {
    EXPECT_THROW(device.launch(kernel, {.grid = huge, .block = {32, 1, 1}}, {}), DeviceError);
    EXPECT_THROW(device.launch(kernel, {.block = huge}, {}), DeviceError);
    EXPECT_THROW(device.launch(kernel, {.block = {32, 1, 1}, .cluster = huge}, {}), DeviceError);
  }
  EXPECT_THROW(device.launch(kernel, {.block = {32, 1, 1}, .dynamic_shared_bytes = 0xFFFF'FFFF}, {}),
               DeviceError);
}

/// What 16 warps do that call `deeper` so deep and meet at the bottom.
std::string call_of(unsigned depth) {
  return "{\n.param .b32 q;\nst.param.b32 [q], " + std::to_string(depth) + ";\ncall.uni deeper, (q);\n}\n";
}
std::string deeper(const std::string& registers, const std::string& before, const std::string& after) {
  return ".func deeper(.param .b32 n)\n{\n.reg .b32 %r1;\n.reg .pred %p1;\n" + registers + before +
         "ld.param.u32 %r1, [n];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra Bottom;\nsub.u32 %r1, %r1, 1;\n"
         "{\n.param .b32 q;\nst.param.b32 [q], %r1;\ncall.uni deeper, (q);\n}\nbra End;\n"
         "Bottom: bar.sync 0;\nEnd:\n" +
         after + "ret;\n}\n";
}

TEST_F(LayoutLimitsTest, StacksOfAllThreadsAreBoundedTogether) {
  // 3500 registers of 64 bits are alive over the call: a frame of almost a megabyte a warp.
  std::string before, after;
  for (int i = 0; i < 3500; ++i) {
    const std::string number = std::to_string(i);
    before.append("mov.u64 %w").append(number).append(", 1;\n");
    after.append("add.u64 %w0, %w0, %w").append(number).append(";\n");
  }
  const std::string function = deeper(".reg .b64 %w<3500>;\n", before, after);
  EXPECT_EQ(run(call_of(10), 0, 0, 0, {1, 1, 1}, {512, 1, 1}, function).status, Status::ok);
  EXPECT_EQ(run(call_of(100), 0, 0, 0, {1, 1, 1}, {512, 1, 1}, function).status, Status::illegal_address);
  ASSERT_THAT(seen.findings, ::testing::SizeIs(1));
  EXPECT_EQ(seen.findings[0].kind, Finding::Kind::stack_overflow);
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::stacks_full);
  ASSERT_EQ(seen.findings[0].numbers.size(), 2U);
  EXPECT_EQ(seen.findings[0].numbers[1], 1024) << "MiB";
}

TEST_F(LayoutLimitsTest, PredicatesAreOnTheStackToo) {
  std::string before, after;
  for (int i = 0; i < 30'000; ++i) {
    const std::string number = std::to_string(i);
    before.append("setp.eq.u32 %q").append(number).append(", 1, 1;\n");
    after.append("@%q").append(number).append(" mov.u32 %r1, 1;\n");
  }
  EXPECT_EQ(
      run(call_of(600), 0, 0, 0, {1, 1, 1}, {512, 1, 1}, deeper(".reg .pred %q<30000>;\n", before, after))
          .status,
      Status::illegal_address);
  ASSERT_THAT(seen.findings, ::testing::SizeIs(1));
  EXPECT_EQ(seen.findings[0].cause, Finding::Cause::stacks_full);
}

TEST_F(LayoutLimitsTest, AClusterWhoseStacksNoMemoryHolds) {
  const std::string text =
      ".version 8.0\n.target sm_90\n.address_size 64\n.entry k() {\n.local .align 8 .b8 "
      "x[524288];\nret;\n}\n";
  const Device::KernelId kernel = device.kernel(device.load_ptx(text), "k");
  LaunchConfiguration cluster{.grid = {16, 1, 1}, .block = {1024, 1, 1}, .cluster = {16, 1, 1}};
  EXPECT_THROW(device.check_launch(kernel, cluster), DeviceError);
  cluster.cluster = {2, 1, 1};
  EXPECT_NO_THROW(device.check_launch(kernel, cluster));
}

}  // namespace
}  // namespace lockstep::emulator
