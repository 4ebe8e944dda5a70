// Tables of comma-separated values (RFC 4180) that an instructor writes, whose first line names the columns.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::classroom {

/// A file is no such table; what() is a sentence that names the line.
class TableError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct TableRow {
  std::size_t line = 1;  ///< where it begins
  std::vector<std::string> fields;
};

struct Table {
  std::vector<std::string> columns;  ///< names in small letters
  std::vector<TableRow> rows;        ///< without empty lines

  bool has(std::string_view column) const;
  /// Empty where the row or the table has no such column.
  std::string field(const TableRow& row, std::string_view column) const;
};

/// Reads a table in UTF-8, with or without a byte-order mark; fields without the spaces around them. `what`
/// is its name in sentences. Throws TableError where it is empty or a quote does not end.
Table read_table(std::string_view text, std::string_view what);

}  // namespace lockstep::classroom
