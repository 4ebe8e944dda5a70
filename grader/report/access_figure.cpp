#include "report/access_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/access_map.h"

namespace lockstep::report {
namespace {

bool is_shared(const emulator::AccessTrace& trace) { return trace.space == "shared"; }

// --- in characters ---

constexpr std::size_t kTerminalRows = 32;

/// Three columns: the first lane that touches a word, with + when others do too.
std::string cell(const Touching& lanes) {
  return lanes.empty() ? " . " : fmt::format("{:>2}{}", lanes.front(), lanes.size() > 1 ? "+" : " ");
}

std::string draw_banks(const emulator::AccessTrace& trace, const TextStyle& style) {
  const auto banks = words_by_bank(trace);
  std::size_t depth = 0;
  for (const auto& words : banks) depth = std::max(depth, words.size());
  std::string heading;
  for (unsigned bank = 0; bank < kBanks; ++bank) heading += fmt::format("{:>2} ", bank);
  heading.pop_back();
  std::string text = fmt::format("bank{}\n", paint(style, Colour::faint, heading));
  for (std::size_t row = 0; row < std::min(depth, kTerminalRows); ++row) {
    text += "    ";
    for (const auto& words : banks) {
      const std::string content = row < words.size() ? cell(words[row].lanes) : cell({});
      text += row < words.size() ? paint(style, row == 0 ? Colour::heat_low : Colour::heat_high, content)
                                 : paint(style, Colour::faint, content);
    }
    text += '\n';
  }
  if (depth > kTerminalRows) text += fmt::format("    … {} more rows\n", depth - kTerminalRows);
  return text +
         "    A column is a bank, a cell a distinct word with its lane; a bank delivers one row at a time.\n";
}

std::string draw_sectors(const emulator::AccessTrace& trace, const TextStyle& style) {
  const std::vector<Sector> sectors = touched_sectors(trace);
  std::string text;
  for (std::size_t i = 0; i < std::min(sectors.size(), kTerminalRows); ++i) {
    const Sector& sector = sectors[i];
    std::string cells;
    unsigned touched = 0;
    for (const Touching& lanes : sector.words) {
      touched += lanes.empty() ? 0 : 1;
      cells += cell(lanes);
    }
    const Colour heat = touched == kSectorWords ? Colour::heat_low
                        : touched > 2           ? Colour::heat_medium
                                                : Colour::heat_high;
    text += fmt::format("{:>12} |{}|  {:>2} of {} bytes touched\n",
                        fmt::format("+{}", sector.address - sectors[0].address), paint(style, heat, cells),
                        touched * kWordBytes, kSectorBytes);
  }
  if (sectors.size() > kTerminalRows)
    text += fmt::format("{:>12} {} more sectors\n", "…", sectors.size() - kTerminalRows);
  return text +
         "    A row is a sector of 32 bytes, all of which move; a cell is a 4-byte word with its lane.\n";
}

// --- as SVG; lengths in pixels of the drawing ---

constexpr unsigned kMargin = 16;
constexpr unsigned kLabel = 64;  ///< column at the left that names the rows
constexpr unsigned kCell = 26;
constexpr unsigned kRow = 22;
constexpr unsigned kLanesTop = 52;
constexpr unsigned kTargetTop = 168;
constexpr std::size_t kFigureRows = 8;
constexpr std::size_t kFigureSectors = 32;
constexpr unsigned kWidth = 2 * kMargin + kLabel + kLanes * kCell;

// Colours are custom properties, so that one drawing serves a light and a dark page.
constexpr const char* kFigureStyle = R"(
  .access { --ink: #1f2328; --faint: #6e7781; --edge: #8c959f; --empty: #f6f8fa; --good: #2da44e; --bad: #cf222e; --on: #ffffff;
            font: 12px ui-sans-serif, system-ui, sans-serif; }
  @media (prefers-color-scheme: dark) {
    .access { --ink: #e6edf3; --faint: #9198a1; --edge: #656c76; --empty: #21262d; --good: #3fb950; --bad: #ff7b72; --on: #0d1117; } }
  .access text { fill: var(--ink); text-anchor: middle; }
  .access .label { fill: var(--faint); text-anchor: end; }
  .access .note { fill: var(--faint); }
  .access .title { font-weight: 600; font-size: 14px; text-anchor: start; }
  .access rect { fill: var(--empty); stroke: var(--edge); stroke-width: 1; }
  .access rect.good { fill: var(--good); } .access rect.bad { fill: var(--bad); }
  .access rect.narrow { stroke: none; }
  .access text.on { fill: var(--on); font-size: 11px; }
  .access line { stroke: var(--good); stroke-width: 1.2; opacity: 0.75; } .access line.bad { stroke: var(--bad); }
)";

double column_x(unsigned column) { return kMargin + kLabel + column * kCell; }

std::string box(double x, double y, double width, double height, std::string_view kind) {
  return fmt::format(
      "<rect class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"2\"/>\n", kind, x,
      y, width, height);
}

std::string words(double x, double y, const char* kind, std::string_view content) {
  return fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" dy=\"0.35em\">{}</text>\n", kind, x, y,
                     content);
}

std::string link(unsigned lane, double x, bool bad) {
  return fmt::format("<line{} x1=\"{:.1f}\" y1=\"{}\" x2=\"{:.1f}\" y2=\"{}\"/>\n",
                     bad ? " class=\"bad\"" : "", column_x(lane) + kCell / 2.0, kLanesTop + kRow, x,
                     kTargetTop);
}

struct Drawing {
  std::string links, body;  ///< links are drawn first, below the cells
  double bottom = 0;
};

Drawing lanes_row(const emulator::AccessTrace& trace) {
  Drawing drawing;
  drawing.body += words(kMargin + kLabel - 8, kLanesTop + kRow / 2.0, "label", "lane");
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    drawing.body += box(column_x(lane), kLanesTop, kCell, kRow, "lane");
    const bool active = (trace.active >> lane & 1U) != 0;
    drawing.body += words(column_x(lane) + kCell / 2.0, kLanesTop + kRow / 2.0, active ? "" : "note",
                          active ? fmt::to_string(lane) : "–");
  }
  return drawing;
}

Drawing banks_below(const emulator::AccessTrace& trace) {
  Drawing drawing = lanes_row(trace);
  const auto banks = words_by_bank(trace);
  std::size_t depth = 1;
  drawing.body += words(kMargin + kLabel - 8, kTargetTop + kRow / 2.0, "label", "bank");
  for (unsigned bank = 0; bank < kBanks; ++bank) {
    const double x = column_x(bank), middle = x + kCell / 2.0;
    const std::size_t shown = std::min(banks[bank].size(), kFigureRows);
    depth = std::max(depth, banks[bank].size());
    drawing.body += box(x, kTargetTop, kCell, kRow, "bank");
    drawing.body += words(middle, kTargetTop + kRow / 2.0, "", fmt::to_string(bank));
    for (std::size_t row = 0; row < banks[bank].size(); ++row) {
      const Touching& lanes = banks[bank][row].lanes;
      for (const unsigned lane : lanes) drawing.links += link(lane, middle, row > 0);
      if (row >= shown) continue;
      const double y = kTargetTop + kRow + 6 + static_cast<double>(row) * kRow;
      drawing.body += box(x, y, kCell, kRow, row == 0 ? "good" : "bad");
      drawing.body += words(middle, y + kRow / 2.0, "on",
                            fmt::format("{}{}", lanes.front(), lanes.size() > 1 ? "+" : ""));
    }
    if (shown < banks[bank].size()) {
      drawing.body += words(middle, kTargetTop + kRow + 18 + static_cast<double>(shown) * kRow, "note",
                            fmt::format("+{}", banks[bank].size() - shown));
    }
  }
  const std::size_t rows = std::min(depth, kFigureRows) + (depth > kFigureRows ? 1 : 0);
  drawing.body += words(kMargin + kLabel - 8, kTargetTop + kRow + 6 + kRow / 2.0, "label", "words");
  drawing.bottom = kTargetTop + kRow + 6 + static_cast<double>(rows) * kRow;
  return drawing;
}

Drawing sectors_below(const emulator::AccessTrace& trace) {
  Drawing drawing = lanes_row(trace);
  const std::vector<Sector> sectors = touched_sectors(trace);
  const std::size_t shown = std::min(sectors.size(), kFigureSectors);
  const double room =
      static_cast<double>(kLanes * kCell) / static_cast<double>(std::max<std::size_t>(shown, 4));
  drawing.body += words(kMargin + kLabel - 8, kTargetTop + kRow / 2.0, "label", "sector");
  drawing.body += words(kMargin + kLabel - 8, kTargetTop + kRow + 12, "label", "byte");
  double labelled_until = 0;
  for (std::size_t i = 0; i < shown; ++i) {
    const double x = column_x(0) + static_cast<double>(i) * room, word_width = (room - 4) / kSectorWords;
    const auto touched = std::count_if(sectors[i].words.begin(), sectors[i].words.end(),
                                       [](const Touching& lanes) { return !lanes.empty(); });
    const bool wasteful = touched <= kSectorWords / 2;
    const bool narrow = word_width < 8;  // outlines would hide the colour of the words
    if (narrow) drawing.body += box(x, kTargetTop, word_width * kSectorWords, kRow, "");
    for (unsigned word = 0; word < kSectorWords; ++word) {
      const Touching& lanes = sectors[i].words[word];
      const double left = x + word * word_width;
      const std::string kind = lanes.empty() ? "" : wasteful ? "bad" : "good";
      if (!narrow) drawing.body += box(left, kTargetTop, word_width, kRow, kind);
      if (narrow && !lanes.empty()) drawing.body += box(left, kTargetTop, word_width, kRow, kind + " narrow");
      for (const unsigned lane : lanes) drawing.links += link(lane, left + word_width / 2, wasteful);
      if (!lanes.empty() && word_width > 16) {
        drawing.body +=
            words(left + word_width / 2, kTargetTop + kRow / 2.0, "on", fmt::to_string(lanes.front()));
      }
    }
    const std::string offset = fmt::format("+{}", sectors[i].address - sectors[0].address);
    const double label_width = 8.0 * static_cast<double>(offset.size() + 1);
    if (x + room / 2 - label_width / 2 >= labelled_until) {
      drawing.body += words(x + room / 2, kTargetTop + kRow + 12, "note", offset);
      labelled_until = x + room / 2 + label_width / 2;
    }
  }
  drawing.bottom = kTargetTop + kRow + 24;
  if (shown < sectors.size()) {
    drawing.body += words(kWidth / 2.0, drawing.bottom + 8, "note",
                          fmt::format("… and {} more sectors", sectors.size() - shown));
    drawing.bottom += kRow;
  }
  return drawing;
}

}  // namespace

