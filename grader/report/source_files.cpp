#include "report/source_files.h"

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include "report/printable.h"

namespace lockstep::report {
namespace {

namespace fs = std::filesystem;

/// The paths come from the program: a device or a huge file is no source.
constexpr std::uintmax_t kMaxBytes = std::uintmax_t{16} << 20;

std::vector<std::string> lines_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) > kMaxBytes) return {};
  std::ifstream file(path, std::ios::binary);
  return split_lines(printable_lines(std::string(std::istreambuf_iterator<char>(file), {})));
}

}  // namespace

std::string SourceFiles::line(const std::string& file, unsigned number) {
  const auto [entry, is_new] = files_.try_emplace(file);
  if (is_new) entry->second = lines_of(file);
  return number >= 1 && number <= entry->second.size() ? entry->second[number - 1] : "";
}

}  // namespace lockstep::report
