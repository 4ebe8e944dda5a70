#include "classroom/roster.h"

#include <fmt/format.h>

#include <set>
#include <utility>

#include "text/printable.h"
#include "text/shortened.h"

namespace lockstep::classroom {

std::vector<Student> read_roster(std::string_view text) {
  const Table table = read_table(text, "roster");
  if (!table.has("id"))
    throw RosterError("the roster has no column \"id\": its first line names the columns, as in id,name");
  std::vector<Student> students;
  std::set<std::string> ids;
  for (const TableRow& row : table.rows) {
    Student student{.id = table.field(row, "id"),
                    .name = table.field(row, "name"),
                    .sid = table.field(row, "sid"),
                    .email = table.field(row, "email"),
                    .number = table.field(row, "number")};
    if (student.id.empty()) throw RosterError(fmt::format("line {} of the roster has no id", row.line));
    if (!ids.insert(student.id).second)
      throw RosterError(fmt::format("line {} of the roster has the id {} for the second time", row.line,
                                    text::shortened(text::printable(student.id))));
    students.push_back(std::move(student));
  }
  return students;
}

}  // namespace lockstep::classroom
