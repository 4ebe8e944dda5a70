#include "emulator/cudart/library/runtime_names.h"

#include <algorithm>
#include <iterator>

namespace lockstep::emulator::cudart::library {

namespace {

// Ascending codes.
constexpr ErrorText kErrorTexts[] = {
#include "error_table.inc"
};

constexpr std::string_view kFunctions[] = {
#include "function_names.inc"
};

}  // namespace

const ErrorText* error_text(int code) {
  const auto* found = std::ranges::lower_bound(kErrorTexts, code, {}, &ErrorText::code);
  return found != std::end(kErrorTexts) && found->code == code ? found : nullptr;
}

bool is_runtime_function(std::string_view name) {
  return std::ranges::find(kFunctions, name) != std::end(kFunctions);
}

}  // namespace lockstep::emulator::cudart::library
