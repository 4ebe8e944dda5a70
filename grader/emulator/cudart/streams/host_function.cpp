#include "emulator/cudart/streams/host_function.h"

namespace lockstep::emulator::cudart {

namespace {

bool& within() {
  thread_local bool value = false;
  return value;
}

}  // namespace

void call_host_function(std::recursive_mutex& mutex, const std::function<void()>& function) {
  mutex.unlock();
  within() = true;
  // An exception that leaves the function ends the program, as it does on hardware.
  [&]() noexcept { function(); }();
  within() = false;
  mutex.lock();
}

bool in_host_function() { return within(); }

}  // namespace lockstep::emulator::cudart
