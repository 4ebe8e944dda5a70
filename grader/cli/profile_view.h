// What `profile` and `emulate --profile` have in common: how a profile is shown, and where.
#pragma once

#include <CLI/App.hpp>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/line_profile.h"

namespace lockstep::cli {

struct ProfileView {
  bool json = false;
  std::string space;  ///< of a trace: "global", "shared", or empty for both
  std::optional<std::filesystem::path> svg, output;
};

/// --space, --svg, --format and --output. `formats` says what JSON there is.
void add_view_options(CLI::App& command, const std::shared_ptr<ProfileView>& view,
                      const std::string& formats);

/// Throws WrongUse when options are given that only a trace, or only a table, can use.
void check(const ProfileView& view, bool traces);

/// Writes a profile to where it was asked for.
void put(const ProfileView& view, std::string_view text);

/// The line's accesses to memory as pictures, the most wasteful as SVG too when that was asked for. `lines`:
/// all that were counted; `wanted`: the line as the user typed it. Throws WrongUse, with the lines that do,
/// when no warp touched memory there.
std::string draw_line(const ProfileView& view, const std::string& wanted,
                      const std::vector<emulator::AccessTrace>& traces,
                      const std::vector<report::LineProfile>& lines);

}  // namespace lockstep::cli
