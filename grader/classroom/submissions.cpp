#include "classroom/submissions.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
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

/// The longer first: .tar.gz is no archive that is called "x.tar".
constexpr std::array<std::string_view, 11> kArchiveEndings = {
    ".tar.bz2", ".tar.zst", ".tar.gz", ".tar.xz", ".tbz2", ".tzst", ".tbz", ".tgz", ".txz", ".tar", ".zip"};

/// The ending of an archive's name, or nothing. Names that nothing else is left of are none.
std::string_view archive_ending(std::string_view name) {
  for (const std::string_view ending : kArchiveEndings) {
    if (name.size() <= ending.size()) continue;
    const std::string_view last = name.substr(name.size() - ending.size());
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
    if (std::equal(last.begin(), last.end(), ending.begin(), same)) return last;
  }
  return {};
}

std::string_view name_in(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The file's beginning, up to `most` bytes; nothing, and why, where it is not to be read.
std::optional<std::string> read_beginning(const fs::path& path, std::size_t most, std::string& why) {
  const sandbox::FileDescriptor file(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0) {
    why = fmt::format("cannot be read: {}", std::strerror(errno));
    return std::nullopt;
  }
  if (!S_ISREG(status.st_mode)) {
    why = "is no regular file";
    return std::nullopt;
  }
  std::string text(most, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t bytes = read(file.get(), &text[size], text.size() - size);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) {
      why = fmt::format("cannot be read: {}", std::strerror(errno));
      return std::nullopt;
    }
    if (bytes == 0) break;
    size += static_cast<std::size_t>(bytes);
  }
  text.resize(size);
  return text;
}

void read_folder(const fs::path& folder, const EntryLimits& limits, HandedIn& found) {
  std::error_code error;
  fs::recursive_directory_iterator at(folder, error);  // goes into no folder that a link leads to
  std::size_t files = 0;
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    if (++files > limits.files)
      return found.fail(fmt::format("the folder holds more than {} files", limits.files));
    const std::string place = at->path().lexically_relative(folder).string();
    std::error_code vanished;
    const fs::file_type type = at->symlink_status(vanished).type();
    if (type == fs::file_type::directory || !found.wants(place)) continue;
    std::string why = "is a link";
    std::optional<std::string> text;
    if (type != fs::file_type::symlink) text = read_beginning(at->path(), limits.file_bytes, why);
    if (text) {
      found.add(place, std::move(*text));
    } else {
      found.refuse(place, why);
    }
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

void HandedIn::add(std::string_view path, std::string text) {
  const std::string exercise = names_.wanted.at(std::string(name_in(path)));
  places_[exercise].emplace_back(path);
  files_[exercise] = std::move(text);
}

void HandedIn::refuse(std::string_view path, const std::string& why) {
  refused_[names_.wanted.at(std::string(name_in(path)))] = fmt::format("{} {}", text::printable(path), why);
}

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
  entry.files = std::move(files_);
  return entry;
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

bool is_archive(const std::string& name) { return !archive_ending(name).empty(); }

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
    read_archive(entry.path, names, limits, found);
  }
  return std::move(found).result(entry.student);
}

}  // namespace lockstep::classroom
