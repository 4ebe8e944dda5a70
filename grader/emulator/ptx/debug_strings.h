// `.section .debug_str`: the mangled names of inlined functions, as labelled bytes behind the code.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

#include "emulator/ptx/lexer.h"
#include "emulator/ptx/location_table.h"

namespace lockstep::emulator::ptx {

class DebugStrings {
 public:
  /// From after the section's '{' to its '}'.
  void parse(Lexer& lexer);
  /// Throws ParseError when nothing stands there.
  std::string at(const DebugStringReference& reference) const;

 private:
  std::string bytes_;
  std::map<std::string_view, std::size_t> labels_;
};

}  // namespace lockstep::emulator::ptx
