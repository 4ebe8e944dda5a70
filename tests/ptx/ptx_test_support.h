// What the PTX tests share: files, a minimal text around a body, and finding things in a tree.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

#include "emulator/ptx/module.h"

namespace lockstep::emulator::ptx {

inline std::string contents_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("cannot read " + path);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::string made(const std::string& name) {
  return contents_of(std::string(PTX_TEST_MADE "/") + name);
}

inline std::string with_preamble(const std::string& rest) {
  return ".version 9.0\n.target sm_90\n.address_size 64\n" + rest;
}

inline Module parse_items(const std::string& items) { return parse(with_preamble(items)); }

/// The only function of a text whose kernel has this body.
inline Function parse_body(const std::string& body) {
  return parse_items(".visible .entry kernel(.param .u64 data)\n{\n" + body + "\n}\n").functions.at(0);
}

template <typename Named>
const Named& named(const std::vector<Named>& list, std::string_view name) {
  const auto found = std::ranges::find(list, name, &Named::name);
  if (found == list.end()) throw std::runtime_error("nothing is named " + std::string(name));
  return *found;
}

/// The only function whose mangled name contains `part` and that has a body.
inline const Function& function_like(const Module& module, std::string_view part) {
  const auto matches = [&](const Function& f) {
    return !f.external && f.name.find(part) != std::string::npos;
  };
  const auto found = std::ranges::find_if(module.functions, matches);
  if (found == module.functions.end()) throw std::runtime_error("no function like " + std::string(part));
  return *found;
}

/// `count` little-endian bytes of a variable's initial value; what is not given is zero.
inline std::uint64_t initial_value(const Variable& variable, std::size_t offset, std::size_t count) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < count && offset + i < variable.initial.size(); ++i) {
    value |= std::to_integer<std::uint64_t>(variable.initial[offset + i]) << (8 * i);
  }
  return value;
}

/// 1-based number of the line of data/`file` that contains `text`.
inline std::uint32_t line_of(const std::string& file, const std::string& text) {
  const std::string whole = contents_of(PTX_TEST_DATA "/" + file);
  const std::size_t at = whole.find(text);
  if (at == std::string::npos) throw std::runtime_error(file + " does not contain " + text);
  return static_cast<std::uint32_t>(
             std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(at), '\n')) +
         1;
}

}  // namespace lockstep::emulator::ptx
