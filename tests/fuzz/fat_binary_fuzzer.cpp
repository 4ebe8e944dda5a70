// Fat binaries of any kind: each is loaded or refused.
#include <cstddef>
#include <cstdint>
#include <span>

#include "emulator/device.h"

using namespace lockstep::emulator;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static Device* device = new Device;
  constexpr ModuleBytes kMax = {std::size_t{1} << 20, std::size_t{64} << 20, std::size_t{1} << 20};
  try {
    device->unload(device->load(std::as_bytes(std::span(data, size)), kMax));
  } catch (const DeviceError&) {  // refused
  }
  return 0;
}
