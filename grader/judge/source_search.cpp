#include "judge/source_search.h"

#include <algorithm>
#include <cctype>
#include <regex>

#include "text/words.h"

namespace lockstep::judge {
namespace {

// A text may be written to be long to look through.
constexpr std::size_t kLongestStatement = 2000, kMaxStatements = 100, kMaxOccurrences = 1000;
constexpr std::uint32_t kMaxFunctionLines = 1000;  ///< of a function

using text::begins_word;

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

/// The statements from where `words` stand on, of those that `is_wanted` (a line's code and the position in
/// it).
template <class F>
std::vector<Statement> statements_at(const SourceText& source, std::string_view words, F is_wanted) {
  std::vector<Statement> statements;
  std::size_t occurrences = 0;
  for (std::uint32_t line = 1; line <= source.line_count(); ++line) {
    const std::string_view code = source.code(line);
    for (std::size_t at = 0; (at = code.find(words, at)) != std::string_view::npos; ++at) {
      if (++occurrences > kMaxOccurrences) return statements;
      if (!is_wanted(code, at)) continue;
      statements.push_back(statement_at(source, line, at));
      if (statements.size() == kMaxStatements) return statements;
    }
  }
  return statements;
}

bool ends_function(std::string_view code) { return code.starts_with('}'); }

/// The line that the function around a line begins at, or what stands between it and the one before.
std::uint32_t beginning_of_function(const SourceText& source, std::uint32_t line) {
  for (std::uint32_t looked_at = 0; line > 1 && looked_at < kMaxFunctionLines; ++looked_at, --line) {
    if (ends_function(source.code(line - 1))) break;
  }
  return line;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  return std::string(text.substr(begin, text.find_last_not_of(" \t") + 1 - begin));
}

/// Whether a name, in lower case, says that it counts threads, or blocks.
bool is_named(const std::string& argument, std::string_view one, std::string_view other) {
  std::string name;
  for (const char c : argument) {
    if (!text::is_of_word(c)) return false;
    name += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return name.find(one) != std::string::npos && name.find(other) == std::string::npos;
}

}  // namespace

std::string searchable(std::string_view code) {
  constexpr std::size_t kLongest = 1000;
  return std::string(code.substr(0, kLongest));
}

std::vector<Statement> launches_of(const SourceText& source, std::string_view kernel) {
  if (kernel.empty()) return {};
  return statements_at(source, "<<<", [kernel](std::string_view code, std::size_t at) {
    const std::size_t begin = at - std::min(at, kLongestStatement);
    return ends_in_word(without_arguments(code.substr(begin, at - begin)), kernel);
  });
}

std::vector<Statement> launches_of(const SourceText& source) {
  return statements_at(source, "<<<", [](std::string_view, std::size_t) { return true; });
}

std::vector<std::string> launch_arguments(const Statement& launch) {
  constexpr std::string_view kBegin = "<<<";
  const std::string_view text = launch.text;
  std::vector<std::string> arguments;
  std::size_t first = text.find(kBegin);
  if (first == std::string_view::npos) return arguments;
  first += kBegin.size();
  int open = 0;
  for (std::size_t at = first; at < text.size(); ++at) {
    const bool ends = text.substr(at).starts_with(">>>");
    if (ends || (text[at] == ',' && open == 0)) {
      arguments.push_back(trimmed(text.substr(first, at - first)));
      first = at + 1;
    }
    if (ends) break;
    open += (text[at] == '(' || text[at] == '{') - (text[at] == ')' || text[at] == '}');
  }
  return arguments;
}

bool exchanges_its_arguments(const Statement& launch) {
  const std::vector<std::string> arguments = launch_arguments(launch);
  return arguments.size() >= 2 && is_named(arguments[0], "thread", "block") &&
         is_named(arguments[1], "blocks", "thread");
}

std::vector<std::string> stream_parameters(const SourceText& source) {
  static const std::regex kParameter(R"(\bcudaStream_t\s+(\w+)\s*[,)])");
  std::vector<std::string> names;
  for (std::uint32_t line = 1; line <= source.line_count() && names.size() < kMaxStatements; ++line) {
    const std::string code = searchable(source.code(line));
    for (std::sregex_iterator match(code.begin(), code.end(), kParameter); match != std::sregex_iterator();
         ++match)
      names.push_back((*match)[1]);
  }
  return names;
}

std::vector<Statement> calls_of(const SourceText& source, std::string_view beginning) {
  return statements_at(source, beginning, begins_word);
}

bool has_word(std::string_view text, std::string_view word) {
  return text::find_word(text, word) != std::string_view::npos;
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
  const std::string line = searchable(code);
  std::smatch parts;
  return std::regex_search(line, kStep) ||
         (std::regex_search(line, parts, kAssignment) && !has_word(parts[2].str(), parts[1].str()));
}

std::string function_around(const SourceText& source, std::uint32_t line) {
  if (line > source.line_count()) return "";
  const std::uint32_t first = beginning_of_function(source, line);
  const std::uint32_t end = std::min(source.line_count(), first + 2 * kMaxFunctionLines);
  std::string function;
  for (std::uint32_t k = first; k <= end; ++k) {
    function += source.code(k);
    function += '\n';
    if (k >= line && ends_function(source.code(k))) break;
  }
  return function;
}

std::vector<std::string> references_of_kernel(const SourceText& source, std::uint32_t line) {
  static const std::regex kReference(R"(&\s*(\w+)\s*[,)])");
  std::string head = function_around(source, line);
  head.resize(std::min(head.size(), head.find('{')));
  const std::size_t kernel = head.find("__global__");
  if (kernel == std::string::npos) return {};
  head = searchable(std::string_view(head).substr(kernel));
  std::vector<std::string> names;
  for (std::sregex_iterator match(head.begin(), head.end(), kReference); match != std::sregex_iterator();
       ++match)
    names.push_back((*match)[1]);
  return names;
}

std::uint32_t return_before_barrier(const SourceText& source, std::uint32_t line) {
  if (function_around(source, line).find("__global__") == std::string::npos) return 0;
  for (std::uint32_t k = beginning_of_function(source, line); k < line; ++k) {
    if (has_word(source.code(k), "return")) return lines_between(source, k, line).barrier != 0 ? k : 0;
  }
  return 0;
}

bool is_behind_last_fence(const SourceText& source, std::uint32_t line) {
  std::uint32_t last = 0;
  for (std::uint32_t k = beginning_of_function(source, line); k <= source.line_count(); ++k) {
    if (source.code(k).find("__threadfence(") != std::string_view::npos) last = k;
    if (ends_function(source.code(k))) break;
  }
  return last != 0 && last < line;
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
