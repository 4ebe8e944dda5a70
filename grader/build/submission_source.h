// A submission's source text, read once: what is compiled is what was read, whatever happens to the file
// meanwhile.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <variant>

namespace lockstep::build {

inline constexpr std::size_t kSourceBytesLimit = std::size_t{1} << 20;

/// Why a file is no source text, in one sentence for the student.
struct Unreadable {
  std::string sentence;
};

std::variant<std::string, Unreadable> read_source(const std::filesystem::path& path);

}  // namespace lockstep::build
