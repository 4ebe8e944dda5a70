// What the generated stubs of functions that the emulated device does not have call.
#include <cstdio>
#include <set>
#include <string_view>

#include "emulator/cudart/runtime.h"

/// Says so once a function, on stderr, and fails.
extern "C" int lockstep_unsupported(const char* function) {
  return lockstep::cudart::call([&](lockstep::cudart::Runtime&) {
    static std::set<std::string_view> told;
    if (told.insert(function).second) {
      std::fprintf(stderr, "lockstep: the emulated device does not support %s yet\n", function);
    }
    throw lockstep::cudart::Failure{cudaErrorNotSupported};
  });
}
