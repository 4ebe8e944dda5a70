// Numbers on the command line, read strictly.
#pragma once

#include <CLI/App.hpp>
#include <charconv>
#include <cstdint>
#include <string>
#include <system_error>

namespace lockstep::cli {

/// Refuses what is no whole number from 0 to 2^64 - 1: CLI11 would take -1 and 2^64 for 2^64 - 1.
inline CLI::Validator whole_number() {
  return {[](const std::string& text) -> std::string {
            std::uint64_t value = 0;
            const char* const end = text.data() + text.size();
            const auto [at, error] = std::from_chars(text.data(), end, value);
            if (error == std::errc() && at == end) return "";
            return "\"" + text + "\" is no whole number from 0 to 2^64 - 1";
          },
          ""};
}

}  // namespace lockstep::cli
