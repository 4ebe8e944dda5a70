// The study of flood: reads a map of heights, has flood find what is under water, at one level or at several,
// and writes the water as a grid, a table of areas and volumes, and a picture. README.md says how to use it.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "grid.h"
#include "height_file.h"
#include "levels.h"
#include "open_map.h"
#include "picture.h"
#include "strips.h"
#include "study/options.h"
#include "study/output_files.h"
#include "study/program.h"
#include "summary.h"

namespace lockstep::flood_study {
namespace {

/// Behind the example's dam, and below its crest.
constexpr const char *kExampleSource = "3500,3250", *kExampleLevel = "440";

struct Arguments {
  std::string file;
  std::vector<std::string> points, cells;  ///< X,Y and ROW,COLUMN, as they were typed
  bool from_all_sides = false;
  std::vector<std::string> sides;
  std::vector<float> levels;  ///< rising
  bool is_table = false;      ///< --levels
  int neighbourhood = 4;
  bool is_geographic = false;
  double memory_mib = 0;  ///< 0: most of what is free
  std::size_t strip_rows = 0;
  std::string output;  ///< what the names of all files begin with
};

/// Nothing where help was asked for, which is then printed.
std::optional<Arguments> arguments_of(int count, char** words) {
  study::Options options(count, words);
  Arguments arguments;
  arguments.points = options.texts("--source", "X,Y", "water comes from here, in the map's coordinates");
  arguments.cells = options.texts("--cell", "ROW,COLUMN", "the same by row from the top and column, from 1");
  arguments.from_all_sides = options.flag("--sea", "water comes from all cells of the map's edge");
  arguments.sides = options.texts("--sea-side", "SIDE", "or from those of north, south, east or west alone");
  auto level = options.text("--level", "H", "what is below it and connected with a source is under water");
  const auto levels =
      options.text("--levels", "FROM:TO:STEP", "the lowest of these levels for each cell; also H,H,…");
  const int neighbours =
      options.number<int>("--neighbours", "4|8", "cells that meet at corners alone: dry (4), wet (8)", 4, 8)
          .value_or(4);
  arguments.is_geographic = options.flag("--degrees", "coordinates are longitude and latitude in degrees");
  arguments.memory_mib =
      options.number<double>("--memory", "MIB", "use no more of the device's memory", 0.001, 1e9).value_or(0);
  arguments.strip_rows =
      options
          .number<std::size_t>("--strip", "ROWS", "rows of a strip; as many as fit when not given", 1,
                               2147483647)
          .value_or(0);
  arguments.output =
      options.text("--output", "PREFIX", "what names of files begin with; that of the map when not given")
          .value_or("");
  if (options.wants_help()) {
    std::printf(
        "usage: ./lockstep study flood [MAP] --source X,Y --level H [OPTION…]\n\n"
        "Finds what is under water on a map of heights, an ESRI ASCII grid, a PGM picture or, by GDAL, a\n"
        "GeoTIFF. --source, --cell and --sea-side may be repeated. Without a map it takes its example.\n\n%s",
        options.help().c_str());
    return std::nullopt;
  }
  const std::vector<std::string> files = options.finish(1);
  const bool is_example = files.empty();
  arguments.file = is_example ? STUDY_FOLDER "/example.asc" : files.front();
  const bool has_sources = !arguments.points.empty() || !arguments.cells.empty() ||
                           arguments.from_all_sides || !arguments.sides.empty();
  if (is_example && !has_sources) arguments.points = {kExampleSource};
  if (is_example && !level && !levels) level = kExampleLevel;
  if (!is_example && !has_sources)
    throw study::WrongUse("where does the water come from? --source X,Y, --cell ROW,COLUMN or --sea");
  if (level.has_value() == levels.has_value())
    throw study::WrongUse(level ? "--level and --levels are two questions: give one of them"
                                : "how high is the water? --level H, or --levels FROM:TO:STEP");
  if (neighbours != 4 && neighbours != 8) throw study::WrongUse("--neighbours is 4 or 8");
  arguments.neighbourhood = neighbours;
  arguments.is_table = levels.has_value();
  arguments.levels = level ? std::vector<float>{static_cast<float>(detail::number_of(*level, "--level"))}
                           : levels_of(*levels, "--levels");
  if (arguments.output.empty()) arguments.output = std::filesystem::path(arguments.file).stem().string();
  return arguments;
}

/// Two numbers with a comma between them.
template <class T>
std::pair<T, T> pair_of(const std::string& text, const std::string& option, const char* form) {
  const std::vector<std::string> parts = study::pieces_of(text, ',');
  const auto first = study::number_of<T>(parts.front()), second = study::number_of<T>(parts.back());
  if (parts.size() != 2 || !first || !second)
    throw study::WrongUse(option + ' ' + study::in_quotes(text) + " is not " + form);
  return {*first, *second};
}

std::string extent_of(const Grid& grid) {
  char text[160];
  std::snprintf(text, sizeof text, "x from %.10g to %.10g, y from %.10g to %.10g", grid.left,
                grid.x(grid.columns), std::min(grid.top, grid.y(grid.rows)),
                std::max(grid.top, grid.y(grid.rows)));
  return text;
}

void add_side(const Grid& grid, const std::string& side, std::vector<Cell>& cells) {
  const bool is_north_up = grid.height < 0;
  if (side == "north" || side == "south") {
    const std::size_t row = (side == "north") == is_north_up ? 0 : grid.rows - 1;
    for (std::size_t column = 0; column < grid.columns; ++column) cells.push_back({row, column});
  } else if (side == "west" || side == "east") {
    const std::size_t column = side == "west" ? 0 : grid.columns - 1;
    for (std::size_t row = 0; row < grid.rows; ++row) cells.push_back({row, column});
  } else {
    throw study::WrongUse("--sea-side " + study::in_quotes(side) + " is not north, south, east or west");
  }
}

/// In ascending order, none twice.
std::vector<Cell> sources_of(const Arguments& arguments, const Grid& grid) {
  std::vector<Cell> cells;
  for (const std::string& text : arguments.points) {
    const auto [x, y] = pair_of<double>(text, "--source", "X,Y");
    const std::optional<Cell> cell = grid.cell_at(x, y);
    if (!cell)
      throw study::WrongUse("--source " + study::in_quotes(text) + " is not on the map: " + extent_of(grid));
    cells.push_back(*cell);
  }
  for (const std::string& text : arguments.cells) {
    const auto [row, column] = pair_of<std::size_t>(text, "--cell", "ROW,COLUMN");
    if (row < 1 || row > grid.rows || column < 1 || column > grid.columns)
      throw study::WrongUse("--cell " + study::in_quotes(text) + " is not on the map of " +
                            std::to_string(grid.rows) + " rows and " + std::to_string(grid.columns) +
                            " columns");
    cells.push_back({row - 1, column - 1});
  }
  for (const char* side : {"north", "south", "east", "west"})
    if (arguments.from_all_sides) add_side(grid, side, cells);
  for (const std::string& side : arguments.sides) add_side(grid, side, cells);
  std::sort(cells.begin(), cells.end());
  cells.erase(std::unique(cells.begin(), cells.end()), cells.end());
  return cells;
}

/// Of a cell, what the grid that is written holds.
class Values {
 public:
  explicit Values(const Arguments& arguments) : levels_(arguments.levels), is_table_(arguments.is_table) {
    if (!is_table_) return;
    // ESRI's usual number, or the next whole one below it that is no level.
    unknown_ = -9999;
    while (std::find(levels_.begin(), levels_.end(), unknown_) != levels_.end()) --unknown_;
  }
  float unknown() const { return unknown_; }
  float of(float height, unsigned char count) const {
    if (!is_table_) return std::isnan(height) ? unknown_ : static_cast<float>(count);
    return count == 0 ? unknown_ : levels_[levels_.size() - count];
  }

