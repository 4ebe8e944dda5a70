#include "cli/profile_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <iostream>

#include "cli/choice.h"
#include "cli/command.h"
#include "cli/terminal.h"
#include "report/access_figure.h"
#include "report/access_kinds.h"
#include "storage/files.h"
#include "text/wording.h"

namespace lockstep::cli {
namespace {

/// "5, 9, 12"; with the file where there are several. Of "global" or "shared" memory, or both when empty.
std::string lines_with_accesses(const std::vector<report::LineProfile>& lines, const std::string& space) {
  constexpr std::size_t kMaxNamed = 40;
  const bool one_file = std::all_of(lines.begin(), lines.end(), [&](const report::LineProfile& line) {
    return line.file == lines.front().file;
  });
  std::string text;
  std::size_t named = 0;
  for (const report::LineProfile& line : lines) {
    const auto global = space == "shared" ? 0 : line.global.requests;
    const auto shared = space == "global" ? 0 : line.shared.requests;
    if (global + shared == 0) continue;
    if (++named > kMaxNamed) return text + ", …";
    text += fmt::format("{}{}{}", text.empty() ? "" : ", ", one_file ? "" : line.file + ':', line.line);
  }
  return text;
}

}  // namespace

void add_view_options(CLI::App& command, const std::shared_ptr<ProfileView>& view,
                      const std::string& formats) {
  command.add_option("--space", view->space, "With --trace: only accesses to global or to shared memory")
      ->check(word_of({"global", "shared"}))
      ->type_name("SPACE");
  command.add_option("--svg", view->svg, "With --trace: also draw the most wasteful access as an SVG figure")
      ->type_name("FILE");
  command
      .add_option_function<std::string>(
          "--format", [view](const std::string& format) { view->json = format == "json"; }, formats)
      ->check(word_of({"text", "json"}))
      ->type_name("FORMAT");
  command.add_option("--output", view->output, "Write the profile there instead of to standard output")
      ->type_name("FILE");
}

void check(const ProfileView& view, bool traces) {
  if (view.svg && !traces) throw WrongUse("--svg draws the line that --trace names: give both.");
  if (!view.space.empty() && !traces)
    throw WrongUse("--space is about the line that --trace names: give both.");
  if (view.json && traces) throw WrongUse("--trace draws a picture, which is no JSON: give one of the two.");
}

void put(const ProfileView& view, std::string_view text) {
  if (view.output) {
    storage::write_file(*view.output, text);
  } else {
    std::cout << text << std::flush;
  }
}

std::string draw_line(const ProfileView& view, const std::string& wanted,
                      const std::vector<emulator::AccessTrace>& traces,
                      const std::vector<report::LineProfile>& lines) {
  const report::TextStyle style = output_style();
  const std::vector<emulator::AccessTrace> kinds = report::kinds_of_access(traces, view.space);
  if (kinds.empty()) {
    const std::string others = lines_with_accesses(lines, view.space);
    throw WrongUse(fmt::format("no warp touched {} memory at line {}; {}.",
                               view.space.empty() ? "global or shared" : view.space, wanted,
                               others.empty() ? "no line does" : "lines that do: " + others));
  }
  std::string text;
  for (const report::LineProfile& line : lines) {
    std::vector<const emulator::AccessTrace*> here;
    for (const emulator::AccessTrace& trace : kinds) {
      const bool same_file =
          line.file == text::shown_path(trace.line.file) ||
          std::filesystem::path(line.file).filename() == std::filesystem::path(trace.line.file).filename();
      if (line.line == trace.line.line && same_file) here.push_back(&trace);
    }
    if (here.empty()) continue;
    text += quote(style, {line.file, line.line, line.text}, "", 0);
    for (const emulator::AccessTrace* trace : here) text += '\n' + draw_access(*trace, style);
  }
  if (view.svg) {
    storage::write_file(*view.svg, report::access_figure_svg(kinds.front()));
    text += fmt::format("\nDrawn to {}.\n", view.svg->string());
  }
  return text;
}

}  // namespace lockstep::cli
