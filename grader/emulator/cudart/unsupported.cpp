// How the runtime says that the emulated device lacks something; the generated stubs of whole functions call
// it.
#include <cstdio>
#include <set>
#include <string_view>

#include "emulator/cudart/runtime.h"

void lockstep::cudart::unsupported(const char* what) {
  static std::set<std::string_view> told;
  if (told.insert(what).second) {
    std::fprintf(stderr, "lockstep: the emulated device does not support %s yet\n", what);
  }
  throw Failure{cudaErrorNotSupported};
}

extern "C" int lockstep_unsupported(const char* function) {
  return lockstep::cudart::call([&](lockstep::cudart::Runtime&) { lockstep::cudart::unsupported(function); });
}
