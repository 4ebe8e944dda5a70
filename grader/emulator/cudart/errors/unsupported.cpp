#include "emulator/cudart/errors/unsupported.h"

#include <cstdio>
#include <set>

#include "emulator/cudart/runtime.h"

namespace lockstep::emulator::cudart {

void refuse(const std::string& what) {
  static std::set<std::string>& told = *new std::set<std::string>;
  if (told.insert(what).second) {
    std::fprintf(stderr, "lockstep: the emulated device does not support %s yet\n", what.c_str());
  }
  throw Failure{cudaErrorNotSupported};
}

}  // namespace lockstep::emulator::cudart

/// What the generated stubs of functions that the emulated device does not have call.
extern "C" int lockstep_unsupported(const char* function) {
  return lockstep::emulator::cudart::call(
      [&](lockstep::emulator::cudart::Runtime&) { lockstep::emulator::cudart::refuse(function); });
}
