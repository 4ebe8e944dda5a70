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
  std::ifstream in(file, std::ios::binary);
  if (!in) throw std::runtime_error(file + " cannot be opened");
  std::string begin(12, '\0');
  in.read(begin.data(), static_cast<std::streamsize>(begin.size()));
  begin.resize(static_cast<std::size_t>(in.gcount()));
  if (begin.starts_with("\x1f\x8b")) throw std::runtime_error(file + " is compressed: gunzip it first");
  for (const char* magic : {"CORD", "VELD"})
    if (begin.find(magic) != std::string::npos) return Format::dcd;
  if (file.ends_with(".dcd")) return Format::dcd;
  if (file.ends_with(".pdb") || file.ends_with(".ent")) return Format::pdb;
  if (file.ends_with(".xyz")) return Format::xyz;
  in.clear();
  in.seekg(0);
  std::string line;
  while (std::getline(in, line) && line.find_first_not_of(" \t\r") == std::string::npos) continue;
  for (const char* record : {"HEADER", "TITLE ", "COMPND", "REMARK", "CRYST1", "MODEL ", "ATOM  ", "HETATM"})
    if (line.starts_with(record)) return Format::pdb;
  const bool is_number = line.find_first_not_of("0123456789 \t\r") == std::string::npos;
  if (!line.empty() && is_number) return Format::xyz;
  throw std::runtime_error(file + " is no PDB, XYZ or DCD file, by its name and its beginning");
}

inline std::string joined(std::vector<std::string> names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

/// Some of the names that there are, for who has asked for others.
inline std::string examples(std::vector<std::string> names) {
  constexpr std::size_t kShown = 8;
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const bool has_more = names.size() > kShown;
  names.resize(std::min(names.size(), kShown));
  return joined(names) + (has_more ? ", …" : "");
}

[[noreturn]] inline void no_such_atoms(const std::string& file, const AtomChoice& choice,
                                       const std::vector<std::string>& names) {
  throw std::runtime_error(file + " has no atom called " + joined(choice.names) +
                           (names.empty() ? "" : "; its atoms are called " + examples(names)));
}

inline Structures read_text(const std::string& file, Format format, const AtomChoice& choice) {
  std::ifstream in(file);
  if (!in) throw std::runtime_error(file + " cannot be opened");
  return format == Format::pdb ? read_pdb(in, file, choice) : read_xyz(in, file, choice);
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
  if (chosen.empty()) no_such_atoms(request.names_of, request.atoms, names);
  return chosen;
}

}  // namespace detail

/// Throws std::runtime_error, whose message names the file, where it is not what it should be, or holds no
/// trajectory that can be compared: fewer than two frames or atoms, or more than kMaxOfTrajectory.
inline Trajectory read_trajectory(const TrajectoryRequest& request) {
  const detail::Format format = detail::format_of(request.file);
  Trajectory trajectory;
  if (format == detail::Format::dcd) {
    trajectory.format = "DCD";
    DcdReader reader(request.file);
    trajectory.frames = reader.read_frames(detail::chosen_atoms(request, reader.atoms()), request.every);
  } else {
    trajectory.format = format == detail::Format::pdb ? "PDB" : "XYZ";
    Structures read = detail::read_text(request.file, format, request.atoms);
    if (read.names.empty() && !request.atoms.names.empty()) {
      AtomChoice all = request.atoms;
      all.names.clear();
      detail::no_such_atoms(request.file, request.atoms, detail::read_text(request.file, format, all).names);
    }
    for (std::size_t frame = 0; frame < read.frames.size(); frame += request.every)
      trajectory.frames.push_back(std::move(read.frames[frame]));
  }
  const auto must = [&request](bool holds, const std::string& what) {
    if (!holds) throw std::runtime_error(request.file + ": " + what);
  };
  const std::size_t frames = trajectory.frames.size();
  trajectory.atoms = frames == 0 ? 0 : trajectory.frames.front().size() / 3;
  const bool lacks_hetatm = format == detail::Format::pdb && !request.atoms.with_hetatm;
  must(trajectory.atoms != 0,
       lacks_hetatm ? "it holds no ATOM records; --hetatm reads HETATM too" : "it holds no atoms");
  must(trajectory.atoms >= 2, "one atom has no distances to compare");
  must(frames >= 2, "one frame has nothing to be compared with");
  must(trajectory.atoms <= kMaxOfTrajectory,
       std::to_string(trajectory.atoms) + " atoms are more than 65535: choose some of them by --atoms");
  must(frames <= kMaxOfTrajectory,
       std::to_string(frames) + " frames are more than 65535: take every tenth by --every 10");
  return trajectory;
}

}  // namespace lockstep
