// The turn on a GPU: whoever measures or judges there takes it first, and says so while it waits.
#pragma once

#include <functional>
#include <string>

#include "device/device.h"

namespace lockstep::judge {

/// TimingDevice::lock, with the wait reported as progress. Who holds it must not ask again, nor call what
/// asks, such as measure_speed: that would wait for itself.
device::GpuLock await_turn(device::TimingDevice& device,
                           const std::function<void(const std::string& what, int done, int total)>& progress);

}  // namespace lockstep::judge
