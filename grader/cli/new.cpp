// `lockstep new`: a working copy of the exercises, for who has one installation for all. The folder holds
// what a student reads and edits; judge, interfaces and lectures stay those of the course
// (course::work_folder).
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "build/toolkit.h"
#include "cli/command.h"
#include "cli/selection.h"
#include "cli/starter.h"
#include "course/catalogue.h"
#include "report/printable.h"
#include "sandbox/file_descriptor.h"
#include "storage/files.h"
#include "text/wording.h"

namespace lockstep::cli {
namespace {

namespace fs = std::filesystem;

/// What the grader needs of an exercise and a student does not, as in a package.
bool is_for_students(const fs::path& file) {
  return file.filename() != "problem.cpp" && file.filename() != "CMakeLists.txt";
}

/// Writes what is missing below one folder, and counts it. Nothing that is there is changed, whatever it is.
class Copy {
 public:
  explicit Copy(fs::path folder) : folder_(std::move(folder)) {}

  /// Makes the folder, below the copy's own. False where something else has the name, such as a link, below
  /// which nothing is written.
  bool make_folder(const fs::path& name) {
    std::error_code missing;
    const fs::file_type type = fs::symlink_status(folder_ / name, missing).type();
    if (type == fs::file_type::not_found) {
      fs::create_directory(folder_ / name);
      return true;
    }
    if (type != fs::file_type::directory) left_.push_back(name.string());
    return type == fs::file_type::directory;
  }

  /// Whether nothing has the name; otherwise it counts as there.
  bool lacks(const fs::path& name) {
    std::error_code missing;
    const bool is_missing = fs::symlink_status(folder_ / name, missing).type() == fs::file_type::not_found;
    there_ += is_missing ? 0 : 1;
    return is_missing;
  }

  /// `is_kept`: the student edits it, so that it may differ from the course's.
  void add(const fs::path& name, const std::string& contents, bool is_kept = true) {
    const fs::path path = folder_ / name;
    // Fails where anything has the name, also a link to nothing.
    const sandbox::FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
    if (file.get() < 0 && errno == EEXIST) {
      ++there_;
      std::error_code unreadable;
      if (!is_kept && (!fs::is_regular_file(fs::symlink_status(path, unreadable)) ||
                       storage::read_file(path) != contents))
        different_.push_back(name.string());
      return;
    }
    if (file.get() < 0) fail(name);
    for (std::size_t written = 0; written < contents.size();) {
      const ssize_t count = write(file.get(), contents.data() + written, contents.size() - written);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        const int reason = errno;
        unlink(path.c_str());  // half a file would count as the student's
        errno = reason;
        fail(name);
      }
      written += static_cast<std::size_t>(count);
    }
    added_.push_back(name.string());
  }

  void add_link(const fs::path& name, const fs::path& target) {
    if (symlink(target.c_str(), (folder_ / name).c_str()) == 0) {
      added_.push_back(name.string());
    } else if (errno == EEXIST) {
      ++there_;
    } else {
      fail(name);
    }
  }

  const std::vector<std::string>& added() const { return added_; }
  const std::vector<std::string>& different() const { return different_; }
  const std::vector<std::string>& left() const { return left_; }
  std::size_t there() const { return there_; }

 private:
  [[noreturn]] void fail(const fs::path& name) const {
    const std::string reason = std::system_category().message(errno);
    throw Failed(
        fmt::format("{} cannot be written ({}): make room or another folder, and type the command "
                    "again, which goes on",
                    (folder_ / name).string(), reason));
  }

  fs::path folder_;
  std::vector<std::string> added_, different_, left_;
  std::size_t there_ = 0;
};

void add_exercise(Copy& copy, const course::Exercise& exercise) {
  const fs::path below = fs::path("exercises") / exercise.folder_name;
  if (!copy.make_folder(below)) return;
  const fs::path starter = exercise.starter.filename();
  if (copy.lacks(below / starter)) copy.add(below / starter, starter_of(exercise, true));
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(exercise.folder))
    if (entry.is_regular_file() && is_for_students(entry.path())) files.push_back(entry.path());
  std::ranges::sort(files);
  for (const fs::path& file : files)
    if (file.filename() != starter) copy.add(below / file.filename(), storage::read_file(file), false);
}

