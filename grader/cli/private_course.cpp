#include "cli/private_course.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>
#include <stdexcept>
#include <system_error>

#include "build/content_hash.h"
#include "cli/command.h"
#include "cli/program.h"
#include "course/catalogue.h"
#include "course/problem_rules.h"
#include "device/installation.h"
#include "report/printable.h"
#include "sandbox/file_descriptor.h"
#include "storage/files.h"
#include "text/wording.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kOption = "--course";
constexpr const char* kVariable = "LOCKSTEP_COURSE";
constexpr const char* kOwnFolder = ".lockstep";

std::string shown(const fs::path& path) { return report::printable(path.string()); }

std::vector<fs::path> sorted_entries(const fs::path& folder) {
  std::error_code missing;
  std::vector<fs::path> entries;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, missing))
    if (!entry.path().filename().string().starts_with('.')) entries.push_back(entry.path());
  std::ranges::sort(entries);
  return entries;
}

/// Whether a file of a course, named from its folder, is one that students edit.
bool is_students_file(const fs::path& file) {
  const fs::path folder = file.parent_path();
  return folder.parent_path() == "exercises" &&
         file.stem() == course::identifier_of(course::topic_of(folder.filename().string())) &&
         (file.extension() == ".cu" || file.extension() == ".txt");
}

/// Adds the files on which a grade may depend.
void hash_below(const fs::path& folder, const fs::path& course, build::ContentHash& hash) {
  for (const fs::path& entry : sorted_entries(folder)) {
    const fs::path file = entry.lexically_relative(course), name = entry.filename();
    if (fs::is_directory(entry)) {
      if (name != "wrong" && name != "figures") hash_below(entry, course, hash);
    } else if (fs::is_regular_file(entry) && name != "README.md" && !is_students_file(file)) {
      hash.add(file.string());
      hash.add(storage::read_file(entry));
    }
  }
}

/// What an exercise lacks, as a sentence for each file.
void find_missing(const fs::path& course, const std::string& name, std::vector<std::string>& faults) {
  const std::string topic = course::topic_of(name);
  const fs::path below = fs::path("exercises") / name, solutions = fs::path("solutions") / name;
  if (topic.empty()) {
    faults.push_back(
        fmt::format("{}: the folder of an exercise is named NN-topic, such as 50-saxpy", below.string()));
    return;
  }
  const std::string stem = course::identifier_of(topic);
  const bool has_predictions = fs::exists(course / below / (stem + ".txt"));
  const auto require = [&](const fs::path& file, const char* what) {
    if (!fs::is_regular_file(course / file))
      faults.push_back(fmt::format("{} is missing: {}", file.string(), what));
  };
  require(below / "problem.cpp", "what the judge knows of the exercise");
  require(below / "README.md", "the task");
  require(below / (stem + ".h"), "the interface, which nobody edits");
  if (has_predictions) {
    require(below / "kernels.cu", "what the predictions are about");
  } else {
    require(below / (stem + ".cu"), "the starter");
  }
  require(solutions / (stem + (has_predictions ? ".txt" : ".cu")), "the reference");
}

/// Adds a sentence where another exercise has the folder's topic, or one of the tree its number. Names are
/// those of folders (course::broken_rules).
void find_collisions(const std::string& name, const std::vector<std::string>& before,
                     const std::vector<std::string>& of_tree, std::vector<std::string>& faults) {
  const std::string topic = course::topic_of(name);
  if (topic.empty()) return;  // it is named wrongly
  const auto add = [&](const std::string& what, const std::string& other) {
    faults.push_back(fmt::format("exercises/{}: {} {}: choose another", name, what, other));
  };
  for (const std::string& other : before)
    if (topic == course::topic_of(other)) add("its topic is also that of", "exercises/" + other);
  for (const std::string& other : of_tree) {
    if (topic == course::topic_of(other)) {
      add("its topic is that of the tree's", other);
    } else if (name.substr(0, 2) == other.substr(0, 2)) {
      add("its number is that of the tree's", other);
      return;  // a number has several
    }
  }
}

std::vector<std::string> exercises_in(const fs::path& course) {
  std::vector<std::string> names;
  for (const fs::path& entry : sorted_entries(course / "exercises"))
    if (fs::is_directory(entry)) names.push_back(entry.filename());
  return names;
}

[[noreturn]] void refuse(const fs::path& course, const std::vector<std::string>& faults) {
  for (const std::string& fault : faults) std::cerr << "  " << report::printable(fault) << '\n';
  throw WrongUse(fmt::format("the course in {} breaks {} of docs/add-an-exercise.md, named above",
                             course.string(), text::counted(faults.size(), "rule")));
}

void check_files(const fs::path& course) {
  const std::vector<std::string> names = exercises_in(course), of_tree = exercises_in(course::course_root());
  if (names.empty())
    throw WrongUse(fmt::format("{} is no course: it has no folder exercises/NN-topic", course.string()));
  std::vector<std::string> faults, before;
  for (const std::string& name : names) {
    find_missing(course, name, faults);
    find_collisions(name, before, of_tree, faults);
    before.push_back(name);
  }
  if (!faults.empty()) refuse(course, faults);
}

/// Another build of this program asks for a module of its own.
std::string stamp_of_program() {
  const fs::path program = fs::read_symlink("/proc/self/exe");
  struct stat found {};
  if (stat(program.c_str(), &found) != 0) return "";
  return fmt::format("{} {} {}.{}", program.string(), found.st_size, found.st_mtim.tv_sec,
                     found.st_mtim.tv_nsec);
}

std::string text_of(const fs::path& file) {
  std::error_code missing;
  return fs::is_regular_file(file, missing) ? storage::read_file(file) : "";
}

