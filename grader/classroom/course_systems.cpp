#include "classroom/course_systems.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>

#include "classroom/archive.h"
#include "classroom/download.h"
#include "classroom/gradescope.h"
#include "classroom/handed_in.h"
#include "classroom/policy.h"
#include "classroom/repositories.h"
#include "classroom/shown.h"
#include "storage/files.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMetadata = "submission_metadata.yml";

bool is_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// The largest that there is where the digits are of a larger one.
std::uint64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() ? number : std::numeric_limits<std::uint64_t>::max();
}

std::string_view top_of(std::string_view path) { return path.substr(0, path.find('/')); }
std::string_view below_top(std::string_view path) {
  const std::size_t slash = path.find('/');
  return slash == std::string_view::npos ? "" : path.substr(slash + 1);
}

// --- Moodle ---

struct MoodleName {
  std::string_view prefix;        ///< that one participant's files have in common
  std::string_view name, number;  ///< number: none of a team without a group
  std::string_view kind;          ///< file, onlinetext
  std::string_view file;          ///< of a file without folder; empty of a folder
};

/// A name of the top of a download. A person's name has no "_" there, and everything before the first mark is
/// the system's, so that the name of a file cannot pretend.
std::optional<MoodleName> moodle_name(std::string_view top) {
  constexpr std::string_view kMark = "_assignsubmission_";
  const std::size_t mark = top.find(kMark);
  if (mark == std::string_view::npos || mark == 0) return std::nullopt;
  MoodleName found{.prefix = top.substr(0, mark)};
  const std::string_view rest = top.substr(mark + kMark.size());
  const std::size_t end = std::min(rest.find('_'), rest.size());
  found.kind = rest.substr(0, end);
  if (end < rest.size()) found.file = rest.substr(end + 1);
  found.name = found.prefix;
  const std::size_t last = found.prefix.rfind('_');
  if (last != std::string_view::npos && is_digits(found.prefix.substr(last + 1))) {
    found.name = found.prefix.substr(0, last);
    found.number = found.prefix.substr(last + 1);
  }
  if (found.kind.empty() || found.name.empty()) return std::nullopt;
  return found;
}

// --- Canvas ---

struct CanvasName {
  std::string_view name, user, attachment;
  bool is_late = false;
  std::string_view file;
};

/// lastfirst[_LATE]_USER_ATTACHMENT_FILE. Canvas takes numbers between two "_" out of persons' names, so the
/// first two numbers in a row are its own.
std::optional<CanvasName> canvas_name(std::string_view top) {
  for (std::size_t begin = top.find('_'); begin != std::string_view::npos; begin = top.find('_', begin + 1)) {
    const std::size_t middle = top.find('_', begin + 1);
    if (middle == std::string_view::npos) return std::nullopt;
    const std::size_t end = top.find('_', middle + 1);
    if (end == std::string_view::npos) return std::nullopt;
    CanvasName found{.name = top.substr(0, begin),
                     .user = top.substr(begin + 1, middle - begin - 1),
                     .attachment = top.substr(middle + 1, end - middle - 1),
                     .file = top.substr(end + 1)};
    if (!is_digits(found.user) || !is_digits(found.attachment)) continue;
    for (const std::string_view mark : {"_LATE", "_late"})
      if (found.name.ends_with(mark)) {
        found.is_late = true;
        found.name.remove_suffix(mark.size());
        break;
      }
    if (found.name.empty() || found.file.empty()) return std::nullopt;
    return found;
  }
  return std::nullopt;
}

/// A file's name without the number that Canvas puts before its ending, and that number; 0 where it has none.
std::pair<std::string, std::uint64_t> without_number(std::string_view file, const FileNames& names) {
  if (names.wanted.contains(std::string(file)) || names.others.contains(std::string(file)))
    return {std::string(file), 0};
  const std::string_view archive = archive_ending(file);
  const std::size_t ending =
      !archive.empty() ? file.size() - archive.size() : std::min(file.rfind('.'), file.size());
  const std::size_t dash = file.substr(0, ending).rfind('-');
  constexpr std::size_t kMaxDigits = 6;
  if (dash == std::string_view::npos || dash == 0 || !is_digits(file.substr(dash + 1, ending - dash - 1)) ||
      ending - dash - 1 > kMaxDigits)
    return {std::string(file), 0};
  return {std::string(file.substr(0, dash)) + std::string(file.substr(ending)),
          number_of(file.substr(dash + 1, ending - dash - 1))};
}

