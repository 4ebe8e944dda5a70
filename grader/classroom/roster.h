// The class's list, a table whose first line names the columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "classroom/table.h"

namespace lockstep::classroom {

struct Student {
  std::string id, name;  ///< as the table has them
  std::string sid, email;
  std::string number;  ///< that a course system has for them, as Moodle's of a participant

  friend bool operator==(const Student&, const Student&) = default;
};

using RosterError = TableError;

/// Students in the table's order: the column `id` and, if there are such, `name`, `sid`, `email` and
/// `number`, in any case of letters; others are left out. Throws RosterError where there is no column `id`,
/// an id is empty or stands twice, or a quote does not end.
std::vector<Student> read_roster(std::string_view text);

}  // namespace lockstep::classroom
