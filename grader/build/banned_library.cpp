#include "build/banned_library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstddef>

namespace lockstep::build {
namespace {

constexpr std::array<BannedLibrary, 5> kBanned{{{"CUB", "cub/"},
                                                {"Thrust", "thrust/"},
                                                {"cuBLAS", "cublas"},
                                                {"cuSPARSE", "cusparse"},
                                                {"cuFFT", "cufft"}}};

/// A library and where its first header stands in a list.
struct Found {
  const BannedLibrary* library = nullptr;
  std::size_t at = std::string_view::npos;
};

/// The first of all: what the source includes comes before what that includes, be it of another library.
Found first_banned(std::string_view opened) {
  Found first;
  for (const BannedLibrary& library : kBanned) {
    const std::size_t at = opened.find(fmt::format("/{}", library.start));
    if (at < first.at) first = {&library, at};
  }
  return first;
}

/// The header's name as a directive would write it.
std::string_view header_at(std::string_view opened, std::size_t at) {
  const std::string_view name = opened.substr(at + 1);
  return name.substr(0, name.find_first_of(" \t\\\n"));
}

/// The number of the first directive that names the library; 0 when none does, as with names made by macros.
int line_of(const BannedLibrary& library, std::string_view source) {
  int number = 1;
  while (!source.empty()) {
    const std::string_view line = source.substr(0, source.find('\n'));
    const std::size_t directive = line.find("include");
    if (line.find('#') < directive && line.find(library.start, directive) != std::string_view::npos) {
      return number;
    }
    source.remove_prefix(std::min(line.size() + 1, source.size()));
    ++number;
  }
  return 0;
}

}  // namespace

std::span<const BannedLibrary> banned_libraries() { return kBanned; }

std::string sentence_about_banned(std::string_view opened, std::string_view source,
                                  std::string_view file_name) {
  const auto [library, at] = first_banned(opened);
  if (library == nullptr) return "";
  const int line = line_of(*library, source);
  const std::string place = line == 0 ? std::string(file_name) : fmt::format("{}:{}", file_name, line);
  return fmt::format(
      "{} includes {}: {} does what the exercises ask you to write, so a submission does without it.", place,
      header_at(opened, at), library->name);
}

}  // namespace lockstep::build
