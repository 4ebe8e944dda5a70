#include "cli/selection.h"

#include <algorithm>
#include <set>

#include "cli/command.h"
#include "report/printable.h"

namespace lockstep::cli {

const course::Exercise& select_exercise(const std::string& name) {
  if (const course::Exercise* exercise = course::find_exercise(name)) return *exercise;
  std::string message = "there is no exercise \"" + report::printable(name) + "\"";
  const std::vector<std::string> similar = course::similar_names(name);
  for (std::size_t i = 0; i < similar.size(); ++i)
    message += (i == 0 ? "; did you mean " : " or ") + similar[i];
  throw WrongUse(message + (similar.empty() ? ". ./lockstep list shows them all." : "?"));
}

std::vector<const course::Exercise*> select_exercises(const std::vector<std::string>& names) {
  std::set<const course::Exercise*> wanted;
  for (const std::string& name : names) wanted.insert(&select_exercise(name));
  std::vector<const course::Exercise*> selected;
  for (const course::Exercise& exercise : course::catalogue()) {
    if (names.empty() || wanted.contains(&exercise)) selected.push_back(&exercise);
  }
  return selected;
}

}  // namespace lockstep::cli
