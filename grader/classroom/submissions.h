// What a class handed in: a folder with an entry for each student, which is a folder or an archive. The
// entry's name, without an archive's ending, is the student's id.
//
// Entries are strangers' work. No link is followed, nothing is unpacked to a disk: files come back as text,
// and only those that bear the name of an exercise's file.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "classroom/entry_limits.h"
#include "classroom/hand_in.h"
#include "course/catalogue.h"

namespace lockstep::classroom {

/// By which names files are known, at any depth of an entry.
struct FileNames {
  std::map<std::string, std::string> wanted;  ///< name of a file, such as transpose.cu, to its exercise
  std::set<std::string> others;               ///< of the course as well, and not graded now
};

/// Those of the course, of which `exercises` are graded.
FileNames file_names(const std::vector<const course::Exercise*>& exercises);

/// The names of files that are wanted.
std::vector<std::string> wanted_names(const FileNames& names);

/// A file that was handed in before the one that counts.
struct Attempt {
  std::string text;
  HandIn hand_in;
};

/// One student's entry, read.
struct Entry {
  std::string student;                         ///< any bytes that a file's name may have
  std::map<std::string, std::string> files;    ///< exercise to the text that was handed in
  std::vector<std::string> problems;           ///< sentences for the instructor, printable
  std::map<std::string, std::string> refused;  ///< exercise to why what was handed in is not graded
  std::set<std::string> unknown;               ///< names of .cu files that no exercise has, printable
  std::map<std::string, HandIn> hand_ins;      ///< of files, by exercise
  std::map<std::string, std::vector<Attempt>> earlier;  ///< by exercise, oldest first
};

/// A path below the folder of submissions, and the student whose it is.
struct EntryPath {
  std::string student;
  std::filesystem::path path;
};

struct Found {
  std::vector<EntryPath> entries;     ///< sorted by student
  std::vector<std::string> problems;  ///< of what is no entry, or stands for a student twice; printable
};

/// Entries of the folder, without those whose names begin with a dot. Two entries of one student are a
/// problem, and neither is among the entries. Throws std::filesystem::filesystem_error where it cannot be
/// read.
Found find_entries(const std::filesystem::path& folder);

/// Reads a folder or an archive. What is wrong with it is said in the result.
Entry read_entry(const EntryPath& entry, const FileNames& names, const EntryLimits& limits = {});

}  // namespace lockstep::classroom
