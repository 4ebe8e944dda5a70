#include "classroom/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace lockstep::classroom {
namespace {

/// Reads rows one after the other. A field in quotes may hold commas, line breaks and quotes, these twice.
class CsvReader {
 public:
  CsvReader(std::string_view text, std::string_view what) : text_(text), what_(what) {}

  bool at_end() const { return at_ == text_.size(); }

  TableRow next() {
    TableRow row{.line = line_, .fields = {}};
    do row.fields.push_back(field());
    while (take(','));
    take('\r');
    if (!take('\n') && !at_end())
      throw TableError(fmt::format("line {} of the {} goes on after a closing quote", line_, what_));
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
      if (at_end()) throw TableError(fmt::format("a quote in line {} of the {} does not end", begin, what_));
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

  std::string_view text_, what_;
  std::size_t at_ = 0, line_ = 1;
};

std::string trimmed(std::string text) {
  text.erase(0, std::min(text.find_first_not_of(" \t"), text.size()));
  text.erase(text.find_last_not_of(" \t") + 1);
  return text;
}

std::string lower_case(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

}  // namespace

Table read_table(std::string_view text, std::string_view what) {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  CsvReader reader(text, what);
  if (reader.at_end()) throw TableError(fmt::format("the {} is empty", what));
  Table table;
  for (const std::string& name : reader.next().fields) table.columns.push_back(lower_case(trimmed(name)));
  while (!reader.at_end()) {
    TableRow row = reader.next();
    for (std::string& field : row.fields) field = trimmed(field);
    if (row.fields.size() > 1 || !row.fields.front().empty()) table.rows.push_back(std::move(row));
  }
  return table;
}

bool Table::has(std::string_view column) const {
  return std::find(columns.begin(), columns.end(), column) != columns.end();
}

std::string Table::field(const TableRow& row, std::string_view column) const {
  const auto at =
      static_cast<std::size_t>(std::find(columns.begin(), columns.end(), column) - columns.begin());
  return at < row.fields.size() ? row.fields[at] : "";
}

}  // namespace lockstep::classroom
