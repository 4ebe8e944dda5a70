#include "classroom/submissions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

#include "classroom/archive.h"
#include "classroom/handed_in.h"
#include "sandbox/file_descriptor.h"
#include "text/printable.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

void read_folder(const fs::path& folder, const EntryLimits& limits, HandedIn& found) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);  // goes into no folder that a link leads to
  std::size_t files = 0;
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (++files > limits.files)
      return found.fail(fmt::format("the folder holds more than {} files", limits.files));
    const std::string place = at->path().lexically_relative(folder).string();
    std::error_code vanished;
    if (at->symlink_status(vanished).type() != fs::file_type::directory && found.wants(place))
      found.take(place, at->path(), limits.file_bytes);
  }
  if (error) found.fail("the folder cannot be read: " + error.message());
}

}  // namespace

bool HandedIn::wants(std::string_view path) {
  const std::string name(name_in(path));
  if (names_.wanted.contains(name)) return true;
  // "._transpose.cu" is what a Mac puts beside a file in an archive.
  if (name.ends_with(".cu") && !name.starts_with("._") && !names_.others.contains(name))
    unknown_.insert(text::printable(name));
  return false;
}

FileBeginning read_beginning(const fs::path& path, std::size_t most) {
  const sandbox::FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  const auto failed = [] {
    return FileBeginning{.why = fmt::format("cannot be read: {}", std::strerror(errno))};
  };
  struct stat status {};
  if (!file) return errno == ELOOP ? FileBeginning{.why = "is a link"} : failed();
  if (fstat(file.get(), &status) != 0) return failed();
  if (!S_ISREG(status.st_mode)) return {.why = "is no regular file"};
  std::string text(most, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t bytes = read(file.get(), &text[size], text.size() - size);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return failed();
    if (bytes == 0) break;
    size += static_cast<std::size_t>(bytes);
  }
  text.resize(size);
  return {.text = std::move(text), .modified = status.st_mtime};
}

void HandedIn::take(std::string_view place, const fs::path& path, std::size_t most) {
  FileBeginning file = read_beginning(path, most);
  if (!file.text) return refuse(place, file.why);
  add(place, std::move(*file.text));
  hand_ins_[names_.wanted.at(std::string(name_in(place)))].file_time = file.modified;
}

void HandedIn::add(std::string_view path, std::string text) {
  const std::string exercise = names_.wanted.at(std::string(name_in(path)));
  places_[exercise].emplace_back(path);
  hand_ins_[exercise].file_time = archive_time_;
  files_[exercise] = std::move(text);
}

void HandedIn::refuse(std::string_view path, const std::string& why) {
  refused_[names_.wanted.at(std::string(name_in(path)))] = fmt::format("{} {}", text::printable(path), why);
}

void HandedIn::set_file_time(std::optional<std::int64_t> time) { archive_time_ = time; }

void HandedIn::unnamed() { fail("the archive holds a file whose name cannot be read"); }

void HandedIn::fail(const std::string& why) { failure_ = why; }

Entry HandedIn::result(const std::string& student) && {
  Entry entry{.student = student, .unknown = std::move(unknown_)};
  if (!failure_.empty()) {
    entry.problems.push_back(failure_);
    return entry;
  }
  entry.refused = std::move(refused_);
  for (auto& [exercise, places] : places_) {
    if (places.size() == 1) continue;
    std::sort(places.begin(), places.end());
    entry.refused[exercise] = fmt::format("there are {} files: {} and {}", places.size(),
                                          text::printable(places[0]), text::printable(places[1]));
  }
  for (const auto& [exercise, why] : entry.refused) files_.erase(exercise);
  for (const auto& [exercise, text] : files_) entry.hand_ins[exercise] = hand_ins_[exercise];
  entry.files = std::move(files_);
  return entry;
}

std::optional<std::int64_t> modified(const fs::path& path) {
  struct stat status {};
  if (lstat(path.c_str(), &status) != 0) return std::nullopt;
  return status.st_mtime;
}

FileNames file_names(const std::vector<const course::Exercise*>& exercises) {
  FileNames names;
  for (const course::Exercise& exercise : course::catalogue())
    for (const fs::path& file : {exercise.starter, exercise.broken, exercise.kernels})
      if (!file.empty()) names.others.insert(file.filename().string());
  for (const course::Exercise* exercise : exercises)
    names.wanted[exercise->starter.filename().string()] = exercise->problem.name;
  return names;
}

std::vector<std::string> wanted_names(const FileNames& names) {
  std::vector<std::string> wanted;
  for (const auto& [name, exercise] : names.wanted) wanted.push_back(name);
  return wanted;
}

Found find_entries(const fs::path& folder) {
  Found found;
  std::map<std::string, std::vector<fs::path>> of_student;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    if (name.starts_with('.')) continue;
    std::error_code vanished;
    const fs::file_type type = entry.symlink_status(vanished).type();
    const std::string_view ending = archive_ending(name);
    if (type == fs::file_type::directory) {
      of_student[name].push_back(entry.path());
    } else if (type == fs::file_type::regular && !ending.empty()) {
      of_student[name.substr(0, name.size() - ending.size())].push_back(entry.path());
    } else {
      found.problems.push_back(fmt::format("{} is neither a folder nor an archive that is known{}",
                                           text::printable(name),
                                           type == fs::file_type::symlink ? ", but a link" : ""));
    }
  }
  for (auto& [student, paths] : of_student) {
    if (paths.size() == 1) {
      found.entries.push_back({student, paths.front()});
      continue;
    }
    std::sort(paths.begin(), paths.end());
    found.problems.push_back(fmt::format(
        "{} has handed in twice, {} and {}: none of it is graded", text::printable(student),
        text::printable(paths[0].filename().string()), text::printable(paths[1].filename().string())));
  }
  std::sort(found.problems.begin(), found.problems.end());
  return found;
}

Entry read_entry(const EntryPath& entry, const FileNames& names, const EntryLimits& limits) {
  HandedIn found(names);
  std::error_code vanished;
  if (fs::is_directory(fs::symlink_status(entry.path, vanished))) {
    read_folder(entry.path, limits, found);
  } else {
    found.set_file_time(modified(entry.path));
    read_archive(entry.path, wanted_names(names), limits, found);
  }
  return std::move(found).result(entry.student);
}

}  // namespace lockstep::classroom
