// The exercises of the course, found in the folder tree: one exercises/NN-topic with a problem.cpp each.
//
// The topic names everything: folder 09-block-scan holds the exercise "block-scan", whose files are
// block_scan.h and block_scan.cu and whose function is block_scan. Where predictions are handed in, as in
// 03-predictions, the file is predictions.txt, and predictions.h declares the functions of kernels.cu.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "course/problem.h"

namespace lockstep::course {

struct Exercise {
  Problem problem;
  std::string folder_name;           ///< such as "05-transpose"
  std::filesystem::path root;        ///< the folder that holds exercises/: of the course, or a private one's
  std::string course_version;        ///< of a private course, PrivateCourse::version; empty in the tree
  std::filesystem::path folder;      ///< exercises/05-transpose of `root`
  std::filesystem::path own_folder;  ///< the same of the working copy; `folder` where there is none
  std::filesystem::path header;      ///< the interface, transpose.h
  std::filesystem::path starter;     ///< the file handed in, transpose.cu or predictions.txt, in own_folder
  std::filesystem::path broken;      ///< of a bug hunt: broken.cu, the starter as nobody edits it
  std::filesystem::path kernels;     ///< what predictions are about, kernels.cu; empty where there are none
  std::filesystem::path solutions;   ///< solutions/05-transpose; may be absent in a student's copy
  std::filesystem::path lecture;     ///< lectures/05-transpose.md, of all exercises of its number; a private
                                     ///< course without lectures has its task here
};

/// A folder elsewhere whose exercises join those of the tree. It has the same layout.
struct PrivateCourse {
  std::filesystem::path folder;  ///< absolute; holds exercises/ and solutions/
  std::string version;           ///< digest of its files, see cli/private_course.h
};

/// Loads the compiled problem.cpp files of a private course, built by cmake/course, so that they are in the
/// catalogue. Call it before anybody asks for that. Throws std::runtime_error where `module` cannot be
/// loaded.
void load_course(const PrivateCourse& course, const std::filesystem::path& module);

/// Where that module lies, below the folder of the course.
inline constexpr const char* kCourseModule = ".lockstep/build/lib/course.so";

/// All exercises in the order of their numbers. Throws std::logic_error, with every fault of every
/// problem.cpp, when one breaks a rule of problem_rules.h.
const std::vector<Exercise>& catalogue();

/// The exercise whose topic ("transpose"), number ("5", "05") or folder ("05-transpose") is `name`; null when
/// none. Of several with that number the first.
const Exercise* find_exercise(std::string_view name);

/// Root of the course's tree (the folder that holds exercises/), as configured or from LOCKSTEP_ROOT.
const std::filesystem::path& course_root();

/// The folder that holds the exercises/ in which the student works: the working copy that the working
/// directory lies in, as `lockstep new` makes one, or else the course.
const std::filesystem::path& work_folder();

/// The file by which a working copy is known, below its folder. Only that of the user who runs this counts.
inline constexpr const char* kWorkingCopyMark = ".lockstep/working-copy";

/// A path of the course or the working copy as its reader types it: from work_folder(), if it lies there.
std::string path_to_type(const std::filesystem::path& path);

/// Where progress, backups, a GPU's ceilings and compiled objects are kept: .lockstep in the working copy,
/// else in the course, or where that may only be read, such as an instructor's installation for all, a folder
/// for this course below the user's $XDG_STATE_HOME or ~/.local/state.
const std::filesystem::path& state_folder();

}  // namespace lockstep::course
