#include "build/compiler_errors.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <vector>

#include "build/error_meanings.h"
#include "course/catalogue.h"
#include "course/similar_words.h"
#include "course/unqualified_name.h"
#include "text/shortened.h"
#include "text/words.h"

namespace lockstep::build {
namespace {

using text::find_word;

/// An error as the compiler reports it.
struct ReportedError {
  std::string file;
  unsigned line = 0;
  std::string message;
  unsigned led_from = 0;          ///< the submission's line that led into a header
  bool is_at_line_start = false;  ///< it marks the first character of its line
};

std::string_view take_line(std::string_view& text) {
  const std::string_view line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) lines.push_back(take_line(text));
  return lines;
}

/// `text` with every run of blanks as one, and none at its ends.
std::string squeezed(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c != ' ' || (!result.empty() && result.back() != ' ')) result += c;
  }
  while (result.ends_with(' ')) result.pop_back();
  return result;
}

/// The number that `text` begins with; 0 when it begins with none, or one that is no line's.
unsigned leading_number(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() ? number : 0;
}

/// What stands between the first `before` and the `behind` that follows it; empty when they are not there.
std::string_view between(std::string_view text, std::string_view before, std::string_view behind) {
  const std::size_t at = text.find(before);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + before.size());
  const std::size_t end = text.find(behind);
  return end == std::string_view::npos ? std::string_view{} : text.substr(0, end);
}

/// Places as the front ends write them: "FILE(LINE)" and "FILE:LINE:COLUMN".
void read_place(std::string_view place, ReportedError& reported) {
  const bool has_parentheses = place.ends_with(')');
  const std::size_t end = has_parentheses ? place.rfind('(') : place.find(':');
  if (end == std::string_view::npos) return;
  reported.file = place.substr(0, end);
  reported.line = leading_number(place.substr(end + 1));
}

/// The line as the beginning of an error; nothing when it is none.
std::optional<ReportedError> error_at(std::string_view line) {
  constexpr std::string_view kUndefined = "undefined reference to ";
  ReportedError reported;
  if (const std::size_t at = line.find(kUndefined); at != std::string_view::npos) {
    reported.message = squeezed(line.substr(at));
    return reported;
  }
  if (line.starts_with("ptxas ")) {
    reported.message = squeezed(line);
    const bool is_error = reported.message.find("error :") != std::string::npos ||
                          reported.message.find("fatal :") != std::string::npos;
    return is_error ? std::optional(reported) : std::nullopt;
  }
  for (const std::string_view word : {": error", ": fatal error"}) {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos || line.starts_with(' ')) continue;
    std::string_view message = line.substr(at + word.size());  // ": …", or " #20012-D: …"
    const std::size_t begin = message.find(": ");
    if (begin == std::string_view::npos) continue;
    read_place(line.substr(0, at), reported);
    reported.message = squeezed(message.substr(begin + 2));
    return reported;
  }
  return std::nullopt;
}

/// What the lines behind an error's first add to it. `before` is the line before `line`.
void read_further(std::string_view line, std::string_view before, std::string_view file_name,
                  ReportedError& reported) {
  constexpr std::string_view kAtLine = " at line ", kTypes = "argument types are: ", kBrace = "to match this";
  const std::size_t first = line.find_first_not_of(' ');
  if (const std::size_t at = line.rfind(kAtLine); at != std::string_view::npos && first > 0) {
    const std::string_view place = line.substr(at + kAtLine.size());
    const std::size_t of = place.find(" of ");
    const std::string_view file = of == std::string_view::npos ? reported.file : place.substr(of + 4);
    if (reported.led_from == 0 && file == file_name) reported.led_from = leading_number(place);
  } else if (first != std::string_view::npos && line.substr(first).starts_with(kTypes)) {
    reported.message += ' ' + squeezed(line);
  } else if (first != std::string_view::npos && line.substr(first) == "^") {
    reported.is_at_line_start = reported.is_at_line_start || before.find_first_not_of(' ') == first;
  } else if (reported.file.empty() && line.find(kBrace) != std::string_view::npos) {
    read_place(line.substr(0, line.find(": note")), reported);
  }
}

std::vector<ReportedError> errors_in(std::string_view output, std::string_view file_name) {
  constexpr std::size_t kMaxErrors = 200;
  std::vector<ReportedError> errors;
  std::string_view before;
  while (!output.empty()) {
    const std::string_view line = take_line(output);
    if (auto reported = error_at(line)) {
      if (errors.size() == kMaxErrors) break;
      errors.push_back(std::move(*reported));
    } else if (!errors.empty()) {
      read_further(line, before, file_name, errors.back());
    }
    before = line;
  }
  return errors;
}

