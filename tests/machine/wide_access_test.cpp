// Loads and stores of 256 bits, which front ends for compute_100 and newer emit: values, checks and counters.
#include <gmock/gmock.h>

#include <numeric>

#include "device_fixture.h"

namespace lockstep::emulator {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

/// %d3 and %d4 are where thread %r1 of block %r2 reads and writes its 32 bytes.
const std::string kPlaces =
    "mov.u32 %r2, %ctaid.x; mul.wide.u32 %d2, %r1, 32; add.u64 %d3, %d0, %d2; add.u64 %d4, %d1, %d2;\n";
const std::string kEight = "{%r8, %r9, %r10, %r11, %r12, %r13, %r14, %r15}";

class WideAccessTest : public DeviceTest {
 protected:
  static std::vector<std::uint32_t> numbers(std::size_t n) {
    std::vector<std::uint32_t> values(n);
    std::iota(values.begin(), values.end(), 1000U);
    return values;
  }
  Traffic sum_of(Traffic LineCounters::*kind) const {
    Traffic sum;
    for (const LineCounters& line : seen.lines) sum += line.*kind;
    return sum;
  }
};

TEST_F(WideAccessTest, EightWordsMoveInTheirOrder) {
  const auto values = numbers(8 * 64);
  const DeviceAddress from = upload(values), to = upload(std::vector<std::uint32_t>(values.size(), 7));
  run(kPlaces + "setp.ne.u32 %p1, %r1, 5;\n@%p1 ld.global.nc.v8.b32 " + kEight + ", [%d3];\n" +
          "@%p1 st.global.v8.b32 [%d4], {%r9, %r8, %r10, %r11, %r12, %r13, %r14, %r15};\n",
      from, to, 0, {1, 1, 1}, {64, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
  auto expected = values;
  for (std::size_t i = 0; i < expected.size(); i += 8) std::swap(expected[i], expected[i + 1]);
  for (std::size_t k = 0; k < 8; ++k) expected[8 * 5 + k] = 7;
  EXPECT_EQ(download<std::uint32_t>(to, values.size()), expected);
}

TEST_F(WideAccessTest, FourDoublesMayReplaceTheirOwnAddress) {
  std::vector<std::uint64_t> values(4 * 32);
  std::iota(values.begin(), values.end(), 0xABCD'0000'0001U);
  const DeviceAddress from = upload(values), to = upload(std::vector<std::uint64_t>(values.size()));
  run(kPlaces +
          "ld.global.v4.u64 {%d3, %d5, %d6, %d7}, [%d3];\nst.global.v4.f64 [%d4], {%d3, %d5, %d6, %d7};\n",
      from, to, 0, {1, 1, 1}, {32, 1, 1});
  EXPECT_THAT(findings(), IsEmpty());
  EXPECT_EQ(download<std::uint64_t>(to, values.size()), values);
}

TEST_F(WideAccessTest, UnwantedElementsAndConstantsAreAllowed) {
  const DeviceAddress from = upload(numbers(8)), to = upload(std::vector<std::uint32_t>(8, 7));
  run("ld.global.v8.b32 {_, %r9, _, _, _, _, _, %r15}, [%d0];\n"
      "st.global.v8.f32 [%d1], {%r9, %r15, 0f3F800000, 0f00000000, %r9, %r9, %r9, %r15};\n",
      from, to, 0, {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(download<std::uint32_t>(to, 8),
              ElementsAre(1001, 1007, 0x3F80'0000, 0, 1001, 1001, 1001, 1007));
}

TEST_F(WideAccessTest, ChecksSeeAllThirtyTwoBytes) {
  const DeviceAddress from = upload(numbers(20)), fresh = device.allocate(64);
  const std::string load = "ld.global.v8.b32 " + kEight;
  run(load + ", [%d0+16];\n", from, fresh, 0, {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("misaligned 1"));
  run(load + ", [%d0+64];\n", from, fresh, 0, {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("out-of-bounds 1"));
  const std::string half =
      "mov.u32 %r3, 1;\nst.global.v4.u32 [%d1], {%r3, %r3, %r3, %r3};\n" + load + ", [%d1];\n";
  run(half + "add.u32 %r2, %r11, 1;\nst.global.u32 [%d1], %r2;", from, fresh, 0, {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(findings(), IsEmpty()) << "the last that was written";
  run(half + "add.u32 %r2, %r12, 1;\nst.global.u32 [%d1], %r2;", from, fresh, 0, {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("uninitialised-read 3"));
  run(half + "st.global.v8.b32 [%d1+32], " + kEight + ";\nld.global.u32 %r2, [%d1+44];\n" +
          "ld.global.u32 %r3, [%d1+48];\nst.global.u32 [%d1], %r2;\nst.global.u32 [%d1], %r3;",
      from, fresh, 0, {1, 1, 1}, {1, 1, 1});
  EXPECT_THAT(findings(), ElementsAre("uninitialised-read 6"))
      << "what was copied with it is as uninitialised";
}

TEST_F(WideAccessTest, BlocksThatStoreDifferentValuesRace) {
  const DeviceAddress to = upload(std::vector<std::uint32_t>(8));
  const std::string store = "st.global.v8.b32 [%d0], {%r3, %r3, %r3, %r3, %r3, %r3, %r3, %r4};\n";
  run("mov.u32 %r3, 0;\nmov.u32 %r4, 0;\n" + store, to, to, 0, {2, 1, 1}, {1, 1, 1});
  EXPECT_THAT(findings(), IsEmpty()) << "the same values";
  run("mov.u32 %r3, 0;\nmov.u32 %r4, %ctaid.x;\n" + store, to, to, 0, {2, 1, 1}, {1, 1, 1});
  EXPECT_THAT(findings(), Contains("race 3"));
}

TEST_F(WideAccessTest, IsOneRequestOfASectorALane) {
  const auto values = numbers(8 * 32);
  const DeviceAddress from = upload(values), to = upload(values);
  run(kPlaces + "ld.global.v8.f32 " + kEight + ", [%d3];\nst.global.v8.f32 [%d4], " + kEight + ";\n", from,
      to, 0, {1, 1, 1}, {32, 1, 1});
  for (const auto kind : {&LineCounters::global_load, &LineCounters::global_store}) {
    const Traffic traffic = sum_of(kind);
    EXPECT_EQ(traffic.requests, 1U);
    EXPECT_EQ(traffic.units, 32U);
    EXPECT_EQ(traffic.ideal_units, 32U);
  }
}

TEST_F(WideAccessTest, OtherSpacesAndTypesAreRefused) {
  for (const char* text : {"ld.shared.v8.b32", "ld.v8.b32", "ld.global.v8.b16", "ld.global.v8.b64"}) {
    try {
      run(std::string(text) + " " + kEight + ", [%d0];\n", 0, 0, 0, {1, 1, 1}, {1, 1, 1});
      ADD_FAILURE() << text;
    } catch (const DeviceError& error) {
      EXPECT_EQ(error.code(), DeviceError::Code::unsupported) << text;
      EXPECT_THAT(error.what(), ::testing::HasSubstr(text));
    }
  }
}

}  // namespace
}  // namespace lockstep::emulator
