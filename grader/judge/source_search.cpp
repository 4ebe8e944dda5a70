#include "judge/source_search.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace lockstep::judge {
namespace {

// A text may be written to be long to look through.
constexpr std::size_t kLongestStatement = 2000, kMostStatements = 100, kMostPlaces = 1000;
constexpr std::uint32_t kMostLines = 1000;  ///< of a function

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

bool begins_word(std::string_view text, std::size_t at) { return at == 0 || !is_of_word(text[at - 1]); }

/// `text` without spaces at its end, and without template arguments before them.
std::string_view without_arguments(std::string_view text) {
  const auto trim = [&] { text = text.substr(0, text.find_last_not_of(" \t") + 1); };
  trim();
  if (!text.ends_with('>')) return text;
  int open = 0;
  for (std::size_t at = text.size(); at-- > 0;) {
    if (text[at] == '>') ++open;
    if (text[at] == '<' && --open == 0) {
      text = text.substr(0, at);
      break;
    }
  }
  trim();
  return text;
}

bool ends_in_word(std::string_view text, std::string_view word) {
  return text.ends_with(word) && begins_word(text, text.size() - word.size());
}

Statement statement_at(const SourceText& source, std::uint32_t line, std::size_t column) {
  Statement statement{line, std::string(source.code(line).substr(column, kLongestStatement))};
  while (statement.text.find(';') == std::string::npos && statement.text.size() < kLongestStatement &&
         ++line <= source.line_count()) {
    statement.text += source.code(line).substr(0, kLongestStatement);
  }
  statement.text.resize(std::min(statement.text.size(), statement.text.find(';')));
  return statement;
}

/// The statements from where `words` stand on, of those that `is_wanted` (a line's code and the place in it).
template <class F>
std::vector<Statement> statements_at(const SourceText& source, std::string_view words, F is_wanted) {
  std::vector<Statement> statements;
  std::size_t places = 0;
  for (std::uint32_t line = 1; line <= source.line_count(); ++line) {
    const std::string_view code = source.code(line);
    for (std::size_t at = 0; (at = code.find(words, at)) != std::string_view::npos; ++at) {
      if (++places > kMostPlaces) return statements;
      if (!is_wanted(code, at)) continue;
      statements.push_back(statement_at(source, line, at));
      if (statements.size() == kMostStatements) return statements;
    }
  }
  return statements;
}

bool ends_function(std::string_view code) { return code.starts_with('}'); }

}  // namespace

std::vector<Statement> launches_of(const SourceText& source, std::string_view kernel) {
  if (kernel.empty()) return {};
  return statements_at(source, "<<<", [kernel](std::string_view code, std::size_t at) {
    const std::size_t begin = at - std::min(at, kLongestStatement);
    return ends_in_word(without_arguments(code.substr(begin, at - begin)), kernel);
  });
}

std::vector<Statement> calls_of(const SourceText& source, std::string_view beginning) {
  return statements_at(source, beginning, begins_word);
}

bool has_word(std::string_view text, std::string_view word) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string_view::npos; ++at) {
    const std::size_t end = at + word.size();
    if (begins_word(text, at) && (end == text.size() || !is_of_word(text[end]))) return true;
  }
  return false;
}

bool mentions(const SourceText& source, std::string_view text) {
  for (std::uint32_t line = 1; line <= source.line_count(); ++line) {
    if (source.code(line).find(text) != std::string_view::npos) return true;
  }
  return false;
}

bool updates_an_element(std::string_view code) {
  static const std::regex kStep(R"(\]\s*(\+\+|--)|(\+\+|--)\s*\w+\[)");
  static const std::regex kAssignment(R"((\w+)\[[^;=]*\]\s*[-+*&|^]=([^;]*))");
  constexpr std::size_t kLongest = 300;  // a regular expression takes stack for every character
  const std::string line(code.substr(0, kLongest));
  std::smatch parts;
  return std::regex_search(line, kStep) ||
         (std::regex_search(line, parts, kAssignment) && !has_word(parts[2].str(), parts[1].str()));
}

std::string function_around(const SourceText& source, std::uint32_t line) {
  if (line > source.line_count()) return "";
  std::uint32_t first = line;
  for (std::uint32_t looked_at = 0; first > 1 && looked_at < kMostLines; ++looked_at, --first) {
    if (ends_function(source.code(first - 1))) break;
  }
  const std::uint32_t end = std::min(source.line_count(), first + 2 * kMostLines);
  std::string function;
  for (std::uint32_t k = first; k <= end; ++k) {
    function += source.code(k);
    function += '\n';
    if (k >= line && ends_function(source.code(k))) break;
  }
  return function;
}

LinesBetween lines_between(const SourceText& source, std::uint32_t first, std::uint32_t last) {
  const std::uint32_t end = std::min(last, source.line_count() + 1);
  for (std::uint32_t line = first; line < end; ++line) {
    const std::string_view code = source.code(line);
    if (ends_function(code)) return {.in_one_function = false};
    for (const char* barrier : {"__syncthreads", ".sync()", "cg::sync("}) {
      if (code.find(barrier) != std::string_view::npos) return {.barrier = line};
    }
  }
  return {};
}

}  // namespace lockstep::judge