// --- what it is ---

bool all_tops(const Download& download, const std::function<bool(std::string_view)>& matches) {
  return (!download.files.empty() || !download.folders.empty()) &&
         std::all_of(download.files.begin(), download.files.end(),
                     [&](const DownloadFile& file) { return matches(file.path); }) &&
         std::all_of(download.folders.begin(), download.folders.end(), matches);
}

/// Where the metadata of a Gradescope export lies: at the top, or in the only folder there.
std::vector<const DownloadFile*> metadata_of(const Download& download) {
  std::vector<const DownloadFile*> found;
  const bool has_root =
      std::all_of(download.files.begin(), download.files.end(),
                  [](const DownloadFile& file) { return file.path.find('/') != std::string::npos; }) &&
      download.folders.size() == 1;
  for (const DownloadFile& file : download.files)
    if (file.path == kMetadata || (has_root && below_top(file.path) == kMetadata)) found.push_back(&file);
  return found;
}

System recognised(const Download& download) {
  const bool is_gradescope = !metadata_of(download).empty();
  const auto is_of_moodle = [](std::string_view path) { return moodle_name(top_of(path)).has_value(); };
  const auto is_of_canvas = [](std::string_view path) {
    return path.find('/') == std::string_view::npos && canvas_name(path).has_value();
  };
  // Folders stand in no download of Canvas.
  const bool is_canvas = download.folders.empty() && all_tops(download, is_of_canvas);
  const bool is_moodle = all_tops(download, is_of_moodle);
  if (is_gradescope + is_canvas + is_moodle > 1)
    throw NotRecognised("it may be a download of several course systems: say which with --from");
  return is_gradescope ? System::gradescope
         : is_moodle   ? System::moodle
         : is_canvas   ? System::canvas
                       : System::entries;
}

/// Reads files of one entry that bear these names in it.
Entry read_files(const std::vector<std::pair<const DownloadFile*, std::string>>& files,
                 const FileNames& names) {
  HandedIn found(names);
  for (const auto& [file, name] : files) read_download_file(*file, name, names, {}, found);
  return std::move(found).result("");
}

using Files = std::vector<std::pair<const DownloadFile*, std::string>>;

ClassWork gradescope_work(const std::shared_ptr<const Download>& download, const FileNames& names) {
  ClassWork result{.system = System::gradescope};
  const auto metadata = metadata_of(*download);
  if (metadata.size() != 1)
    throw NotRecognised(metadata.empty()
                            ? "a Gradescope export has a file submission_metadata.yml, and this has none"
                            : "this has two files submission_metadata.yml");
  const std::string root = metadata.front()->path.substr(0, metadata.front()->path.size() - kMetadata.size());
  std::vector<GradescopeSubmission> submissions;
  try {
    submissions = read_gradescope_metadata(download_text(*metadata.front()));
  } catch (const TableError& error) {
    throw NotRecognised(error.what());
  } catch (const storage::FileError& error) {
    throw NotRecognised(error.what());
  }
  std::map<std::string, Files> of_folder;
  for (const DownloadFile& file : download->files) {
    if (&file == metadata.front()) continue;
    const std::string_view path = std::string_view(file.path).substr(root.size());
    of_folder[std::string(top_of(path))].emplace_back(&file, std::string(below_top(path)));
  }
  for (const GradescopeSubmission& submission : submissions) {
    const auto folder = of_folder.find(submission.folder);
    if (!submission.problem.empty()) {
      result.problems.push_back(fmt::format("{} of {} {}: none of it is graded", shown(submission.folder),
                                            kMetadata, submission.problem));
    } else {
      const auto time = seconds_of_time(submission.created_at);
      if (!time && !submission.created_at.empty())
        result.problems.push_back(fmt::format("{} has a time that cannot be read: {}",
                                              shown(submission.folder), shown(submission.created_at)));
      result.works.push_back(
          {.place = submission.folder,
           .people = submission.submitters,
           .read = [download, &names, time, files = folder == of_folder.end() ? Files() : folder->second] {
             Entry entry = read_files(files, names);
             for (auto& [exercise, hand_in] : entry.hand_ins) hand_in.time = time;
             return entry;
           }});
    }
    if (folder != of_folder.end()) of_folder.erase(folder);
  }
  for (const auto& [folder, files] : of_folder)
    result.problems.push_back(
        fmt::format("{} is not in {}: nobody knows whose it is", shown(folder), kMetadata));
  return result;
}

