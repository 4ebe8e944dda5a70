// Reads molecules from PDB and XYZ files: the positions of the atoms, frame after frame, in ångström.
//
// Of PDB what positions need: ATOM records by their columns, of the first alternate location, and MODEL for
// frames; HETATM, which is mostly water, is left out. Sources: wwPDB, PDB format 3.3; the XYZ format of XMol.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <istream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace lockstep {

/// x, y, z of one atom after the other.
using Positions = std::vector<float>;

/// What cannot be read; the message begins with the file and its line.
class StructureError : public std::runtime_error {
 public:
  StructureError(const std::string& file, int line, const std::string& what)
      : std::runtime_error(file + ":" + std::to_string(line) + ": " + what) {}
};

namespace detail {

/// A number that fills `text` except for spaces.
inline float coordinate(const std::string& text, const std::string& file, int line) {
  std::size_t used = 0;
  float value = NAN;
  try {
    value = std::stof(text, &used);
  } catch (const std::logic_error&) {
    used = 0;  // reported below
  }
  if (used == 0 || text.find_first_not_of(" \t\r", used) != std::string::npos || !std::isfinite(value))
    throw StructureError(file, line, "\"" + text + "\" is no coordinate");
  return value;
}

/// Frames of equal length, or an error at `line`, where the last has ended.
inline void add_frame(std::vector<Positions>& frames, Positions& frame, const std::string& file, int line) {
  if (!frames.empty() && frames.front().size() != frame.size()) {
    throw StructureError(file, line,
                         "this frame has " + std::to_string(frame.size() / 3) + " atoms, the first has " +
                             std::to_string(frames.front().size() / 3));
  }
  frames.push_back(std::move(frame));
  frame.clear();
}

}  // namespace detail

inline std::vector<Positions> read_pdb(std::istream& in, const std::string& file) {
  constexpr std::size_t kAlternate = 16, kFirstColumn = 30, kWidth = 8, kEnd = kFirstColumn + 3 * kWidth;
  std::vector<Positions> frames;
  Positions frame;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.starts_with("ENDMDL")) detail::add_frame(frames, frame, file, number);
    if (!line.starts_with("ATOM  ")) continue;
    if (line.size() < kEnd)
      throw StructureError(file, number, "the line of an atom ends before its position");
    if (line[kAlternate] != ' ' && line[kAlternate] != 'A') continue;
    for (std::size_t column = kFirstColumn; column < kEnd; column += kWidth)
      frame.push_back(detail::coordinate(line.substr(column, kWidth), file, number));
  }
  if (!frame.empty()) detail::add_frame(frames, frame, file, number);  // a file without models
  return frames;
}

inline std::vector<Positions> read_xyz(std::istream& in, const std::string& file) {
  std::vector<Positions> frames;
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream head(line);
    std::size_t atoms = 0;
    if (line.find('-') != std::string::npos || !(head >> atoms))
      throw StructureError(file, number, "a frame begins with the number of its atoms, not \"" + line + "\"");
    ++number;
    if (!std::getline(in, line)) throw StructureError(file, number, "the file ends where a comment belongs");
    Positions frame;
    for (std::size_t i = 0; i < atoms; ++i) {
      ++number;
      if (!std::getline(in, line)) {
        throw StructureError(
            file, number,
            "the file ends after " + std::to_string(i) + " of " + std::to_string(atoms) + " atoms");
      }
      std::istringstream fields(line);
      std::string element, x, y, z;
      if (!(fields >> element >> x >> y >> z))
        throw StructureError(file, number, "an atom is a name and three coordinates, not \"" + line + "\"");
      for (const std::string& text : {x, y, z}) frame.push_back(detail::coordinate(text, file, number));
    }
    detail::add_frame(frames, frame, file, number);
  }
  return frames;
}

/// All frames of a file, by the ending of its name. Throws StructureError, or std::runtime_error when there
/// is nothing to read.
inline std::vector<Positions> read_structures(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " cannot be opened");
  const bool is_pdb = file.ends_with(".pdb") || file.ends_with(".ent");
  if (!is_pdb && !file.ends_with(".xyz"))
    throw std::runtime_error(file + " is neither a .pdb nor an .xyz file, by its name");
  std::vector<Positions> frames = is_pdb ? read_pdb(in, file) : read_xyz(in, file);
  if (frames.empty()) throw std::runtime_error(file + " holds no atoms");
  return frames;
}

}  // namespace lockstep