/// A program of the build, whose output is of interest where it fails.
void run_or_fail(const fs::path& course, const std::vector<std::string>& command, const char* what) {
  const ProgramResult result = run_program(command);
  if (result.status == 0) return;
  std::cerr << report::printable_lines(result.output);
  throw Failed(fmt::format("the course in {} {}; the output is above", course.string(), what));
}

/// One private course as it is on disk.
class CourseBuild {
 public:
  explicit CourseBuild(fs::path course)
      : course_(std::move(course)),
        version_(version_of_course(course_)),
        state_(version_ + '\n' + stamp_of_program() + '\n' + course_.string() + '\n') {}

  /// Returns once the module is that of the files and of this program, which it stays while the result lives.
  sandbox::FileDescriptor bring_up_to_date() {
    const fs::path own = course_ / kOwnFolder;
    std::error_code error;
    fs::create_directory(own, error);
    const fs::path lock_file = own / "lock";
    sandbox::FileDescriptor lock(open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
    const bool may_build = static_cast<bool>(lock);
    if (!may_build) lock = sandbox::FileDescriptor(open(lock_file.c_str(), O_RDONLY | O_CLOEXEC));
    if (lock) flock(lock.get(), LOCK_SH);  // its owner may be building
    if (is_fresh()) return lock;
    if (!may_build)
      throw Failed(
          fmt::format("the course in {} is not built, and {} cannot be written: its owner types "
                      "./lockstep --course {} list, or you make a copy of it",
                      course_.string(), own.string(), course_.string()));
    flock(lock.get(), LOCK_EX);
    if (!is_fresh()) build();
    return lock;
  }

  const std::string& version() const { return version_; }

 private:
  fs::path built_file() const { return course_ / kOwnFolder / "built"; }
  bool is_fresh() const {
    return text_of(built_file()) == state_ && fs::exists(course_ / course::kCourseModule);
  }

  void build() const {
    std::cerr << "lockstep: building the course in " << shown(course_) << '\n';
    const fs::path own = course_ / kOwnFolder, folder = own / "build";
    const fs::path settings = device::installed_file("course.cmake");
    storage::write_file(own / ".gitignore", "*\n");  // nothing here belongs into the course's repository
    std::error_code missing;
    fs::remove(built_file(), missing);
    // CMake would go on with what it remembers of another folder, compiler or toolkit.
    const std::string configured = course_.string() + '\n' + storage::read_file(settings);
    if (text_of(own / "configured") != configured) {
      fs::remove(own / "configured", missing);
      run_or_fail(
          course_,
          {"cmake", "--fresh", "-S", (course::course_root() / "cmake/course").string(), "-B", folder.string(),
           "-G", "Ninja", "-C", settings.string(), "-DLOCKSTEP_COURSE=" + course_.string()},
          "could not be configured");
      storage::write_file(own / "configured", configured);
    }
    run_or_fail(course_, {"cmake", "--build", folder.string()}, "does not compile");
    if (version_of_course(course_) != version_)
      throw Failed(fmt::format("the course in {} was changed while it was built: type the command again",
                               course_.string()));
    storage::write_file(built_file(), state_);
  }

  fs::path course_;
  std::string version_, state_;
};

/// Throws Failed where Lockstep is a package, which cannot build a course.
void check_tree() {
  if (fs::exists(course::course_root() / "cmake/course/CMakeLists.txt")) return;
  throw Failed(
      "--course needs a clone of Lockstep, which compiles the exercises: this is a package, without its "
      "sources");
}

}  // namespace

fs::path chosen_course() {
  const char* const chosen = std::getenv(kVariable);
  return chosen == nullptr ? fs::path() : fs::path(chosen);
}

void choose_course(std::vector<std::string>& words) {
  const std::string assigned = std::string(kOption) + '=';
  std::optional<std::string> given;
  if (!words.empty() && words.front() == kOption) {
    if (words.size() < 2) throw WrongUse("--course needs the folder of a course, and a command behind it");
    given = words[1];
    words.erase(words.begin(), words.begin() + 2);
  } else if (!words.empty() && words.front().starts_with(assigned)) {
    given = words.front().substr(assigned.size());
    words.erase(words.begin());
  }
  if (!words.empty() && (words.front() == kOption || words.front().starts_with(assigned)))
    throw WrongUse("--course is given twice, and there can be one course");
  const fs::path folder = given ? fs::path(*given) : chosen_course();
  if (folder.empty() && !given) return;
  std::error_code error;
  const fs::path absolute = fs::canonical(folder, error);
  if (error || !fs::is_directory(absolute))
    throw WrongUse(
        fmt::format("{}: there is no folder \"{}\"", given ? kOption : kVariable, folder.string()));
  setenv(kVariable, absolute.c_str(), 1);
}

std::string version_of_course(const fs::path& folder) {
  constexpr std::size_t kDigits = 12;
  build::ContentHash hash;
  for (const char* name : {"exercises", "solutions"}) hash_below(folder / name, folder, hash);
  return hash.digest().substr(0, kDigits);
}

void add_chosen_course() {
  const fs::path folder = chosen_course();
  if (folder.empty()) return;
  check_tree();
  check_files(folder);
  CourseBuild course(folder);
  const sandbox::FileDescriptor lock = course.bring_up_to_date();
  try {
    course::load_course({folder, course.version()}, folder / course::kCourseModule);
    course::catalogue();
  } catch (const std::logic_error& error) {
    std::cerr << report::printable_lines(error.what()) << '\n';
    throw WrongUse(fmt::format("the course in {} breaks rules of docs/add-an-exercise.md, named above",
                               folder.string()));
  }
}

}  // namespace lockstep::cli
