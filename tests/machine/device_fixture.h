// A device that runs a kernel written as PTX text in the test itself, with line numbers that the test
// chooses.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "emulator/device.h"

namespace lockstep::emulator {

/// Wraps a body into a module with one kernel `kernel(u64 a, u64 b, u32 n)`. Lines of the body are lines of
/// kernel.cu: the k-th line of `body` has the location kernel.cu:k.
std::string kernel_text(const std::string& body, const std::string& declarations = {});

class DeviceTest : public ::testing::Test {
 protected:
  explicit DeviceTest(DeviceOptions options = two_workers()) : device(options) {}

  static DeviceOptions two_workers() {
    DeviceOptions options;
    options.workers = 2;
    return options;
  }

  template <class T>
  DeviceAddress upload(const std::vector<T>& values, std::string label = {}) {
    const DeviceAddress address = device.allocate(values.size() * sizeof(T), std::move(label));
    device.write(address, std::as_bytes(std::span(values)));
    return address;
  }
  template <class T>
  std::vector<T> download(DeviceAddress address, std::size_t n) {
    std::vector<T> values(n);
    device.read(address, std::as_writable_bytes(std::span(values)));
    return values;
  }

  /// Runs kernel_text(body) and keeps what the device saw in `seen`.
  LaunchResult run(const std::string& body, DeviceAddress a, DeviceAddress b, std::uint32_t n, Dim3 grid,
                   Dim3 block, const std::string& declarations = {}, std::uint32_t dynamic_shared = 0);

  /// Findings as "kind line" strings, such as "race 12".
  std::vector<std::string> findings() const;

  Device device;
  Observations seen;
};

}  // namespace lockstep::emulator
