// Reads the positions of a DCD file, the binary trajectories of CHARMM, NAMD, X-PLOR and OpenMM: 32-bit
// records in either byte order; unit cells and a fourth dimension are skipped.
//
// A file is a sequence of Fortran's records, each with its length in bytes before and behind it: "CORD" with
// twenty integers, the title, the number of atoms, then for each frame all x, all y, all z in ångström.
// Source: the description of the format in VMD's reader of it (dcdplugin).
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "20-drmsd/structures.h"

namespace lockstep {

/// What cannot be read; the message begins with the file and the byte, from 0.
class DcdError : public std::runtime_error {
 public:
  DcdError(const std::string& file, std::uint64_t byte, const std::string& what)
      : std::runtime_error(file + ": byte " + std::to_string(byte) + ": " + what) {}
};

class DcdReader {
 public:
  /// Reads the header. Throws DcdError, or std::runtime_error when there is nothing to read.
  explicit DcdReader(const std::string& file) : file_(file), in_(file, std::ios::binary) {
    if (!in_) throw std::runtime_error(file + " cannot be opened");
    size_ = std::filesystem::file_size(file);
    read_control();
    skip_record("the title");
    if (marker("the number of atoms") != sizeof atoms_)
      fail("a record of 4 bytes with the number of atoms belongs here");
    atoms_ = word();
    end_record(sizeof atoms_);
    if (atoms_ == 0 || std::uint64_t{atoms_} * 3 * sizeof(float) > size_)
      fail("a frame of " + std::to_string(atoms_) + " atoms is longer than the file, or empty");
  }

  std::size_t atoms() const { return atoms_; }

  /// Of each `every`th frame from the first on the positions of `chosen` atoms, by their places.
  std::vector<Positions> read_frames(const std::vector<std::size_t>& chosen, std::size_t every) {
    std::vector<Positions> frames;
    std::vector<float> coordinates(atoms_);
    std::size_t number = 0;
    for (; at_ < size_; ++number) {
      in_frame_ = "frame " + std::to_string(number + 1);
      if (has_cell_) skip_record("the unit cell");
      Positions frame(number % every == 0 ? 3 * chosen.size() : 0);
      for (std::size_t axis = 0; axis < 3; ++axis) {
        const std::uint64_t begin = at_ + kMarkerBytes;
        read_axis(coordinates);
        if (frame.empty()) continue;
        for (std::size_t i = 0; i < chosen.size(); ++i) {
          const float value = coordinates[chosen[i]];
          if (!(std::abs(value) <= detail::kFarthest))
            throw DcdError(file_, begin + chosen[i] * sizeof(float),
                           "the coordinate of atom " + std::to_string(chosen[i] + 1) + " in " + in_frame_ +
                               " is no number from -10000 to 10000");
          frame[3 * i + axis] = value;
        }
      }
      if (has_fourth_dimension_) skip_record("the fourth dimension");
      if (number % every == 0) frames.push_back(std::move(frame));
    }
    if (number < announced_)
      fail("the header announces " + std::to_string(announced_) + " frames, and the file ends after " +
           std::to_string(number) + ": it was cut off");
    return frames;
  }

 private:
  static constexpr std::size_t kMarkerBytes = 4, kControlBytes = 84, kIntegers = 20;

  [[noreturn]] void fail(const std::string& what) const { throw DcdError(file_, at_, what); }

  void read_bytes(void* to, std::size_t bytes) {
    if (size_ - at_ < bytes || !in_.read(static_cast<char*>(to), static_cast<std::streamsize>(bytes)))
      fail("the file ends here, within " + in_frame_ + ": it was cut off");
    at_ += bytes;
  }

  std::uint32_t in_order(std::uint32_t value) const {
    return is_swapped_ ? value << 24 | (value & 0xFF00) << 8 | (value >> 8 & 0xFF00) | value >> 24 : value;
  }

  std::uint32_t word() {
    std::uint32_t value = 0;
    read_bytes(&value, sizeof value);
    return in_order(value);
  }

  std::uint32_t marker(const char* of) {
    if (size_ - at_ < kMarkerBytes) fail(std::string("the file ends where ") + of + " belongs");
    return word();
  }

  void end_record(std::uint32_t length) {
    const std::uint64_t begin = at_;
    if (const std::uint32_t found = word(); found != length)
      throw DcdError(
          file_, begin,
          "a record of " + std::to_string(length) + " bytes ends with the length " + std::to_string(found));
  }

  void skip_record(const char* of) {
    const std::uint32_t length = marker(of);
    if (length > size_ - at_)
      fail("the file ends within " + std::string(of) + " of " + in_frame_ + ": it was cut off");
    in_.seekg(length, std::ios::cur);
    at_ += length;
    end_record(length);
  }

  void read_control() {
    const std::uint32_t length = word();
    std::array<char, 4> magic{};
    is_swapped_ = length != kControlBytes;
    read_bytes(magic.data(), magic.size());
    if (in_order(length) != kControlBytes)
      fail("no DCD of 32 bits: its first record has " + std::to_string(length) + " bytes in place of 84");
    if (std::memcmp(magic.data(), "VELD", magic.size()) == 0)
      fail("it holds velocities; positions are needed");
    if (std::memcmp(magic.data(), "CORD", magic.size()) != 0) fail("no DCD: CORD is missing");
    std::array<std::uint32_t, kIntegers> control{};
    for (std::uint32_t& value : control) value = word();
    end_record(kControlBytes);
    announced_ = control[0];
    if (control[8] != 0)
      fail(
          std::to_string(control[8]) +
          " atoms are fixed, and are stored in the first frame alone: write the trajectory with all atoms in "
          "every frame");
    // Without a version of CHARMM it is X-PLOR's, which has a double where the flags are.
    const bool is_charmm = control[19] != 0;
    has_cell_ = is_charmm && control[10] != 0;
    has_fourth_dimension_ = is_charmm && control[11] != 0;
  }

  void read_axis(std::vector<float>& coordinates) {
    const std::uint64_t begin = at_;
    const std::uint32_t length = marker("a record of coordinates");
    if (length != coordinates.size() * sizeof(float))
      throw DcdError(file_, begin,
                     "the coordinates of " + in_frame_ + " have " + std::to_string(length) +
                         " bytes, those of " + std::to_string(atoms_) + " atoms have " +
                         std::to_string(atoms_ * sizeof(float)));
    read_bytes(coordinates.data(), length);
    if (is_swapped_)
      for (float& value : coordinates)
        value = std::bit_cast<float>(in_order(std::bit_cast<std::uint32_t>(value)));
    end_record(length);
  }

  std::string file_, in_frame_ = "the header";
  std::ifstream in_;
  std::uint64_t size_ = 0, at_ = 0;
  std::uint32_t atoms_ = 0, announced_ = 0;
  bool is_swapped_ = false, has_cell_ = false, has_fourth_dimension_ = false;
};

}  // namespace lockstep
