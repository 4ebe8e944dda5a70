#include "sandbox/spare_user.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

namespace lockstep::sandbox {
namespace {

/// Of numbers, the end not included.
struct Range {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t size() const { return end > begin ? end - begin : 0; }
};

Range intersection(Range a, Range b) { return {std::max(a.begin, b.begin), std::min(a.end, b.end)}; }

/// The numbers that exist inside: on each line the first of three is where a range begins, the third its
/// length.
std::vector<Range> ranges_of(std::string_view map) {
  std::vector<Range> ranges;
  std::istringstream lines{std::string(map)};
  for (std::uint64_t inside = 0, outside = 0, length = 0; lines >> inside >> outside >> length;)
    ranges.push_back({inside, inside + length});
  return ranges;
}

std::string map_of(const char* path) {
  if (!std::filesystem::exists(path)) return "0 0 4294967295\n";  // a kernel without user namespaces
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  // Not taken for a map without users: the command would stay root.
  if (!file || text.str().empty()) throw std::system_error(EIO, std::generic_category(), path);
  return text.str();
}

}  // namespace

std::optional<uid_t> spare_user(std::string_view user_map, std::string_view group_map, pid_t thread) {
  Range widest;
  for (const Range user : ranges_of(user_map)) {
    for (const Range group : ranges_of(group_map)) {
      const Range both = intersection(user, group);
      if (both.size() > widest.size()) widest = both;
    }
  }
  // What systemd leaves to nobody; in a container the middle half: the machine's users come first, "nobody"
  // last.
  constexpr Range kOfMachines{0x7000'0000, 0x7000'0000 + (1U << 22)};
  const Range middle{widest.begin + widest.size() / 4, widest.end - widest.size() / 4};
  const Range spare = intersection(widest, kOfMachines).size() == kOfMachines.size() ? kOfMachines : middle;
  constexpr std::uint64_t kMin = 2048;
  if (spare.size() < kMin) return std::nullopt;
  return static_cast<uid_t>(spare.begin + static_cast<std::uint64_t>(thread) % spare.size());
}

std::optional<uid_t> spare_user() {
  return spare_user(map_of("/proc/self/uid_map"), map_of("/proc/self/gid_map"), gettid());
}

}  // namespace lockstep::sandbox