std::string access_caption(const emulator::AccessTrace& trace) {
  const char* unit = is_shared(trace) ? "wavefront" : "sector";
  return fmt::format("{} {}, {} a lane: {}, ideal {}", trace.space, trace.operation,
                     counted(trace.bytes, "byte"), counted(trace.units, unit), trace.ideal_units);
}

std::string draw_access(const emulator::AccessTrace& trace, const TextStyle& style) {
  return fmt::format("{}\n", paint(style, Colour::strong, access_caption(trace))) +
         (is_shared(trace) ? draw_banks(trace, style) : draw_sectors(trace, style));
}

std::string access_figure_svg(const emulator::AccessTrace& trace) {
  const Drawing drawing = is_shared(trace) ? banks_below(trace) : sectors_below(trace);
  const std::string caption = access_caption(trace);
  const char* note =
      is_shared(trace)
          ? "A bank delivers one distinct word a wavefront: red words have to wait for another one."
          : "A sector is 32 bytes and moves whole: red sectors carry mostly bytes that no lane asked for.";
  const double height = drawing.bottom + 36;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"access\" role=\"img\" viewBox=\"0 0 {} {:.0f}\" "
      "width=\"{}\" height=\"{:.0f}\">\n<title>{}</title>\n<style>{}</style>\n{}{}{}{}</svg>\n",
      kWidth, height, kWidth, height, caption, kFigureStyle, words(kMargin, 24, "title", caption),
      drawing.links, drawing.body, words(kWidth / 2.0, drawing.bottom + 20, "note", note));
}

}  // namespace lockstep::report
