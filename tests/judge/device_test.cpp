// Which device a wish leads to, and the remedy when there is none.
#include "device/device.h"

#include <gmock/gmock.h>

#include "device/driver.h"

namespace lockstep::device {
namespace {

using testing::HasSubstr;

TEST(Device, AutomaticIsTheEmulatedOne) {
  for (const Kind kind : {Kind::automatic, Kind::emulated}) {
    const std::unique_ptr<Device> device = make_device(kind);
    EXPECT_EQ(device->description().kind, "emulated");
    EXPECT_TRUE(device->counts_traffic());
    EXPECT_FALSE(device->measures_speed());
  }
}

TEST(Device, GpuIsRefusedWithAReasonAndARemedy) {
  try {
    make_device(Kind::gpu);
    FAIL() << "a GPU was opened";
  } catch (const DeviceUnavailable& error) {
    EXPECT_THAT(error.what(), HasSubstr("--device emulated"));
    EXPECT_THAT(error.what(),
                HasSubstr(probe_driver().devices == 0 ? "no usable GPU" : "not part of this version"));
  }
}

TEST(Device, DriverWithoutDevicesSaysWhy) {
  const DriverState driver = probe_driver();
  EXPECT_EQ(driver.devices == 0, !driver.fault.empty());
  if (!driver.library) {
    EXPECT_THAT(driver.fault, HasSubstr("libcuda.so.1"));
  }
}

}  // namespace
}  // namespace lockstep::device
