// The `.loc` directives of one function: equal ones are kept once, call sites are found by place.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "emulator/ptx/lexer.h"
#include "emulator/ptx/module.h"

namespace lockstep::emulator::ptx {

/// A position in `.section .debug_str`, which stands at the end of the text: resolved once all of it was
/// read.
struct DebugStringReference {
  std::string_view label;
  std::uint64_t offset = 0;
  std::uint32_t line = 0;
  auto operator<=>(const DebugStringReference&) const = default;
};

/// A location whose function name is still to be filled in.
struct UnnamedLocation {
  std::uint32_t function = 0;  ///< index into Module::functions
  std::uint32_t location = 0;  ///< index into Function::locations
  DebugStringReference name;
};

class LocationTable {
 public:
  LocationTable(Function& function, std::uint32_t function_index, std::vector<UnnamedLocation>& unnamed)
      : function_(function), function_index_(function_index), unnamed_(unnamed) {}

  /// Reads the rest of a `.loc` directive and makes it the location of what follows.
  void parse(Lexer& lexer);
  /// Index of the last `.loc`, -1 before the first.
  std::int32_t current() const { return current_; }

 private:
  using Place = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< file, line, column
  using Key =
      std::tuple<Place, std::int32_t, std::string_view, std::uint64_t>;  ///< …, call site, function's label

  static Place parse_place(Lexer& lexer);
  std::int32_t call_site(const Place& place);
  std::int32_t add(const Place& place, std::int32_t inlined_at, const DebugStringReference& name);

  Function& function_;
  std::uint32_t function_index_;
  std::vector<UnnamedLocation>& unnamed_;
  std::map<Key, std::int32_t> known_;
  std::map<Place, std::int32_t> latest_;
  std::vector<std::uint32_t> depths_;
  std::int32_t current_ = -1;
};

}  // namespace lockstep::emulator::ptx