 private:
  std::vector<float> levels_;
  bool is_table_;
  float unknown_ = 255;
};

/// "1 cell", "2 cells".
std::string counted(std::size_t count, const char* what = "cell") {
  return std::to_string(count) + ' ' + what + (count == 1 ? "" : "s");
}

void report(const Arguments& arguments, const HeightFile& map, const std::vector<Cell>& sources,
            const FloodWork& work, const Summary& summary) {
  const Grid& grid = map.grid();
  const std::string unit = grid.unit.empty() || grid.unit == "°" ? grid.unit : ' ' + grid.unit;
  std::printf("read      %s (%s): %zu rows of %zu cells of %.6g × %.6g%s\n", arguments.file.c_str(),
              map.format().c_str(), grid.rows, grid.columns, grid.width, std::abs(grid.height), unit.c_str());
  if (summary.lowest() <= summary.highest())
    std::printf("heights   from %.6g to %.6g", double{summary.lowest()}, double{summary.highest()});
  else
    std::printf("heights   none");
  if (summary.unknown() > 0)
    std::printf(", unknown in %s", counted(static_cast<std::size_t>(summary.unknown())).c_str());
  std::printf("\nsources   %s, %d neighbours\n", counted(sources.size()).c_str(), arguments.neighbourhood);
  if (work.strips > 1)
    std::printf("strips    %zu of %s, brought to the device %zu times\n", work.strips,
                counted(work.rows, "row").c_str(), work.loads);
  const std::vector<WaterAtLevel> table = summary.table();
  const std::size_t most = table.size() > 12 ? 10 : table.size();
  for (std::size_t i = 0; i < most; ++i) {
    const WaterAtLevel& row = table[i];
    const Amount area = amount(row.area, grid.length_unit(), 2),
                 volume = amount(row.volume, grid.length_unit(), 3);
    std::printf("%-8s  up to %.7g: %s, %.4g %s, %.4g %s\n", i == 0 ? "water" : "", double{row.level},
                counted(static_cast<std::size_t>(row.cells)).c_str(), row.area * area.factor,
                area.unit.c_str(), row.volume * volume.factor, volume.unit.c_str());
  }
  if (most < table.size()) std::printf("          … and %zu levels more\n", table.size() - most);
  if (table.back().cells == 0) {
    if (std::isinf(summary.lowest_source()))
      std::printf("          the height of no source is known\n");
    else
      std::printf("          no source is below the level: the lowest one lies at %.7g\n",
                  double{summary.lowest_source()});
  }
  if (summary.edge() > 0 && !arguments.from_all_sides && arguments.sides.empty())
    std::printf("edge      water has come to %s of the map's edge: it would go on beyond\n",
                counted(static_cast<std::size_t>(summary.edge())).c_str());
  if (summary.beside_unknown() > 0)
    std::printf("no data   water has come to %s beside cells without data, which stop it like a wall\n",
                counted(static_cast<std::size_t>(summary.beside_unknown())).c_str());
}

void run(const Arguments& arguments) {
  const std::unique_ptr<HeightFile> map = open_map(arguments.file);
  if (arguments.is_geographic) map->take_degrees();
  const Grid& grid = map->grid();
  if (grid.is_geographic && !grid.is_on_earth())
    throw MapError(arguments.file, "its coordinates are no degrees of latitude: " + extent_of(grid));
  const std::vector<Cell> sources = sources_of(arguments, grid);
  Strips strips(*map, {.levels = arguments.levels,
                       .neighbourhood = arguments.neighbourhood,
                       .sources = sources,
                       .rows = arguments.strip_rows,
                       .memory_bytes = static_cast<std::size_t>(arguments.memory_mib * 1048576)});
  const FloodWork work = strips.run();

  study::OutputFiles files;
  files.keep(arguments.file);
  Summary summary(grid, arguments.levels, sources);
  Picture picture(std::filesystem::path(arguments.file).filename().string(), grid, arguments.levels,
                  arguments.is_table, sources);
  const Values value(arguments);
  std::vector<float> heights(grid.columns);
  std::vector<unsigned char> counts(grid.columns);
  map->write(files, {.name = arguments.output + (arguments.is_table ? "-levels" : "-water"),
                     .is_byte = !arguments.is_table,
                     .unknown_value = double{value.unknown()},
                     .fill_row = [&](std::size_t row, std::vector<float>& values) {
                       map->read_rows(row, 1, heights.data());
                       strips.read_counts(row, counts.data());
                       for (std::size_t column = 0; column < grid.columns; ++column)
                         values[column] = value.of(heights[column], counts[column]);
                       summary.add_row(row, heights, counts);
                       picture.add_row(row, heights, counts);
                     }});
  files.add(arguments.output + "-water.csv",
            [&](std::ostream& out) { write_table(out, summary.table(), grid.length_unit()); });
  files.add(arguments.output + ".svg", [&](std::ostream& out) { out << picture.svg(summary.table()); });
  files.commit();

  report(arguments, *map, sources, work, summary);
  files.print_names();
}

}  // namespace
}  // namespace lockstep::flood_study

int main(int count, char** words) {
  return lockstep::study::status_of_main("flood", count, words, lockstep::flood_study::arguments_of,
                                         lockstep::flood_study::run);
}
