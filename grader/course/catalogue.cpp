#include "course/catalogue.h"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <stdexcept>

#include "course/problem_rules.h"

namespace lockstep::course {
namespace {

constexpr double kBugHuntPoints = 4;

struct Registered {
  Problem (*make)();
  const char* file;
  std::optional<PrivateCourse> course;  ///< nothing for those of the tree
};

/// While the problems of a private course register themselves.
const PrivateCourse* course_being_loaded = nullptr;

/// Filled before main by the Registration objects of all problem.cpp; a local static, as their order is not
/// known. Those of a private course follow when it is loaded.
std::vector<Registered>& registered() {
  static std::vector<Registered> problems;
  return problems;
}

Exercise exercise_of(const Registered& entry) {
  Exercise exercise;
  exercise.problem = entry.make();
  exercise.folder_name = std::filesystem::path(entry.file).parent_path().filename();
  exercise.root = entry.course ? entry.course->folder : course_root();
  if (entry.course) exercise.course_version = entry.course->version;
  const std::filesystem::path& root = exercise.root;
  const std::string stem = identifier_of(exercise.problem.name);
  exercise.folder = root / "exercises" / exercise.folder_name;
  const bool has_copy = work_folder() != course_root();
  exercise.own_folder = (has_copy ? work_folder() : root) / "exercises" / exercise.folder_name;
  exercise.header = exercise.folder / (stem + ".h");
  exercise.broken = exercise.folder / "broken.cu";
  const bool has_predictions = !exercise.problem.predictions.empty();
  exercise.starter = exercise.own_folder / (stem + (has_predictions ? ".txt" : ".cu"));
  if (has_predictions) exercise.kernels = exercise.folder / "kernels.cu";
  exercise.solutions = root / "solutions" / exercise.folder_name;
  exercise.lecture = root / "lectures" / (exercise.folder_name + ".md");
  return exercise;
}

/// Whether this user has made a working copy of the folder: somebody else's file in a folder above, such as
/// /tmp, leads nobody away.
bool is_working_copy(const std::filesystem::path& folder) {
  struct stat mark {};
  return lstat((folder / kWorkingCopyMark).c_str(), &mark) == 0 && S_ISREG(mark.st_mode) &&
         mark.st_uid == geteuid();
}

/// "05" of "05-transpose".
std::string_view number_of(const Exercise& exercise) {
  return std::string_view(exercise.folder_name).substr(0, 2);
}

/// Where its reader finds a problem.cpp.
std::string place_of(const Exercise& exercise) {
  const std::filesystem::path file =
      std::filesystem::path("exercises") / exercise.folder_name / "problem.cpp";
  return (exercise.root == course_root() ? file : exercise.root / file).string();
}

std::vector<Exercise> collect() {
  std::vector<Exercise> exercises;
  std::string faults;
  for (const Registered& entry : registered()) {
    const Exercise& exercise = exercises.emplace_back(exercise_of(entry));
    for (const std::string& rule : broken_rules(exercise.problem, exercise.folder_name)) {
      faults += "\n  " + place_of(exercise) + ": " + rule;
    }
  }
  if (!faults.empty()) throw std::logic_error("the catalogue is not sound:" + faults);
  std::sort(exercises.begin(), exercises.end(),
            [](const Exercise& a, const Exercise& b) { return a.folder_name < b.folder_name; });
  // The first of a number has the lecture: "05-transpose" comes before "05-transpose-bug".
  for (std::size_t i = 1; i < exercises.size(); ++i) {
    if (number_of(exercises[i]) == number_of(exercises[i - 1]))
      exercises[i].lecture = exercises[i - 1].lecture;
  }
  for (Exercise& one : exercises)
    if (one.root != course_root() && !std::filesystem::exists(one.lecture))
      one.lecture = one.folder / "README.md";
  return exercises;
}

}  // namespace

Registration::Registration(Problem (*make)(), const char* file) {
  registered().push_back(
      {make, file, course_being_loaded == nullptr ? std::optional<PrivateCourse>() : *course_being_loaded});
}

void load_course(const PrivateCourse& course, const std::filesystem::path& module) {
  course_being_loaded = &course;
  const void* const loaded = dlopen(module.c_str(), RTLD_NOW | RTLD_LOCAL);  // for as long as this process
  course_being_loaded = nullptr;
  if (loaded == nullptr) throw std::runtime_error(dlerror());
}

Problem bug_hunt_in(std::string_view topic, Signature function, std::size_t max_changed_lines) {
  const auto is_of_topic = [topic](const Registered& entry) {
    return topic_of(std::filesystem::path(entry.file).parent_path().filename().string()) == topic;
  };
  const auto entry = std::ranges::find_if(registered(), is_of_topic);
  if (entry == registered().end()) throw std::logic_error("there is no exercise " + std::string(topic));
  Problem problem = entry->make();
  problem.name += "-bug";
  problem.function = std::move(function);
  problem.gpu_cases.clear();
  problem.speed.reset();
  problem.picture.reset();
  problem.max_changed_lines = max_changed_lines;
  problem.points = kBugHuntPoints;
  return problem;
}

const std::vector<Exercise>& catalogue() {
  static const std::vector<Exercise> exercises = collect();
  return exercises;
}

const Exercise* find_exercise(std::string_view name) {
  std::string padded(name);
  if (padded.size() == 1) padded.insert(padded.begin(), '0');
  for (const Exercise& exercise : catalogue()) {
    if (name == exercise.problem.name || name == exercise.folder_name || padded == number_of(exercise)) {
      return &exercise;
    }
  }
  return nullptr;
}

const std::filesystem::path& course_root() {
  static const std::filesystem::path root = [] {
    const char* chosen = std::getenv("LOCKSTEP_ROOT");
    if (chosen != nullptr && *chosen != '\0') return std::filesystem::path(chosen);
    // In a package the course lies beside the folder of programs. A build folder has an exercises/ as well.
    auto package = std::filesystem::read_symlink("/proc/self/exe").parent_path().parent_path();
    if (std::filesystem::is_directory(package / "lectures")) return package;
    return std::filesystem::path(LOCKSTEP_COURSE_ROOT);
  }();
  return root;
}

const std::filesystem::path& work_folder() {
  static const std::filesystem::path folder = [] {
    std::error_code error;
    for (std::filesystem::path here = std::filesystem::current_path(error); !here.empty();
         here = here.parent_path()) {
      if (is_working_copy(here)) return here;
      if (!here.has_relative_path()) break;
    }
    return course_root();
  }();
  return folder;
}

std::string path_to_type(const std::filesystem::path& path) {
  const std::filesystem::path relative = path.lexically_relative(work_folder());
  return relative.empty() || *relative.begin() == ".." ? path.string() : relative.string();
}

const std::filesystem::path& state_folder() {
  static const std::filesystem::path folder = [] {
    if (work_folder() != course_root()) return work_folder() / ".lockstep";
    std::filesystem::path own = course_root() / ".lockstep";
    std::error_code error;
    const bool exists = std::filesystem::exists(own, error);
    if (access((exists ? own : course_root()).c_str(), W_OK | X_OK) == 0) return own;
    const auto absolute = [](const char* variable) {
      const char* value = std::getenv(variable);
      return value != nullptr && *value == '/' ? std::filesystem::path(value) : std::filesystem::path();
    };
    std::filesystem::path states = absolute("XDG_STATE_HOME");
    if (states.empty() && !absolute("HOME").empty()) states = absolute("HOME") / ".local/state";
    if (states.empty()) return own;
    std::string course = std::filesystem::weakly_canonical(std::filesystem::absolute(course_root())).string();
    std::replace(course.begin(), course.end(), '/', '!');
    return states / "lockstep" / course;
  }();
  return folder;
}

}  // namespace lockstep::course
