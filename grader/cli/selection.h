// What a user named: exercises and submissions.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "course/catalogue.h"

namespace lockstep::cli {

/// The end of a sentence about a name that does not exist: "; did you mean …?", or which arguments of
/// ./lockstep show all names.
std::string suggestion(const std::string& given, const std::vector<std::string>& names,
                       const std::string& shows_all);

/// Whether a path is a folder or lies in it, wherever links lead.
bool is_below(const std::filesystem::path& path, const std::filesystem::path& folder);

/// Throws WrongUse where nothing is at the path, or where its name could pass for a line of a report.
void check_submission(const std::filesystem::path& path);

/// The exercise called `name`: topic, number or folder, or where its folder or file is. Throws WrongUse with
/// the nearest names.
const course::Exercise& select_exercise(const std::string& name);

/// The exercises called `names`, each once and in the course's order; all of them when no name is given.
std::vector<const course::Exercise*> select_exercises(const std::vector<std::string>& names);

/// Those that have a case study: a folder study/ beside their files.
std::vector<const course::Exercise*> exercises_with_study();

/// The name of the case of an exercise that is named so, or of which `name` is a part and of no other's.
/// `has_gpu`: whether those count that a GPU alone runs. Throws WrongUse with the names that there are.
std::string select_case(const course::Exercise& exercise, const std::string& name, bool has_gpu);

/// The same of the cases that `profile` runs, which are measured or wide. Throws WrongUse for another one.
std::string select_measured_case(const course::Exercise& exercise, const std::string& name);

/// The exercise in whose folder the program was started; null elsewhere.
const course::Exercise* exercise_here();

}  // namespace lockstep::cli
