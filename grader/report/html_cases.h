// The cases of an exercise on a page: all in a table, and of those that failed what is known.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/markup.h"
#include "result/result.h"

namespace lockstep::report {

/// A verdict as a mark and a word.
Markup verdict_words(result::Verdict verdict);

/// The cell at the beginning of a row that names it.
Markup row_heading(std::string_view text);
Markup number_cell(std::string_view text);

/// What scrolls by itself where a page is narrow, with the name that a screen reader says.
Markup wide_region(const std::string& name, const Markup& content);

/// A table that scrolls by itself where a page is narrow.
Markup scrolling_table(const std::string& caption, const std::vector<std::string>& headings,
                       const Markup& rows);

/// `page`: the prefix of the exercise's ids. Empty where nothing was run.
Markup cases_content(const result::ExerciseResult& result, const std::string& page);

}  // namespace lockstep::report
