#include "judge/shown_call.h"

#include <algorithm>

#include "judge/element.h"

namespace lockstep::judge {
namespace {

using course::Argument;
using course::ElementType;
using result::ShownArgument;

constexpr std::size_t kShownWhole = 64, kShownOfMore = 16;  // numbers

const char* name_of(ElementType type) {
  switch (type) {
    case ElementType::u8:
      return "unsigned char";
    case ElementType::i32:
      return "int";
    case ElementType::u32:
      return "unsigned";
    case ElementType::i64:
      return "long long";
    case ElementType::u64:
      return "unsigned long long";
    case ElementType::f32:
      return "float";
    case ElementType::f64:
      return "double";
    case ElementType::bf16:
      return "bfloat16";
  }
  return "";
}

std::size_t shown_of(std::size_t numbers) { return numbers <= kShownWhole ? numbers : kShownOfMore; }

/// Each as the float whose upper half it is. Memory holds the lower half first.
course::Bytes widened(std::span<const std::byte> bytes) {
  course::Bytes floats;
  for (std::size_t i = 0; i + 1 < bytes.size(); i += 2)
    floats.insert(floats.end(), {std::byte{0}, std::byte{0}, bytes[i], bytes[i + 1]});
  return floats;
}

std::vector<std::string> first_numbers(ElementType type, std::span<const std::byte> bytes, bool are_found) {
  if (type == ElementType::bf16) return first_numbers(ElementType::f32, widened(bytes), are_found);
  return with_element_type(type, [&](auto number) {
    using T = decltype(number);
    std::vector<std::string> texts;
    const bool has_sums = are_found && holds_sums_of_uninitialised<T>(bytes);
    for (std::size_t i = 0; i < shown_of(element_count<T>(bytes)); ++i)
      texts.push_back(are_found ? found_text<T>(bytes, i, has_sums) : element_text<T>(bytes, i));
    return texts;
  });
}

std::size_t bytes_of_type(ElementType type) {
  if (type == ElementType::bf16) return 2;
  return with_element_type(type, [](auto number) { return sizeof number; });
}

ShownArgument shown(const Argument& argument, ShownArgument::Kind kind, course::Elements elements,
                    std::span<const std::byte> bytes) {
  return {.kind = kind,
          .name = argument.name,
          .type = name_of(elements.type),
          .size = bytes.size() / (bytes_of_type(elements.type) * elements.fields),
          .fields = elements.fields,
          .values = first_numbers(elements.type, bytes, false),
          .found = {}};
}

}  // namespace

result::ShownCall shown_call(const course::Call& call) {
  result::ShownCall result;
  for (const Argument& argument : call.arguments()) {
    switch (argument.kind) {
      case Argument::Kind::scalar: {
        const auto bits = std::as_bytes(std::span(&argument.scalar_bits, 1));
        result.arguments.push_back(shown(argument, ShownArgument::Kind::scalar, argument.elements,
                                         bits.first(bytes_of_type(argument.elements.type))));
        break;
      }
      case Argument::Kind::input:
        result.arguments.push_back(
            shown(argument, ShownArgument::Kind::input, argument.elements, argument.input));
        break;
      case Argument::Kind::output:
        result.arguments.push_back(
            shown(argument, ShownArgument::Kind::output, {argument.output.type}, argument.output.expected));
        break;
      case Argument::Kind::workspace:
      case Argument::Kind::stream:
        break;
    }
  }
  return result;
}

void show_output(const Argument& argument, std::span<const std::byte> found, result::ShownCall& shown) {
  const auto output =
      std::find_if(shown.arguments.begin(), shown.arguments.end(), [&](const ShownArgument& one) {
        return one.kind == ShownArgument::Kind::output && one.name == argument.name;
      });
  if (output == shown.arguments.end()) return;
  output->found = first_numbers(argument.output.type, found, true);
  if (argument.output.nearest_answer) {
    output->values = first_numbers(argument.output.type, argument.output.nearest_answer(found).bytes, false);
  }
}

}  // namespace lockstep::judge
