// Which kind of device a request gets on this machine, and the sentence when it gets none.
#include "device/device.h"
#include "device/driver.h"
#include "device/emulated_device.h"

namespace lockstep::device {
namespace {

constexpr const char* kRemedy =
    "; use --device emulated, which grades correctness and technique on any machine";

[[noreturn]] void refuse_gpu() {
  const DriverState driver = probe_driver();
  if (driver.devices == 0) {
    throw DeviceUnavailable("no usable GPU on this machine: " + driver.fault + kRemedy);
  }
  throw DeviceUnavailable(std::string("grading on a GPU is not part of this version yet") + kRemedy);
}

}  // namespace

std::unique_ptr<Device> make_device(Kind kind) {
  if (kind == Kind::gpu) refuse_gpu();
  return std::make_unique<EmulatedDevice>();
}

}  // namespace lockstep::device
