#include "classroom/roster.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <set>
#include <utility>

#include "text/printable.h"
#include "text/shortened.h"

namespace lockstep::classroom {
namespace {

struct CsvRow {
  std::size_t line = 1;  ///< where it begins
  std::vector<std::string> fields;
};

/// Reads rows one after the other. A field in quotes may hold commas, line breaks and quotes, these twice.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  bool at_end() const { return at_ == text_.size(); }

  CsvRow next() {
    CsvRow row{.line = line_, .fields = {}};
    do row.fields.push_back(field());
    while (take(','));
    take('\r');
    if (!take('\n') && !at_end())
      throw RosterError(fmt::format("line {} of the roster goes on after a closing quote", line_));
    ++line_;
    return row;
  }

 private:
  bool take(char wanted) {
    if (at_end() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  std::string field() {
    if (take('"')) return quoted();
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string plain(text_.substr(at_, end - at_));
    at_ = end;
    return plain;
  }

  std::string quoted() {
    const std::size_t begin = line_;
    std::string contents;
    for (;; ++at_) {
      if (at_end()) throw RosterError(fmt::format("a quote in line {} of the roster does not end", begin));
      if (text_[at_] == '\n') ++line_;
      if (text_[at_] != '"') {
        contents += text_[at_];
      } else {
        ++at_;
        if (at_end() || text_[at_] != '"') return contents;
        contents += '"';
      }
    }
  }

  std::string_view text_;
  std::size_t at_ = 0, line_ = 1;
};

std::string trimmed(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  text.erase(text.find_last_not_of(" \t") + 1);
  return text;
}

/// Position of the column, or the number of columns.
std::size_t column_of(const CsvRow& header, std::string_view name) {
  const auto is_same = [name](const std::string& field) {
    std::string lower = trimmed(field);
    for (char& c : lower)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return lower == name;
  };
  return std::find_if(header.fields.begin(), header.fields.end(), is_same) - header.fields.begin();
}

}  // namespace

std::vector<Student> read_roster(std::string_view table) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (table.starts_with(kByteOrderMark)) table.remove_prefix(kByteOrderMark.size());
  CsvReader reader(table);
  if (reader.at_end()) throw RosterError("the roster is empty");
  const CsvRow header = reader.next();
  const std::size_t id_column = column_of(header, "id"), name_column = column_of(header, "name");
  if (id_column == header.fields.size())
    throw RosterError("the roster has no column \"id\": its first line names the columns, as in id,name");
  std::vector<Student> students;
  std::set<std::string> ids;
  while (!reader.at_end()) {
    const CsvRow row = reader.next();
    if (row.fields.size() == 1 && trimmed(row.fields.front()).empty()) continue;
    const auto field = [&](std::size_t column) {
      return column < row.fields.size() ? trimmed(row.fields[column]) : "";
    };
    Student student{.id = field(id_column), .name = field(name_column)};
    if (student.id.empty()) throw RosterError(fmt::format("line {} of the roster has no id", row.line));
    if (!ids.insert(student.id).second)
      throw RosterError(fmt::format("line {} of the roster has the id {} for the second time", row.line,
                                    text::shortened(text::printable(student.id))));
    students.push_back(std::move(student));
  }
  return students;
}

}  // namespace lockstep::classroom