ClassWork moodle_work(const std::shared_ptr<const Download>& download, const FileNames& names) {
  ClassWork result{.system = System::moodle};
  std::map<std::string, Files> of_prefix;
  std::map<std::string, Person> people;
  std::set<std::string> strangers;
  for (const DownloadFile& file : download->files) {
    const bool is_in_folder = file.path.find('/') != std::string::npos;
    const auto name = moodle_name(top_of(file.path));
    if (!name || (!is_in_folder && name->file.empty())) {
      strangers.insert(std::string(top_of(file.path)));
      continue;
    }
    const std::string prefix(name->prefix);
    people[prefix] = {.name = std::string(name->name), .number = std::string(name->number)};
    Files& files = of_prefix[prefix];
    if (name->kind == "file")
      files.emplace_back(&file, is_in_folder ? std::string(below_top(file.path)) : name->file);
  }
  for (const std::string& stranger : strangers)
    result.problems.push_back(fmt::format("{} is of no participant of Moodle", shown(stranger)));
  for (const auto& [prefix, files] : of_prefix)
    result.works.push_back({.place = prefix,
                            .people = {people[prefix]},
                            .read = [download, &names, files = files] { return read_files(files, names); }});
  return result;
}

/// What one user handed in, oldest generation first: files that were handed in anew have numbers.
Entry read_generations(const std::map<std::uint64_t, Files>& generations, bool is_late,
                       const FileNames& names) {
  Entry whole;
  for (const auto& [number, files] : generations) {
    Entry entry = read_files(files, names);
    for (auto& [exercise, text] : entry.files) {
      HandIn hand_in = entry.hand_ins[exercise];
      hand_in.is_marked_late = is_late;
      if (const auto before = whole.files.find(exercise); before != whole.files.end())
        whole.earlier[exercise].push_back({std::move(before->second), whole.hand_ins[exercise]});
      whole.files[exercise] = std::move(text);
      whole.hand_ins[exercise] = hand_in;
      whole.refused.erase(exercise);
    }
    for (auto& [exercise, why] : entry.refused) {
      whole.files.erase(exercise);
      whole.refused[exercise] = why;
    }
    whole.problems.insert(whole.problems.end(), entry.problems.begin(), entry.problems.end());
    whole.unknown.merge(entry.unknown);
  }
  return whole;
}

ClassWork canvas_work(const std::shared_ptr<const Download>& download, const FileNames& names) {
  ClassWork result{.system = System::canvas};
  struct User {
    Person person;
    bool is_late = false;
    std::map<std::uint64_t, Files> generations;
    std::map<std::string, std::map<std::uint64_t, std::uint64_t>> attachments;  ///< of a name, by generation
    std::string problem;
  };
  std::map<std::string, User> users;
  for (const DownloadFile& file : download->files) {
    const auto name = canvas_name(file.path);
    if (!name || file.path.find('/') != std::string::npos) {
      result.problems.push_back(fmt::format("{} is of no user of Canvas", shown(file.path)));
      continue;
    }
    User& user = users[std::string(name->user)];
    const bool is_first = user.generations.empty();
    if (!is_first && user.is_late != name->is_late)
      user.problem = "is marked as late in one file and not in another";
    if (!is_first && user.person.run_together != name->name) user.problem = "has two names";
    user.person = {.run_together = std::string(name->name), .number = std::string(name->user)};
    user.is_late = name->is_late;
    auto [plain, number] = without_number(name->file, names);
    const auto attachment = number_of(name->attachment);
    auto& attachments = user.attachments[plain];
    // Canvas numbers attachments as they come.
    for (const auto& [other, of_other] : attachments)
      if ((other < number && of_other > attachment) || (other > number && of_other < attachment))
        user.problem = fmt::format("has files {} of which it is not clear which is the newest", shown(plain));
    attachments[number] = std::max(attachments[number], attachment);
    user.generations[number].emplace_back(&file, plain);
  }
  for (const auto& [number, user] : users)
    result.works.push_back(
        {.place = number, .people = {user.person}, .read = [download, &names, user = user] {
           if (user.problem.empty()) return read_generations(user.generations, user.is_late, names);
           return Entry{.problems = {user.problem}};
         }});
  return result;
}

