// C++ names as they are written.
#pragma once

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <string>

namespace lockstep::emulator {

/// The name, or the type, that a linker's name stands for; the name itself when it is not mangled.
inline std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return plain ? plain.get() : name;
}

}  // namespace lockstep::emulator
