#include "sandbox/spare_user.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace lockstep::sandbox {
namespace {

/// Of numbers, the end not included.
struct Range {
  std::uint64_t begin = 0, end = 0;
  std::uint64_t size() const { return end > begin ? end - begin : 0; }
};

/// The numbers that exist inside: the first of three on each line is where a range begins, the third its
/// length.
std::vector<Range> ranges_of(std::string_view map) {
  std::vector<Range> ranges;
  std::istringstream lines{std::string(map)};
  for (std::uint64_t inside = 0, outside = 0, length = 0; lines >> inside >> outside >> length;)
    ranges.push_back({inside, inside + length});
  return ranges;
}

std::string contents(const char* path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

uid_t spare_user(std::string_view users, std::string_view groups, pid_t thread) {
  Range widest;
  for (const Range user : ranges_of(users)) {
    for (const Range group : ranges_of(groups)) {
      const Range both{std::max(user.begin, group.begin), std::min(user.end, group.end)};
      if (both.size() > widest.size()) widest = both;
    }
  }
  // The first quarter has the system's users and the people, the last one "nobody".
  constexpr std::uint64_t kFewest = 4096;
  if (widest.size() < kFewest) return 0;
  const std::uint64_t begin = widest.begin + widest.size() / 4;
  return static_cast<uid_t>(begin + static_cast<std::uint64_t>(thread) % (widest.size() / 2));
}

uid_t spare_user() {
  return spare_user(contents("/proc/self/uid_map"), contents("/proc/self/gid_map"), gettid());
}

}  // namespace lockstep::sandbox
