// Text fitted to a page. Whatever a renderer shows that is not its own goes through printable() first.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "text/printable.h"

namespace lockstep::report {

using text::printable;
using text::printable_lines;

/// The lines of `text`, without their ends and without empty lines at the end.
std::vector<std::string> split_lines(std::string_view text);

/// Columns that `text` takes on a terminal: one a code point, which holds for all that this project prints.
std::size_t display_width(std::string_view text);

/// `text` cut to `width` columns, the last one an ellipsis when anything was cut.
std::string cut(std::string_view text, std::size_t width);

/// The same, but the end stays: of a long path it says more.
std::string cut_front(std::string_view text, std::size_t width);

/// `text` broken between words into lines of at most `width` columns; a word that is longer is broken inside.
std::vector<std::string> wrap(std::string_view text, std::size_t width);

}  // namespace lockstep::report
