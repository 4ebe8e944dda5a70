#include "judge/turn.h"

namespace lockstep::judge {

device::GpuLock await_turn(
    device::TimingDevice& device,
    const std::function<void(const std::string& what, int done, int total)>& progress) {
  return device.lock([&] {
    if (progress) progress("waiting for another judgement on this GPU", 0, 1);
  });
}

}  // namespace lockstep::judge
