// The class's list, a table of comma-separated values (RFC 4180) whose first line names the columns.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::classroom {

struct Student {
  std::string id, name;  ///< as the table has them

  friend bool operator==(const Student&, const Student&) = default;
};

/// A table is no roster; what() is a sentence that names the line.
class RosterError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Students in the table's order: the columns `id` and, if there is one, `name`, in any case of letters;
/// others are left out, as are empty lines. UTF-8, with or without a byte-order mark. Throws RosterError
/// where there is no column `id`, an id is empty or stands twice, or a quote does not end.
std::vector<Student> read_roster(std::string_view table);

}  // namespace lockstep::classroom
