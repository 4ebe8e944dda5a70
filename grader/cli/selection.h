// The exercises that a user named.
#pragma once

#include <string>
#include <vector>

#include "course/catalogue.h"

namespace lockstep::cli {

/// The exercise called `name` (topic, number or folder). Throws WrongUse with the nearest names.
const course::Exercise& select_exercise(const std::string& name);

/// The exercises called `names`, each once and in the course's order; all of them when no name is given.
std::vector<const course::Exercise*> select_exercises(const std::vector<std::string>& names);

}  // namespace lockstep::cli
