#include "report/access_figure.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/access_map.h"
#include "report/markup.h"
#include "report/printable.h"

namespace lockstep::report {
namespace {

bool is_shared(const emulator::AccessTrace& trace) { return trace.space == "shared"; }

enum class Shape { sectors, banks, addresses };

/// Atomics in global memory are drawn by address: sectors do not show which lanes wait for each other.
Shape shape_of(const emulator::AccessTrace& trace) {
  if (is_shared(trace)) return Shape::banks;
  return trace.operation == "atomic" ? Shape::addresses : Shape::sectors;
}

// --- in characters ---

constexpr std::size_t kTerminalRows = 32;
constexpr std::size_t kNarrow = 64;  ///< columns, at which words are left out

/// Three columns: the first lane that touches a word, with + when others do too.
std::string cell(const Touching& lanes) {
  return lanes.empty() ? " . " : fmt::format("{:>2}{}", lanes.front(), lanes.size() > 1 ? "+" : " ");
}

/// Columns `begin` to `end` of the banks.
std::string draw_strip(const std::array<std::vector<Word>, kBanks>& banks, unsigned begin, unsigned end,
                       const TextStyle& style) {
  std::size_t depth = 0;
  std::string heading;
  for (unsigned bank = begin; bank < end; ++bank) {
    depth = std::max(depth, banks[bank].size());
    heading += fmt::format("{:>2} ", bank);
  }
  heading.pop_back();
  std::string text = fmt::format("bank{}\n", paint(style, Colour::faint, heading));
  for (std::size_t row = 0; row < std::min(depth, kTerminalRows); ++row) {
    text += "    ";
    for (unsigned bank = begin; bank < end; ++bank) {
      const std::vector<Word>& words = banks[bank];
      const std::string content = row < words.size() ? cell(words[row].lanes) : cell({});
      text += row < words.size() ? paint(style, row == 0 ? Colour::heat_low : Colour::heat_high, content)
                                 : paint(style, Colour::faint, content);
    }
    text += '\n';
  }
  if (depth > kTerminalRows) text += fmt::format("    … {} more rows\n", depth - kTerminalRows);
  return text;
}

/// A narrow terminal shows half of the banks at a time.
std::string draw_banks(const emulator::AccessTrace& trace, const TextStyle& style) {
  constexpr std::size_t kAllColumns = 4 + 3 * kBanks;
  const auto banks = queues_of_banks(trace);
  const unsigned strip = style.width >= kAllColumns ? kBanks : kBanks / 2;
  std::string text;
  for (unsigned begin = 0; begin < kBanks; begin += strip) {
    text += draw_strip(banks, begin, begin + strip, style);
  }
  return text +
         prose(style,
               serves_lanes_apart(trace)
                   ? "A column is a bank, a cell a lane of the atomic; a bank serves one row at a time."
                   : "A column is a bank, a cell a distinct word with its lane; a bank delivers one row "
                     "at a time.",
               4);
}

std::string draw_sectors(const emulator::AccessTrace& trace, const TextStyle& style) {
  const char* touching = style.width > kNarrow ? " touched" : "";
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
    text += fmt::format("{:>12} |{}|  {:>2} of {} bytes{}\n",
                        fmt::format("+{}", sector.address - sectors[0].address), paint(style, heat, cells),
                        touched * kWordBytes, kSectorBytes, touching);
  }
  if (sectors.size() > kTerminalRows)
    text += fmt::format("{:>12} {} more sectors\n", "…", sectors.size() - kTerminalRows);
  return text +
         prose(style,
               "A row is a sector of 32 bytes, all of which move; a cell is a 4-byte word with its lane.", 4);
}

std::string draw_addresses(const emulator::AccessTrace& trace, const TextStyle& style) {
  const std::vector<Word> addresses = lanes_by_address(trace);
  std::string text;
  for (const Word& word : addresses) {
    std::string lanes;
    for (const unsigned lane : word.lanes) lanes += fmt::format("{}{}", lanes.empty() ? "" : " ", lane);
    constexpr std::size_t kLabelColumns = 24;
    const std::string label =
        fmt::format("{:>12} | {:>8} ", fmt::format("+{}", word.address - addresses[0].address),
                    counted(word.lanes.size(), "lane"));
    text += label +
            paint(style, word.lanes.size() == 1 ? Colour::heat_low : Colour::heat_high,
                  cut(lanes, style.width - kLabelColumns)) +
            '\n';
  }
  return text + prose(style, "A row is an address; an atomic serves its lanes one after another.", 4);
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
  const auto banks = queues_of_banks(trace);
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
  drawing.body += words(kMargin + kLabel - 8, kTargetTop + kRow + 6 + kRow / 2.0, "label", "lanes");
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

Drawing addresses_below(const emulator::AccessTrace& trace) {
  Drawing drawing = lanes_row(trace);
  const std::vector<Word> addresses = lanes_by_address(trace);
  const double room =
      static_cast<double>(kLanes * kCell) / static_cast<double>(std::max<std::size_t>(addresses.size(), 8));
  const double stack_top = kTargetTop + kRow + 6;
  drawing.body += words(kMargin + kLabel - 8, kTargetTop + kRow / 2.0, "label", "byte");
  drawing.body += words(kMargin + kLabel - 8, stack_top + kRow / 2.0, "label", "lanes");
  std::size_t depth = 1;
  double labelled_until = 0;
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const Touching& lanes = addresses[i].lanes;
    const double x = column_x(0) + static_cast<double>(i) * room, middle = x + room / 2;
    drawing.body += box(x, kTargetTop, room, kRow, "bank");
    const std::string offset = fmt::format("+{}", addresses[i].address - addresses[0].address);
    const double label_width = 8.0 * static_cast<double>(offset.size());
    if (middle - label_width / 2 >= labelled_until) {
      drawing.body += words(middle, kTargetTop + kRow / 2.0, "", offset);
      labelled_until = middle + label_width / 2;
    }
    depth = std::max(depth, lanes.size());
    for (std::size_t row = 0; row < lanes.size(); ++row) {
      drawing.links += link(lanes[row], middle, row > 0);
      if (row >= kFigureRows) continue;
      const double y = stack_top + static_cast<double>(row) * kRow;
      drawing.body += box(middle - kCell / 2.0, y, kCell, kRow, row == 0 ? "good" : "bad");
      drawing.body += words(middle, y + kRow / 2.0, "on", fmt::to_string(lanes[row]));
    }
    if (lanes.size() > kFigureRows) {
      drawing.body += words(middle, stack_top + 12 + static_cast<double>(kFigureRows) * kRow, "note",
                            fmt::format("+{}", lanes.size() - kFigureRows));
    }
  }
  const std::size_t rows = std::min(depth, kFigureRows) + (depth > kFigureRows ? 1 : 0);
  drawing.bottom = stack_top + static_cast<double>(rows) * kRow;
  return drawing;
}

Drawing drawing_of(const emulator::AccessTrace& trace) {
  switch (shape_of(trace)) {
    case Shape::banks:
      return banks_below(trace);
    case Shape::addresses:
      return addresses_below(trace);
    case Shape::sectors:
      break;
  }
  return sectors_below(trace);
}

const char* note_below(const emulator::AccessTrace& trace) {
  switch (shape_of(trace)) {
    case Shape::banks:
      return serves_lanes_apart(trace)
                 ? "A bank serves one lane of this atomic per wavefront: red ones have to wait for another "
                   "one."
                 : "A cell is a distinct word with its lane. A bank delivers one per wavefront: red words "
                   "have to wait for another one.";
    case Shape::addresses:
      return "The lanes of one address are served one after another: red ones have to wait.";
    case Shape::sectors:
      break;
  }
  return "A sector is 32 bytes and moves whole: of a red sector, lanes asked for half at most.";
}

}  // namespace

