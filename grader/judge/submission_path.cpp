#include "judge/submission_path.h"

#include <algorithm>

#include "course/problem_rules.h"

namespace lockstep::judge {
namespace {

/// Whether a folder holds a folder for each exercise, as solutions/ does.
bool is_tree(const std::filesystem::path& folder) {
  std::error_code unreadable;
  const std::filesystem::directory_iterator entries(folder, unreadable);
  return std::any_of(begin(entries), end(entries), [](const std::filesystem::directory_entry& entry) {
    std::error_code broken_link;
    return entry.is_directory(broken_link) && !course::topic_of(entry.path().filename().string()).empty();
  });
}

}  // namespace

std::filesystem::path resolve_submission(const course::Exercise& exercise,
                                         const std::filesystem::path& path) {
  std::error_code missing;
  if (!std::filesystem::is_directory(path, missing)) return path;
  const std::filesystem::path file = exercise.starter.filename();
  std::filesystem::path directly = path / file;
  std::filesystem::path below = path / exercise.folder_name / file;
  if (std::filesystem::exists(directly, missing)) return directly;
  return std::filesystem::exists(below, missing) || is_tree(path) ? below : directly;
}

}  // namespace lockstep::judge
