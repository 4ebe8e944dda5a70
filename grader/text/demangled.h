// C++ names as they are written, in bounded time and text.
//
// Names are the student's choice, and a mangled name refers back to its own parts: each reference may double
// the text, so that a hundred characters can stand for gigabytes, all of which the library would write. A
// name with many references is therefore shown by its scopes alone.
#pragma once

#include <cxxabi.h>

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>

#include "text/shortened.h"

namespace lockstep::text {

/// Back references (S_, S0_, T_, …) of a mangled name; more than there are where an identifier looks like
/// one.
inline std::size_t back_references(std::string_view mangled) {
  const auto is_digit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z'); };
  std::size_t count = 0;
  for (std::size_t i = 0; i + 1 < mangled.size(); ++i) {
    if (mangled[i] != 'S' && mangled[i] != 'T') continue;
    std::size_t end = i + 1;
    while (end < mangled.size() && is_digit(mangled[end])) ++end;
    if (end < mangled.size() && mangled[end] == '_') ++count;
  }
  return count;
}

/// Whether a mangled name stands for text that is short enough to write. An expansion ("Dp") repeats its
/// pattern for each type of a pack, and may be nested.
inline bool takes_little(std::string_view mangled) {
  constexpr std::size_t kLongestMangled = 512, kMaxReferences = 12;
  return mangled.size() <= kLongestMangled && back_references(mangled) <= kMaxReferences &&
         mangled.find("Dp") == std::string_view::npos;
}

/// The scopes and the name of "_ZN3cub6detail4scanI…": "cub::detail::scan<…>(…)". Empty when it has none.
inline std::string scopes_of(std::string_view mangled) {
  std::string name;
  std::size_t i = mangled.starts_with("_ZN") ? 3 : 2;
  while (i < mangled.size() && mangled[i] >= '1' && mangled[i] <= '9') {
    std::size_t length = 0;
    for (; i < mangled.size() && mangled[i] >= '0' && mangled[i] <= '9' && length < mangled.size(); ++i)
      length = 10 * length + static_cast<std::size_t>(mangled[i] - '0');
    if (length > mangled.size() - i) break;
    if (!name.empty()) name += "::";
    name += mangled.substr(i, length);
    i += length;
  }
  if (!name.empty() && i < mangled.size() && mangled[i] == 'I') name += "<…>";
  if (!name.empty() && i < mangled.size()) name += "(…)";
  return name;
}

/// What a linker's name stands for; the name itself when it is not mangled. Long ones are cut.
inline std::string demangled(const std::string& name) {
  if (!name.starts_with("_Z")) return shortened(name);  // the library would take "f" for the type float
  if (!takes_little(name)) {
    const std::string scopes = scopes_of(name);
    return shortened(scopes.empty() ? name : scopes);
  }
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> plain(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), &std::free);
  return shortened(plain ? plain.get() : name.c_str());
}

}  // namespace lockstep::text