std::string access_caption(const emulator::AccessTrace& trace) {
  const char* unit = is_shared(trace) ? "wavefront" : "sector";
  std::string caption =
      fmt::format("{} {}, {} per lane: {}, ideal {}", trace.space, trace.operation,
                  counted(trace.bytes, "byte"), counted(trace.units, unit), trace.ideal_units);
  const std::size_t most = most_lanes_at_one_address(trace);
  if (trace.operation == "atomic" && most > 1) caption += fmt::format("; {} lanes meet at one address", most);
  return caption;
}

std::string draw_access(const emulator::AccessTrace& trace, const TextStyle& style) {
  std::string caption;
  for (const std::string& line : wrap(access_caption(trace), style.width))
    caption += paint(style, Colour::strong, line) + '\n';
  switch (shape_of(trace)) {
    case Shape::banks:
      return caption + draw_banks(trace, style);
    case Shape::addresses:
      return caption + draw_addresses(trace, style);
    case Shape::sectors:
      break;
  }
  return caption + draw_sectors(trace, style);
}

std::string access_figure_svg(const emulator::AccessTrace& trace) {
  const Drawing drawing = drawing_of(trace);
  const std::string caption = escaped_markup(access_caption(trace));
  const double height = drawing.bottom + 36;
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"access\" role=\"img\" viewBox=\"0 0 {} {:.0f}\" "
      "width=\"{}\" height=\"{:.0f}\">\n<title>{}</title>\n<style>{}</style>\n{}{}{}{}</svg>\n",
      kWidth, height, kWidth, height, caption, kFigureStyle, words(kMargin, 24, "title", caption),
      drawing.links, drawing.body, words(kWidth / 2.0, drawing.bottom + 20, "note", note_below(trace)));
}

}  // namespace lockstep::report
