// One warp's access to memory as a picture: lanes above, the sectors or banks they touch below.
#pragma once

#include <string>

#include "emulator/observations.h"
#include "report/text_style.h"

namespace lockstep::report {

/// Such as "shared load, 4 bytes a lane: 32 wavefronts, ideal 1".
std::string access_caption(const emulator::AccessTrace& trace);

/// The picture in characters, at most 100 columns: a row a sector, or a column a bank; a cell is a 4-byte
/// word and holds the number of the first lane that touches it.
std::string draw_access(const emulator::AccessTrace& trace, const TextStyle& style);

/// The picture as a self-contained SVG document, readable on a light and on a dark page. Lectures use it too.
std::string access_figure_svg(const emulator::AccessTrace& trace);

}  // namespace lockstep::report
