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
    std::error_code vanished;
    return entry.symlink_status(vanished).type() == std::filesystem::file_type::directory &&
           !course::topic_of(entry.path().filename().string()).empty();
  });
}

}  // namespace

build::SubmissionFile resolve_submission(const course::Exercise& exercise,
                                         const std::filesystem::path& path) {
  std::error_code missing;
  if (!std::filesystem::is_directory(path, missing)) return path;
  const std::filesystem::path file = exercise.starter.filename();
  const auto holds = [&](const std::filesystem::path& name) {
    return std::filesystem::exists(std::filesystem::symlink_status(path / name, missing));
  };
  if (holds(file)) return {path, file};
  if (holds(exercise.folder_name) || is_tree(path)) return {path, exercise.folder_name / file};
  return {path, file};
}

}  // namespace lockstep::judge
