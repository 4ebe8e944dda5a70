// Modules of one program, linked as nvlink links what `-rdc=true` makes of several files: names that one
// module declares and another defines become one.
#pragma once

#include <stdexcept>
#include <vector>

#include "emulator/ptx/module.h"

namespace lockstep::emulator::ptx {

/// Two modules that contradict each other.
class LinkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// One module of several, at least one. Of weak definitions the first stays, a strong one goes before them,
/// and names that are a module's own stay apart. What none defines stays a declaration. Throws LinkError.
Module link(std::vector<Module> modules);

}  // namespace lockstep::emulator::ptx
