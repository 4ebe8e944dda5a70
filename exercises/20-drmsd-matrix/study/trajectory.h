// A trajectory as `drmsd_matrix` takes it, out of a PDB, XYZ or DCD file.
#pragma once

#include <algorithm>
#include <cstddef>
#include <fstream>
#include <numeric>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "20-drmsd/structures.h"
#include "dcd.h"
#include "study/text.h"

namespace lockstep {

/// Most frames, and most atoms of one, that the exercise's interface allows.
constexpr std::size_t kMaxOfTrajectory = 65535;

struct TrajectoryRequest {
  std::string file;
  AtomChoice atoms{};
  std::string names_of{};  ///< a PDB file that names the atoms of a DCD file; may be empty
  std::size_t every = 1;   ///< frames 1, 1 + every, 1 + 2 every, … are taken
};

struct Trajectory {
  std::string format;  ///< PDB, XYZ or DCD
  std::size_t atoms = 0;
  std::vector<Positions> frames;
};

namespace detail {

enum class Format { pdb, xyz, dcd };

/// By the first bytes of a DCD, the ending of a name, or the first line.
inline Format format_of(const std::string& file) {
  std::ifstream in = study::opened(file);
  const std::string begin = study::begin_of(in, 12);
  // Behind the length of the first record, which is 84 in 32 or 64 bits of either byte order.
  for (const char* magic : {"CORD", "VELD"})
    for (const std::size_t bytes : {4U, 8U})
      if (begin.size() == 12 && begin.compare(bytes, 4, magic) == 0 &&
          std::count(begin.begin(), begin.begin() + static_cast<std::ptrdiff_t>(bytes), '\0') ==
              static_cast<std::ptrdiff_t>(bytes) - 1)
        return Format::dcd;
  if (file.ends_with(".dcd")) return Format::dcd;
  if (file.ends_with(".pdb") || file.ends_with(".ent")) return Format::pdb;
  if (file.ends_with(".xyz")) return Format::xyz;
  std::string line;
  while (std::getline(in, line) && line.find_first_not_of(" \t\r") == std::string::npos) continue;
  for (const char* record : {"HEADER", "TITLE ", "COMPND", "REMARK", "CRYST1", "MODEL ", "ATOM  ", "HETATM"})
    if (line.starts_with(record)) return Format::pdb;
  const bool is_number = line.find_first_not_of("0123456789 \t\r") == std::string::npos;
  if (!line.empty() && is_number) return Format::xyz;
  throw std::runtime_error(file + " is no PDB, XYZ or DCD file, by its name and its beginning");
}

inline std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + shown(name);
  return text;
}

/// Some of the names that there are, for someone who asked for others.
inline std::string examples(std::vector<std::string> names) {
  constexpr std::size_t kShown = 8;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const bool has_more = names.size() > kShown;
  names.resize(std::min(names.size(), kShown));
  return joined(names) + (has_more ? ", …" : "");
}

/// Of the names that were asked for those that `names` lacks.
inline std::vector<std::string> missing(const AtomChoice& choice, const std::vector<std::string>& names) {
  std::vector<std::string> without;
  for (const std::string& name : choice.names)
    if (std::find(names.begin(), names.end(), name) == names.end()) without.push_back(name);
  return without;
}

[[noreturn]] inline void no_such_atoms(const std::string& file, const std::vector<std::string>& without,
                                       const std::vector<std::string>& names) {
  throw std::runtime_error(file + " has no atom called " + joined(without) +
                           (names.empty() ? "" : "; its atoms are called " + examples(names)));
}

inline Structures read_text(const std::string& file, Format format, const AtomChoice& choice,
                            std::size_t every = 1) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " cannot be opened");
  return format == Format::pdb ? read_pdb(in, file, choice, every) : read_xyz(in, file, choice, every);
}

/// Places of the chosen atoms in a file without names.
inline std::vector<std::size_t> chosen_atoms(const TrajectoryRequest& request, std::size_t atoms) {
  std::vector<std::size_t> chosen;
  if (request.atoms.names.empty()) {
    chosen.resize(atoms);
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
    return chosen;
  }
  if (request.names_of.empty())
    throw std::runtime_error(
        request.file + " is a DCD file, which names no atoms: --names FILE.pdb, of the same atoms, does");
  const std::vector<std::string> names =
      read_text(request.names_of, Format::pdb, {.names = {}, .with_hetatm = true}).names;
  if (names.size() != atoms)
    throw std::runtime_error(request.names_of + " has " + std::to_string(names.size()) + " atoms, " +
                             request.file + " has " + std::to_string(atoms) +
                             ": they must be the same atoms");
  for (std::size_t atom = 0; atom < atoms; ++atom)
    if (request.atoms.takes(names[atom])) chosen.push_back(atom);
  if (const auto without = missing(request.atoms, names); !without.empty())
    no_such_atoms(request.names_of, without, names);
  return chosen;
}

}  // namespace detail

/// Throws std::runtime_error, whose message names the file, where it is not what it should be, or holds no
/// trajectory that can be compared: fewer than two frames or atoms, or more than kMaxOfTrajectory.
inline Trajectory read_trajectory(const TrajectoryRequest& request) {
  const detail::Format format = detail::format_of(request.file);
  const auto must = [&request](bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error(request.file + ": " + what);
  };
  const auto must_be_few = [&must](std::size_t atoms) {
    must(atoms <= kMaxOfTrajectory,
         std::to_string(atoms) + " atoms are more than 65535: choose some of them by --atoms");
  };
  must(format == detail::Format::pdb || !request.atoms.with_hetatm,
       "HETATM records are PDB's: leave --hetatm out");
  must(format == detail::Format::dcd || request.names_of.empty(),
       "it names its atoms itself: leave --names out");
  Trajectory trajectory;
  if (format == detail::Format::dcd) {
    trajectory.format = "DCD";
    DcdReader reader(request.file);
    const std::vector<std::size_t> chosen = detail::chosen_atoms(request, reader.atoms());
    must_be_few(chosen.size());  // before all frames are read
    trajectory.frames = reader.read_frames(chosen, request.every);
  } else {
    trajectory.format = format == detail::Format::pdb ? "PDB" : "XYZ";
    Structures read = detail::read_text(request.file, format, request.atoms, request.every);
    if (const auto without = detail::missing(request.atoms, read.names); !without.empty()) {
      AtomChoice all = request.atoms;
      all.names.clear();
      detail::no_such_atoms(request.file, without,
                            detail::read_text(request.file, format, all, request.every).names);
    }
    trajectory.frames = std::move(read.frames);
  }
  const std::size_t frames = trajectory.frames.size();
  trajectory.atoms = frames == 0 ? 0 : trajectory.frames.front().size() / 3;
  const bool lacks_hetatm = format == detail::Format::pdb && !request.atoms.with_hetatm;
  must(trajectory.atoms != 0,
       lacks_hetatm ? "it holds no ATOM records; --hetatm reads HETATM too" : "it holds no atoms");
  must(trajectory.atoms >= 2, "one atom has no distances to compare");
  must(frames >= 2, "one frame has nothing to be compared with");
  must_be_few(trajectory.atoms);
  must(frames <= kMaxOfTrajectory,
       std::to_string(frames) + " frames are more than 65535: take every tenth by --every 10");
  return trajectory;
}

}  // namespace lockstep
