// Which kind of device a request gets on this machine, and the sentence when it gets none.
#include "device/device.h"
#include "device/emulated_device.h"
#include "device/gpu_device.h"
#include "emulator/device.h"

namespace lockstep::device {
namespace {

std::unique_ptr<TimingDevice> open_gpu(const std::filesystem::path& cupti = {}) {
  try {
    return std::make_unique<GpuDevice>(cupti);
  } catch (const DriverError& error) {
    throw DeviceUnavailable(std::string("no usable GPU on this machine: ") + error.what() +
                            "; grade and profile also work without one, by --device emulated");
  }
}

}  // namespace

std::unique_ptr<Device> make_device(Kind kind) {
  if (kind == Kind::emulated) return make_emulated_device(emulator::DeviceProperties{}.multiprocessors);
  if (kind == Kind::gpu) return make_gpu();
  try {
    return make_gpu();
  } catch (const DeviceUnavailable&) {
    return make_device(Kind::emulated);
  }
}

std::unique_ptr<Device> make_emulated_device(int multiprocessors) {
  return std::make_unique<EmulatedDevice>(multiprocessors);
}

std::unique_ptr<TimingDevice> make_gpu() { return open_gpu(); }

std::unique_ptr<TimingDevice> make_counting_gpu(const std::filesystem::path& cupti) {
  return open_gpu(cupti);
}

}  // namespace lockstep::device
