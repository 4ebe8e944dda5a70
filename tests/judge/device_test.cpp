// Which device a wish leads to, and the remedy when there is none.
#include "device/device.h"

#include <gmock/gmock.h>

#include <cstddef>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <vector>

#include "device/cuda_driver.h"
#include "sandbox/temporary_folder.h"

namespace lockstep::device {
namespace {

using testing::HasSubstr;

bool has_gpu() {
  try {
    make_device(Kind::gpu);
    return true;
  } catch (const DeviceUnavailable&) {
    return false;
  }
}

TEST(Device, AutomaticIsTheGpuWhereThereIsOne) {
  EXPECT_EQ(make_device(Kind::automatic)->description().kind, has_gpu() ? "gpu" : "emulated");
}

TEST(Device, TheEmulatedOneCountsAndDoesNotTime) {
  const std::unique_ptr<Device> device = make_device(Kind::emulated);
  EXPECT_EQ(device->description().kind, "emulated");
  EXPECT_EQ(device->timing(), nullptr);
  EXPECT_EQ(device->multiprocessors(), 4);
  EXPECT_EQ(make_emulated_device(132)->multiprocessors(), 132);
}

// A function of many launches, each of which ends before the judge's question reaches the device, is at work
// as one long launch is.
TEST(Device, AnEmulatedOneIsStillRunningWhereItHasWorkedSinceItWasAsked) {
  const std::unique_ptr<Device> device = make_device(Kind::emulated);
  const std::unique_ptr<Session> session = device->open(1);
  const std::vector<std::byte> bytes(std::size_t{64} << 20);
  const std::uint64_t buffer = session->allocate(bytes.size(), "bytes");
  session->is_still_running();
  EXPECT_FALSE(session->is_still_running());
  session->write(buffer, bytes);
  EXPECT_TRUE(session->is_still_running());
  EXPECT_FALSE(session->is_still_running());
  for (int i = 0; i < 500; ++i) session->free(session->allocate(bytes.size(), "bytes"));
  EXPECT_FALSE(session->is_still_running()) << "what allocates is not at work";
}

TEST(Device, AnEmulatedOneThatDoesNotAnswerIsLost) {
  const sandbox::TemporaryFolder build(std::filesystem::temp_directory_path(), "device-");
  std::filesystem::create_directories(build.path() / "bin");
  std::filesystem::create_directories(build.path() / "lib/emulated");
  std::filesystem::copy_file("/bin/true", build.path() / "bin/lockstep-device");
  setenv("LOCKSTEP_BUILD", build.path().c_str(), 1);
  const std::unique_ptr<Device> device = make_device(Kind::emulated);
  EXPECT_THROW(device->open(1), DeviceLost);
  unsetenv("LOCKSTEP_BUILD");
}

TEST(Device, GpuIsRefusedWithAReasonAndARemedy) {
  if (has_gpu()) GTEST_SKIP() << "this machine has a GPU";
  try {
    make_device(Kind::gpu);
    FAIL() << "a GPU was opened";
  } catch (const DeviceUnavailable& error) {
    EXPECT_THAT(error.what(), HasSubstr("no usable GPU"));
    EXPECT_THAT(error.what(), HasSubstr("--device emulated"));
  }
}

TEST(Device, AMissingDriverIsNamed) {
  try {
    CudaDriver::get();
    GTEST_SKIP() << "this machine has a driver";
  } catch (const DriverError& error) {
    EXPECT_THAT(error.what(), testing::AnyOf(HasSubstr("libcuda.so.1"), HasSubstr("driver")));
  }
}

}  // namespace
}  // namespace lockstep::device
