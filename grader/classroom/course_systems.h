// What a class handed in, wherever it comes from: a folder of entries, a download of Gradescope, Moodle or
// Canvas, or a list of Git repositories. Of each it says whose what is, and reads one person's work when it
// is asked.
//
// The systems choose the names of their downloads' files, except for what stands last in them, which students
// do:
//   Gradescope  submission_ID/…, with submission_metadata.yml beside them
//   Moodle      NAME_NUMBER_assignsubmission_file/… (before 3.11 with "_" at the end), or without folders
//               NAME_NUMBER_assignsubmission_file_FILE: mod/assign/classes/downloader.php in
//               https://github.com/moodle/moodle
//   Canvas      lastfirst[_LATE]_USER_ATTACHMENT_FILE[-N].cu, all in one folder: app/models/content_zipper.rb
//   in
//               https://github.com/instructure/canvas-lms, and -N where a file of that name was handed in
//               before
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "classroom/people.h"
#include "classroom/submissions.h"

namespace lockstep::classroom {

enum class System { entries, gradescope, moodle, canvas, git };

/// "a Gradescope export" and the like.
std::string words_of(System system);

/// Work of one person, or of a group that handed in together.
struct Work {
  std::string place;  ///< what the download calls it
  std::vector<Person> people;
  std::function<Entry()> read;  ///< what is wrong with it is said in the result; its student is empty
};

struct ClassWork {
  System system = System::entries;
  std::vector<Work> works;            ///< sorted by place
  std::vector<std::string> problems;  ///< of what belongs to nobody; printable
};

/// The path is not what it is said to be, or may be several things; what() is a sentence.
class NotRecognised : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Finds everybody's work. Where no `system` is said, names decide, and only where all of them agree: a
/// student cannot make one system's download another's. `names` outlive the result. Throws NotRecognised,
/// std::filesystem::filesystem_error where a folder cannot be read, std::system_error where no sandbox can be
/// started.
ClassWork find_work(const std::filesystem::path& path, std::optional<System> system, const FileNames& names);

}  // namespace lockstep::classroom
