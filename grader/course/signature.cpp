#include "course/signature.h"

#include <cxxabi.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <utility>

namespace lockstep::course {
namespace {

std::string demangled(const char* encoding) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(
      abi::__cxa_demangle(encoding, nullptr, nullptr, &status), &std::free);
  if (status != 0) throw std::logic_error("abi::__cxa_demangle refuses \"" + std::string(encoding) + "\"");
  return text.get();
}

// The text may be a submission's, of any length: everything below takes one step a character.

/// `text` with `by` wherever `what` is, but not before `exception`.
std::string replaced(std::string_view text, std::string_view what, std::string_view by,
                     std::optional<std::string_view> exception = {}) {
  std::string result;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what)) {
    result.append(text.substr(0, at));
    text.remove_prefix(at + what.size());
    result.append(exception && text.starts_with(*exception) ? what : by);
  }
  return result.append(text);
}

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_in_name(char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == ':'; }

/// Where the type begins that `text` ends in: a name, and after it any of the words of a built-in type. The
/// end of the text when there is none.
std::size_t begin_of_last_type(std::string_view text) {
  constexpr std::array<std::string_view, 4> kLaterWords = {"char", "short", "int", "long"};
  std::size_t begin = text.size();
  while (true) {
    std::size_t word = begin;
    while (word > 0 && is_in_name(text[word - 1])) --word;
    const bool may_follow = std::find(kLaterWords.begin(), kLaterWords.end(),
                                      text.substr(word, begin - word)) != kLaterWords.end();
    if (may_follow && word > 1 && text[word - 1] == ' ' && is_in_name(text[word - 2])) {
      begin = word - 1;
      continue;
    }
    while (word < begin && !is_letter(text[word])) ++word;
    return word < begin ? word : text.size();
  }
}

/// "float const*" as "const float*".
std::string with_const_in_front(std::string_view text) {
  constexpr std::string_view kConst = " const*";
  std::string result;
  for (std::size_t at = text.find(kConst); at != std::string_view::npos; at = text.find(kConst)) {
    const std::string_view before = text.substr(0, at);
    const std::size_t type = begin_of_last_type(before);
    result.append(before.substr(0, type));
    if (type == at) {
      result.append(kConst);
    } else {
      result.append("const ").append(before.substr(type)).append("*");
    }
    text.remove_prefix(at + kConst.size());
  }
  return result.append(text);
}

}  // namespace

std::string readable(std::string_view demangled) {
  // On x86-64 Linux size_t is unsigned long, and a demangler knows only the latter.
  std::string text = replaced(demangled, "CUstream_st*", "cudaStream_t");
  text = replaced(text, "unsigned long", "size_t", " long");
  return with_const_in_front(text);
}

namespace detail {

Signature make_signature(std::string name, const char* arguments_type, const char* result_type,
                         ValueKind result, std::vector<Parameter> parameters) {
  // A function type is encoded as F <result> <parameters> E; here the result is void, "v".
  const std::string_view encoding(arguments_type);
  if (!encoding.starts_with("Fv") || !encoding.ends_with("E")) {
    throw std::logic_error("\"" + std::string(encoding) + "\" does not encode void(...)");
  }
  const std::string_view parameter_encoding = encoding.substr(2, encoding.size() - 3);
  Signature signature;
  signature.linker_name = "_Z" + std::to_string(name.size()) + name + std::string(parameter_encoding);
  signature.declaration = readable(demangled(result_type) + " " + demangled(signature.linker_name.c_str()));
  signature.name = std::move(name);
  signature.result = result;
  signature.parameters = std::move(parameters);
  return signature;
}

}  // namespace detail
}  // namespace lockstep::course
