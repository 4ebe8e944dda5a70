// How text on a terminal looks: colours, the width of a page, and a quoted line of source.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "result/result.h"
#include "text/wording.h"

namespace lockstep::report {

using text::counted;

struct TextStyle {
  bool colour = false;
  std::size_t width = 100;
};

enum class Colour { good, bad, caution, faint, strong, heat_low, heat_medium, heat_high };

/// `text` between the escape sequences of a colour; unchanged without colour.
std::string paint(const TextStyle& style, Colour colour, std::string_view text);

/// ✓ or ✗, or ? for what is neither passed nor failed.
std::string mark(const TextStyle& style, result::Verdict verdict);
Colour colour_of(result::Verdict verdict);

/// A place in source and its line with the code underlined, as a compiler shows them, each line indented.
std::string quote(const TextStyle& style, const result::Place& place, std::string_view note,
                  std::size_t indent);

/// Prose broken to the page's width, each line indented.
std::string prose(const TextStyle& style, std::string_view text, std::size_t indent);

/// A number with as many digits as a reader can use: 3 significant ones, none after the point from 100 on.
std::string number(double value);

/// The same beside a limit, with more digits where both would read alike and are not.
std::string number_beside(double value, double limit);

/// What a gate's limit is: "limit" where the number must keep within it, "least" where it must reach it.
const char* bound_of(const result::GateResult& gate);

/// "5 lines changed, at most 3".
std::string changes_of(const result::Repair& repair);

}  // namespace lockstep::report