unsigned line_at(std::string_view source, std::size_t position) {
  return 1 + static_cast<unsigned>(std::count(source.begin(), source.begin() + position, '\n'));
}

/// Where the brackets that begin at `begin` end, one past it.
std::size_t end_of_brackets(std::string_view source, std::size_t begin, char open, char close) {
  std::size_t depth = 0;
  for (std::size_t at = begin; at < source.size(); ++at) {
    if (source[at] == open) ++depth;
    if (source[at] == close && --depth == 0) return at + 1;
  }
  return source.size();
}

/// A function's definition in the source: where its name stands, and its body.
struct Definition {
  std::size_t name = std::string_view::npos, begin = 0, end = 0;
};

/// The first place where `name` is followed by parameters and a body; comments are not distinguished from
/// code.
Definition definition_of(std::string_view source, std::string_view name) {
  constexpr int kMaxUses = 100;
  std::size_t at = find_word(source, name);
  for (int use = 0; use < kMaxUses && at != std::string_view::npos; ++use) {
    const std::size_t open = source.find_first_not_of(" \n", at + name.size());
    if (open != std::string_view::npos && source[open] == '(') {
      const std::size_t behind = end_of_brackets(source, open, '(', ')');
      const std::size_t body = source.find_first_not_of(" \n", behind);
      if (body != std::string_view::npos && source[body] == '{')
        return {at, body, end_of_brackets(source, body, '{', '}')};
    }
    at = find_word(source, name, at + name.size());
  }
  return {};
}

/// The name of a function as the source has it: "step" of "lockstep::step(float, float)".
std::string_view last_name(std::string_view function) {
  function = function.substr(0, function.find('('));
  const std::size_t scope = function.rfind("::");
  return scope == std::string_view::npos ? function : function.substr(scope + 2);
}

/// The line in the submission of an error that a header has, and nothing leads to: the first use of the
/// standard library in the function that `message` names as the caller, or that function.
unsigned line_in_caller(std::string_view message, std::string_view source) {
  const std::size_t from = message.find(" from a ");
  if (from == std::string_view::npos) return 0;
  const Definition caller =
      definition_of(source, last_name(between(message.substr(from), "function(\"", "\")")));
  if (caller.name == std::string_view::npos) return 0;
  const std::size_t use = source.find("std::", caller.begin);
  return line_at(source, use < caller.end ? use : caller.name);
}

/// The line of an error for which the compiler names no place.
unsigned line_without_place(std::string_view message, std::string_view source) {
  if (const std::string_view name = last_name(between(message, "undefined reference to `", "'"));
      !name.empty()) {
    const std::size_t use = find_word(source, name);
    return use == std::string_view::npos ? 0 : line_at(source, use);
  }
  if (!message.starts_with("ptxas")) return 0;
  const std::string_view symbol = between(message, "function '", "'");
  const std::size_t at =
      symbol.empty() ? find_word(source, "asm") : find_word(source, course::unqualified_name(symbol));
  return at == std::string_view::npos ? 0 : line_at(source, at);
}

unsigned line_of(const ReportedError& reported, std::string_view source, std::string_view file_name) {
  if (reported.file == file_name) return reported.line;
  if (reported.led_from != 0) return reported.led_from;
  return reported.file.empty() ? line_without_place(reported.message, source)
                               : line_in_caller(reported.message, source);
}

/// The names that a program of CUDA may mean, besides its own.
const std::vector<std::string> kNamesOfCuda{"threadIdx",
                                            "blockIdx",
                                            "blockDim",
                                            "gridDim",
                                            "warpSize",
                                            "__syncthreads",
                                            "__syncwarp",
                                            "__threadfence",
                                            "__shfl_sync",
                                            "__shfl_up_sync",
                                            "__shfl_down_sync",
                                            "__shfl_xor_sync",
                                            "__ballot_sync",
                                            "__any_sync",
                                            "__all_sync",
                                            "__activemask",
                                            "__popc",
                                            "__ffs",
                                            "__ldg",
                                            "atomicAdd",
                                            "atomicMin",
                                            "atomicMax",
                                            "atomicCAS",
                                            "atomicExch",
                                            "cudaMemcpyAsync",
                                            "cudaMemsetAsync",
                                            "cudaGetLastError",
                                            "cudaMallocAsync",
                                            "cudaFreeAsync",
                                            "cudaFuncSetAttribute",
                                            "cudaStream_t",
                                            "cudaLaunchKernelEx",
                                            "CHECK_CUDA",
                                            "nullptr"};

