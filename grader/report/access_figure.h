// One warp's access to memory as a picture: lanes above, the sectors or banks they touch below.
#pragma once

#include <string>

#include "emulator/core/observations.h"
#include "report/text_style.h"

namespace lockstep::report {

/// Such as "shared load, 4 bytes per lane: 32 wavefronts, ideal 1"; of an atomic also the lanes that meet.
std::string access_caption(const emulator::AccessTrace& trace);

/// The picture in characters: a row per sector, or a column per bank, where a cell is a 4-byte word and holds
/// the number of the first lane that touches it; of an atomic in global memory a row an address with its
/// lanes. Banks take 100 columns, or two rows of 52; the others 60 at most, besides lists of lanes, which are
/// cut.
std::string draw_access(const emulator::AccessTrace& trace, const TextStyle& style);

/// The picture as a self-contained SVG document, readable on a light and on a dark page. Lectures use it too.
std::string access_figure_svg(const emulator::AccessTrace& trace);

}  // namespace lockstep::report
