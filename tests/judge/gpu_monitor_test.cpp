// Readings of a GPU through a library that imitates NVML, and without one.
#include "device/gpu_monitor.h"

#include <gmock/gmock.h>

#include "device/device.h"

namespace lockstep::device {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class EitherLibrary : public testing::TestWithParam<const char*> {};

TEST_P(EitherLibrary, TellsWhatTheGpuTells) {
  const GpuMonitor monitor("GPU-imitated", GetParam());
  for (int time = 0; time < 2; ++time) {
    const std::optional<GpuState> state = monitor.read();
    ASSERT_TRUE(state);
    EXPECT_EQ(state->sm_mhz, 1980U);
    EXPECT_EQ(state->memory_mhz, 3201U);
    EXPECT_EQ(state->temperature_celsius, 41U);
    EXPECT_EQ(state->power_milliwatts, std::nullopt);
    EXPECT_EQ(state->clock_event_reasons, 0x21U);
  }
}

INSTANTIATE_TEST_SUITE_P(NewAndOld, EitherLibrary,
                         testing::Values(LOCKSTEP_IMITATED_NVML, LOCKSTEP_IMITATED_OLD_NVML),
                         [](const auto& one) { return one.index == 0 ? "New" : "Old"; });

TEST(GpuMonitor, SaysNothingOfAGpuThatTheLibraryDoesNotKnow) {
  EXPECT_FALSE(GpuMonitor("GPU-another", LOCKSTEP_IMITATED_NVML).read());
}

TEST(GpuMonitor, SaysNothingWithoutTheLibraryOrWithAnother) {
  EXPECT_FALSE(GpuMonitor("GPU-imitated", "libno-such-library.so.1").read());
  EXPECT_FALSE(GpuMonitor("GPU-imitated", "libc.so.6").read());
}

TEST(GpuMonitor, AGpuWithAWholeDriverTellsItsClock) {
  std::unique_ptr<TimingDevice> device;
  try {
    device = make_gpu();
  } catch (const DeviceUnavailable&) {
    GTEST_SKIP() << "this machine has no GPU";
  }
  const std::optional<GpuState> state = device->gpu_state();
  if (!state) GTEST_SKIP() << "this machine has no NVML";
  EXPECT_GT(state->sm_mhz.value_or(0), 100U);
  EXPECT_GT(state->memory_mhz.value_or(0), 100U);
}

TEST(SlowingReasons, AreThoseThatSlowAGpuAgainstItsSettings) {
  EXPECT_THAT(slowing_reasons(0x04), ElementsAre("power cap"));
  EXPECT_THAT(slowing_reasons(0x48), ElementsAre("hardware slowdown", "hardware thermal slowdown"));
  EXPECT_THAT(slowing_reasons(0x21), ElementsAre("software thermal slowdown"));
  EXPECT_THAT(slowing_reasons(0x80), ElementsAre("hardware power brake"));
}

TEST(SlowingReasons, AreNotIdlenessOrClocksThatSomebodyHasSet) {
  EXPECT_THAT(slowing_reasons(0), IsEmpty());
  EXPECT_THAT(slowing_reasons(0x01 | 0x02 | 0x10 | 0x100), IsEmpty());
}

}  // namespace
}  // namespace lockstep::device
