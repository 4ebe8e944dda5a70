#include "emulator/cudart/device/peers.h"

namespace lockstep::emulator::cudart {

void Peers::enable(int device, int peer) {
  if (device == peer) throw Failure{cudaErrorInvalidDevice};
  if (!enabled_.emplace(device, peer).second) throw Failure{cudaErrorPeerAccessAlreadyEnabled};
}

void Peers::disable(int device, int peer) {
  if (enabled_.erase({device, peer}) == 0) throw Failure{cudaErrorPeerAccessNotEnabled};
}

void Peers::forget(int device) {
  std::erase_if(enabled_,
                [device](const auto& pair) { return pair.first == device || pair.second == device; });
}

DeviceMask Peers::reach(int device) const {
  DeviceMask reach = DeviceMask{1} << device;
  for (const auto& [from, to] : enabled_) {
    if (from == device) reach |= DeviceMask{1} << to;
  }
  return reach;
}

}  // namespace lockstep::emulator::cudart