/// Entries that lie in an archive: what stands first in a path is the student's id.
ClassWork entries_work(const std::shared_ptr<const Download>& download, const FileNames& names) {
  ClassWork result;
  std::map<std::string, std::map<std::string, Files>> of_student;  // by the entry's name
  for (const DownloadFile& file : download->files) {
    const std::string top(top_of(file.path));
    const bool is_in_folder = top.size() != file.path.size();
    if (!is_in_folder && !is_archive(top)) {
      result.problems.push_back(
          fmt::format("{} is neither a folder nor an archive that is known", shown(top)));
      continue;
    }
    const std::string student = is_in_folder ? top : top.substr(0, top.size() - archive_ending(top).size());
    of_student[student][top].emplace_back(&file, is_in_folder ? std::string(below_top(file.path)) : top);
  }
  for (const auto& [student, entries] : of_student) {
    if (entries.size() > 1) {
      result.problems.push_back(fmt::format("{} has handed in twice, {} and {}: none of it is graded",
                                            shown(student), shown(entries.begin()->first),
                                            shown(entries.rbegin()->first)));
      continue;
    }
    result.works.push_back(
        {.place = entries.begin()->first,
         .people = {{.id = student}},
         .read = [download, &names, files = entries.begin()->second] { return read_files(files, names); }});
  }
  return result;
}

ClassWork repositories_work(const fs::path& list, const FileNames& names) {
  ClassWork result{.system = System::git};
  try {
    for (const Repository& repository :
         read_repositories(storage::read_file(list), fs::absolute(list).parent_path()))
      result.works.push_back({.place = repository.url,
                              .people = {{.id = repository.id}},
                              .read = [repository, &names] { return read_repository(repository, names); }});
  } catch (const TableError& error) {
    throw NotRecognised(error.what());
  } catch (const storage::FileError& error) {
    throw NotRecognised(error.what());
  }
  return result;
}

ClassWork folder_work(const fs::path& path, const FileNames& names) {
  Found found = find_entries(path);
  ClassWork result{.problems = std::move(found.problems)};
  for (const EntryPath& entry : found.entries)
    result.works.push_back({.place = entry.path.filename().string(),
                            .people = {{.id = entry.student}},
                            .read = [=, &names] { return read_entry(entry, names); }});
  return result;
}

}  // namespace

std::string words_of(System system) {
  switch (system) {
    case System::entries:
      return "a folder of entries";
    case System::gradescope:
      return "a Gradescope export";
    case System::moodle:
      return "a Moodle download";
    case System::canvas:
      return "a Canvas download";
    case System::git:
      return "a list of Git repositories";
  }
  return "";
}

ClassWork find_work(const fs::path& path, std::optional<System> system, const FileNames& names) {
  std::error_code vanished;
  const bool is_folder = fs::is_directory(path, vanished);
  if (!is_folder && (system == System::git || (!system && path.extension() == ".csv")))
    return repositories_work(path, names);
  if (system == System::git) throw NotRecognised("a list of repositories is a file");
  if (!is_folder && !is_archive(path.filename().string()))
    throw NotRecognised(
        "it is neither a folder, nor an archive that is known, nor a list of repositories (.csv)");
  std::optional<System> kind = system;
  if (is_folder && !kind) kind = recognised(top_of_download(path));
  if (is_folder && kind == System::entries) return folder_work(path, names);
  const auto download = std::make_shared<Download>(open_download(path));
  if (!download->failure.empty()) throw NotRecognised(download->failure);
  if (!kind) kind = recognised(*download);
  ClassWork result = kind == System::gradescope ? gradescope_work(download, names)
                     : kind == System::moodle   ? moodle_work(download, names)
                     : kind == System::canvas   ? canvas_work(download, names)
                                                : entries_work(download, names);
  result.problems.insert(result.problems.end(), download->problems.begin(), download->problems.end());
  std::sort(result.problems.begin(), result.problems.end());
  return result;
}

}  // namespace lockstep::classroom
