// Reads molecules from PDB and XYZ files: the positions of the atoms, frame after frame, in ångström.
//
// Of PDB what positions need: ATOM records by their columns, of the first alternate location, and where a
// frame ends, with ENDMDL or END; HETATM, which is mostly water, is left out unless it is asked for. Sources:
// wwPDB, PDB format 3.3; the XYZ format of XMol.
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

/// Names of the atoms to read; all where there are none. The name of an XYZ file is mostly an element.
struct AtomChoice {
  std::vector<std::string> names{};
  bool with_hetatm = false;  ///< of PDB

  bool takes(const std::string& name) const {
    return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
  }
};

/// The frames of a file, all of the same atoms.
struct Structures {
  std::vector<std::string> names;  ///< of the atoms, without spaces
  std::vector<Positions> frames;
};

/// What cannot be read; the message begins with the file and its line.
class StructureError : public std::runtime_error {
 public:
  StructureError(const std::string& file, int line, const std::string& what)
      : std::runtime_error(file + ":" + std::to_string(line) + ": " + what) {}
};

namespace detail {

/// Largest distance from the origin along an axis that the exercises allow.
constexpr float kFarthest = 10000;

/// `text` of a file in a message: not whole where it is long, and without control characters.
inline std::string shown(const std::string& text) {
  constexpr std::size_t kLongest = 60;
  std::string result = text.substr(0, kLongest);
  for (char& c : result)
    if (static_cast<unsigned char>(c) < ' ' || c == '\x7f') c = '?';
  return result + (text.size() > kLongest ? "…" : "");
}

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
    throw StructureError(file, line, "\"" + shown(text) + "\" is no coordinate");
  if (!(std::abs(value) <= kFarthest))
    throw StructureError(file, line, "\"" + shown(text) + "\" is farther than 10000 from the origin");
  return value;
}

inline std::string without_spaces(std::string text) {
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  return text;
}

/// Words of a line with one space between them.
inline std::string single_spaced(const std::string& text) {
  std::istringstream in(text);
  std::string result;
  for (std::string word; in >> word;) result += (result.empty() ? "" : " ") + word;
  return result;
}

/// Takes the frames of a file, and finds out whether they are of the same atoms. It keeps frames 1, 1 +
/// every, 1 + 2 every, ….
class FrameCollector {
 public:
  FrameCollector(const std::string& file, std::size_t every) : file_(file), every_(every) {}

  /// `identity` is the name with what else tells the atom from others.
  void add_atom(const std::string& name, const std::string& identity, int line) {
    const std::size_t atom = atoms_++;
    if (structures_.frames.empty()) {
      structures_.names.push_back(name);
      identities_.push_back(identity);
    } else if (atom < identities_.size() && identities_[atom] != identity) {
      throw StructureError(file_, line,
                           "atom " + std::to_string(atom + 1) + " of this frame is " + shown(identity) +
                               ", that of the first frame " + shown(identities_[atom]));
    }
  }
  void add_coordinate(const std::string& text, int line) { frame_.push_back(coordinate(text, file_, line)); }

  /// Frames of equal length, or an error at `line`, where the last has ended.
  void end_frame(int line) {
    if (!structures_.frames.empty() && structures_.frames.front().size() != frame_.size()) {
      throw StructureError(file_, line,
                           "this frame has " + std::to_string(frame_.size() / 3) + " atoms, the first has " +
                               std::to_string(structures_.frames.front().size() / 3));
    }
    if (ended_++ % every_ == 0) structures_.frames.push_back(std::move(frame_));
    frame_.clear();
    atoms_ = 0;
  }

  bool has_atoms() const { return atoms_ != 0; }
  Structures finish() { return std::move(structures_); }

 private:
  std::string file_;
  std::size_t every_, ended_ = 0;  ///< frames
  Structures structures_;
  std::vector<std::string> identities_;
  Positions frame_;
  std::size_t atoms_ = 0;  ///< of this frame, so far
};

}  // namespace detail

inline Structures read_pdb(std::istream& in, const std::string& file, const AtomChoice& choice = {},
                           std::size_t every = 1) {
  constexpr std::size_t kName = 12, kAlternate = 16, kResidue = 17, kResidueEnd = 27, kFirstColumn = 30,
                        kWidth = 8, kEnd = kFirstColumn + 3 * kWidth;
  detail::FrameCollector collector(file, every);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    // Some programs write END alone behind every frame.
    const bool is_end = line.starts_with("END") && line.find_first_not_of(" \t\r", 3) == std::string::npos;
    if (line.starts_with("ENDMDL") || (is_end && collector.has_atoms())) collector.end_frame(number);
    if (!line.starts_with("ATOM  ") && !(choice.with_hetatm && line.starts_with("HETATM"))) continue;
    if (line.size() < kEnd)
      throw StructureError(file, number, "the line of an atom ends before its position");
    const std::string name = detail::without_spaces(line.substr(kName, kAlternate - kName));
    if (!choice.takes(name) || (line[kAlternate] != ' ' && line[kAlternate] != 'A')) continue;
    collector.add_atom(
        name, name + " of " + detail::single_spaced(line.substr(kResidue, kResidueEnd - kResidue)), number);
    for (std::size_t column = kFirstColumn; column < kEnd; column += kWidth)
      collector.add_coordinate(line.substr(column, kWidth), number);
  }
  if (collector.has_atoms()) collector.end_frame(number);  // a file without models
  return collector.finish();
}

inline Structures read_xyz(std::istream& in, const std::string& file, const AtomChoice& choice = {},
                           std::size_t every = 1) {
  detail::FrameCollector collector(file, every);
  int number = 0;
  for (std::string line; std::getline(in, line);) {
    ++number;
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    std::istringstream head(line);
    std::size_t atoms = 0;
    if (line.find('-') != std::string::npos || !(head >> atoms))
      throw StructureError(
          file, number, "a frame begins with the number of its atoms, not \"" + detail::shown(line) + "\"");
    ++number;
    if (!std::getline(in, line)) throw StructureError(file, number, "the file ends where a comment belongs");
    for (std::size_t i = 0; i < atoms; ++i) {
      ++number;
      if (!std::getline(in, line)) {
        throw StructureError(
            file, number,
            "the file ends after " + std::to_string(i) + " of " + std::to_string(atoms) + " atoms");
      }
      std::istringstream fields(line);
      std::string name, x, y, z;
      if (!(fields >> name >> x >> y >> z))
        throw StructureError(file, number,
                             "an atom is a name and three coordinates, not \"" + detail::shown(line) + "\"");
      if (!choice.takes(name)) continue;
      collector.add_atom(name, name, number);
      for (const std::string& text : {x, y, z}) collector.add_coordinate(text, number);
    }
    collector.end_frame(number);
  }
  return collector.finish();
}

/// All frames of a file, by the ending of its name. Throws StructureError, or std::runtime_error when there
/// is nothing to read.
inline Structures read_structures(const std::string& file) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " cannot be opened");
  const bool is_pdb = file.ends_with(".pdb") || file.ends_with(".ent");
  if (!is_pdb && !file.ends_with(".xyz"))
    throw std::runtime_error(file + " is neither a .pdb nor an .xyz file, by its name");
  Structures structures = is_pdb ? read_pdb(in, file) : read_xyz(in, file);
  if (structures.frames.empty()) throw std::runtime_error(file + " holds no atoms");
  return structures;
}

}  // namespace lockstep
