#include "course/signature.h"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>
#include <regex>
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

}  // namespace

std::string readable(std::string demangled) {
  // On x86-64 Linux size_t is unsigned long, and a demangler knows only the latter.
  static const std::pair<std::regex, const char*> kRewrites[] = {
      {std::regex("CUstream_st\\*"), "cudaStream_t"},
      {std::regex("unsigned long(?! long)"), "size_t"},
      {std::regex("([A-Za-z_][A-Za-z0-9_:]*( (char|short|int|long))*) const\\*"), "const $1*"},
  };
  for (const auto& [pattern, replacement] : kRewrites) {
    demangled = std::regex_replace(demangled, pattern, replacement);
  }
  return demangled;
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