/// `text` with every `from` as a path between single quotes of YAML, in which two stand for one.
std::string with_path(std::string text, const std::string& from, const fs::path& to) {
  std::string path;
  for (const char c : to.string()) path += c == '\'' ? std::string("''") : std::string(1, c);
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + path.size()))
    text.replace(at, from.size(), path);
  return text;
}

/// The course's .clangd with the paths of this machine: a copy has no common/ beside it.
std::string clangd_settings(const fs::path& course) {
  std::string text = with_path(storage::read_file(course / ".clangd"), "../..", course);
  try {
    text = with_path(text, "/usr/local/cuda", build::find_toolkit().root);
  } catch (const std::runtime_error&) {  // without a toolkit nothing is graded; `doctor` says so
  }
  return text;
}

void report(const Copy& copy, const fs::path& folder) {
  const std::string where = report::printable(folder.string());
  const auto listed = [](const std::vector<std::string>& names) {
    return report::printable(fmt::format("{}", fmt::join(names, ", ")));
  };
  if (copy.there() == 0) {
    std::cout << fmt::format("Made {}, a working copy with {}.\n", where,
                             text::counted(course::catalogue().size(), "exercise"));
  } else if (copy.added().empty()) {
    std::cout << fmt::format("{} has everything already: nothing was written.\n", where);
  } else {
    std::cout << fmt::format("Added to {}: {}. What was there is as it was.\n", where, listed(copy.added()));
  }
  if (!copy.different().empty())
    std::cout << fmt::format("Not as the course has them, and left so: {}.\n", listed(copy.different()));
  if (!copy.left().empty())
    std::cout << fmt::format("No folders, and left as they are, with nothing in them: {}.\n",
                             listed(copy.left()));
  std::cout << fmt::format("\nGo there:  cd {}\nand type:  ./lockstep list\n",
                           report::printable(text::shell_word(folder.string())));
}

int make_copy(const fs::path& given) {
  if (given.empty()) throw WrongUse("new needs the name of a folder, as in ./lockstep new ~/cuda.");
  const fs::path course = fs::canonical(course::course_root());
  const fs::path folder = fs::weakly_canonical(fs::absolute(given));
  if (is_below(folder, course))
    throw WrongUse(fmt::format("{} lies in the course: a working copy is a folder elsewhere.",
                               report::printable(folder.string())));
  std::error_code error;
  fs::create_directories(folder, error);
  if (!fs::is_directory(folder))
    throw Failed(fmt::format("{} cannot be made a folder ({}): choose another.",
                             report::printable(folder.string()), error.message()));
  Copy copy(folder);
  for (const char* name : {".lockstep", ".vscode", "exercises"})
    if (!copy.make_folder(name))
      throw WrongUse(fmt::format("{} is no folder: move it away, or choose another place.",
                                 report::printable((folder / name).string())));
  for (const course::Exercise& exercise : course::catalogue()) add_exercise(copy, exercise);
  copy.add(".clangd", clangd_settings(course));
  copy.add(".vscode/tasks.json", storage::read_file(course / ".vscode/tasks.json"));
  copy.add_link("lockstep", course / "lockstep");
  // Last, as this makes it a working copy.
  copy.add(course::kWorkingCopyMark, fmt::format("A working copy of the course in {}.\n", course.string()));
  report(copy, folder);
  return kPassed;
}

}  // namespace

void add_new(CLI::App& app, int& status) {
  const auto folder = std::make_shared<fs::path>();
  CLI::App* command = app.add_subcommand(
      "new", "A working copy of the exercises in a folder of yours; again, it adds what is missing");
  command->add_option("folder", *folder, "Where to make it: a new folder, or one that you have")
      ->required()
      ->type_name("FOLDER");
  command->footer(
      "\nNothing that is there is changed. In that folder list, grade, watch, hint and reset work on your "
      "files.\n"
      "\nExample:  ./lockstep new ~/cuda");
  command->callback([folder, &status] { status = make_copy(*folder); });
}

}  // namespace lockstep::cli