/// "x is declared nowhere", with the names of the source and of CUDA that are like it.
std::string meaning_of_undeclared(std::string_view name, std::string_view source) {
  constexpr std::size_t kLongestName = 64, kMaxNames = 2000;
  std::set<std::string> names(kNamesOfCuda.begin(), kNamesOfCuda.end());
  for (std::size_t at = 0; at < source.size() && names.size() < kMaxNames;) {
    const std::size_t begin = static_cast<std::size_t>(
        std::find_if(source.begin() + at, source.end(), text::is_of_word) - source.begin());
    at = static_cast<std::size_t>(std::find_if_not(source.begin() + begin, source.end(), text::is_of_word) -
                                  source.begin());
    const std::string_view word = source.substr(begin, at - begin);
    if (word != name && word.size() <= kLongestName) names.emplace(word);
  }
  std::string like;
  if (name.size() <= kLongestName) {
    for (const std::string& one : course::similar_words(name, {names.begin(), names.end()}))
      like += (like.empty() ? " Did you mean " : " or ") + one;
  }
  return fmt::format("Nothing of the name {} is declared here.{}", text::shortened(name, kLongestName),
                     like.empty() ? " Is it misspelt, declared further down, or in a header that is not "
                                    "included?"
                                  : like + '?');
}

/// What a header that is missing means: another exercise's shows whose file this is.
std::string meaning_of_missing_header(std::string_view header) {
  for (const course::Exercise& exercise : course::catalogue()) {
    if (header != exercise.header.filename().string()) continue;
    return fmt::format(
        "{} is the interface of the exercise {}, so this is a file of that one: ./lockstep grade {} "
        "--submission FILE grades it.",
        header, exercise.problem.name, exercise.problem.name);
  }
  return "";
}

std::string meaning_of(const ReportedError& reported, std::string_view line, std::string_view source) {
  std::string meaning;
  const std::string_view message = reported.message;
  if (message.ends_with("\" is undefined"))
    meaning = meaning_of_undeclared(between(message, "identifier \"", "\""), source);
  if (const std::size_t end = message.find(": No such file or directory"); end != std::string_view::npos)
    meaning = meaning_of_missing_header(message.substr(0, end));
  return meaning.empty() ? build::meaning_of(message, line) : meaning;
}

/// The index of the error that a student fixes first.
std::size_t first_to_fix(const std::vector<ReportedError>& errors) {
  // Where a } is missing, what follows is taken amiss before that is said.
  const auto open_brace = std::find_if(errors.begin(), errors.end(), [](const ReportedError& reported) {
    return reported.message == "expected a \"}\"";
  });
  return open_brace == errors.end() ? 0 : static_cast<std::size_t>(open_brace - errors.begin());
}

}  // namespace

std::optional<CompilerError> first_error(std::string_view output, std::string_view source,
                                         std::string_view file_name) {
  const std::vector<ReportedError> errors = errors_in(output, file_name);
  if (errors.empty()) return std::nullopt;
  const ReportedError& first = errors[first_to_fix(errors)];
  const std::vector<std::string_view> lines = lines_of(source);
  const auto has_code = [&](unsigned number) {
    return lines[number - 1].find_first_not_of(" \t") != std::string_view::npos;
  };
  CompilerError error;
  error.message = text::shortened(first.message);
  error.line = line_of(first, source, file_name);
  if (error.line > lines.size()) error.line = 0;
  // What is missing at the end of a line is noticed at the beginning of the next.
  if (first.message == "expected a \";\"" && first.is_at_line_start) {
    unsigned before = error.line;
    while (before > 1 && !has_code(--before)) {
    }
    if (before > 0) error.line = before;
  }
  error.meaning = meaning_of(first, error.line == 0 ? "" : lines[error.line - 1], source);
  const bool is_elsewhere = error.line != 0 && !first.file.empty() && first.file != file_name;
  if (error.meaning.empty() && is_elsewhere) {
    error.meaning = fmt::format("This line leads into the header {}, of which the compiler says: {}.",
                                first.file.substr(first.file.rfind('/') + 1), error.message);
  }
  return error;
}

std::vector<CompilerError> further_errors(std::string_view output, std::string_view source,
                                          std::string_view file_name) {
  constexpr std::size_t kMaxFurther = 50;
  const std::vector<ReportedError> errors = errors_in(output, file_name);
  const std::size_t lines = lines_of(source).size();
  std::vector<CompilerError> further;
  for (std::size_t i = 0; i < errors.size() && further.size() < kMaxFurther; ++i) {
    if (i == first_to_fix(errors)) continue;
    const unsigned line = line_of(errors[i], source, file_name);
    if (line != 0 && line <= lines) further.push_back({line, text::shortened(errors[i].message), ""});
  }
  return further;
}

}  // namespace lockstep::build
