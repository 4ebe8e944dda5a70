// Boxes of bytes in memory: slices of rows, as copies and fills of two and three dimensions move them. A
// range is a box of one row.
//
// Where numbers come from a stranger, span_of comes first: of a box that has a span no other function here
// overflows.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

namespace lockstep::emulator {

struct BoxShape {
  std::uint64_t width = 0, height = 1, depth = 1;  ///< bytes, rows, slices
  std::uint64_t rows() const { return height * depth; }
  std::uint64_t bytes() const { return width * height * depth; }  ///< without what lies between rows
};

/// Some of a box's bytes, counted from its first one without what lies between rows.
struct BoxPart {
  std::uint64_t first = 0, bytes = 0;
};

/// A piece of one row.
struct RowPiece {
  std::uint64_t slice = 0, row = 0, column = 0, bytes = 0;
};

/// Where a box lies, on the device or in the host's memory.
struct BoxPlace {
  std::uint64_t address = 0;
  std::uint64_t pitch = 0, slice = 0;  ///< bytes from one row, and from one slice, to the next
  std::uint64_t address_of(const RowPiece& piece) const {
    return address + piece.slice * slice + piece.row * pitch + piece.column;
  }
};

/// Bytes from a box's first to its last; nothing when it is empty, rows or slices overlap, or 64 bits do not
/// hold their number.
inline std::optional<std::uint64_t> span_of(const BoxShape& shape, const BoxPlace& place) {
  if (shape.width == 0 || shape.height == 0 || shape.depth == 0) return std::nullopt;
  std::uint64_t rows = 0, slices = 0, span = 0;
  if (shape.height > 1 && shape.width > place.pitch) return std::nullopt;
  if (__builtin_mul_overflow(shape.height - 1, place.pitch, &rows) ||
      __builtin_add_overflow(rows, shape.width, &rows)) {
    return std::nullopt;
  }
  if (shape.depth > 1 && rows > place.slice) return std::nullopt;
  if (__builtin_mul_overflow(shape.depth - 1, place.slice, &slices) ||
      __builtin_add_overflow(slices, rows, &span)) {
    return std::nullopt;
  }
  return span;
}

/// Calls function(piece) for what the part has of each row, in order.
template <class Function>
void for_row_pieces(const BoxShape& shape, const BoxPart& part, const Function& function) {
  const std::uint64_t row = part.first / shape.width;
  RowPiece piece{row / shape.height, row % shape.height, part.first % shape.width, 0};
  for (std::uint64_t left = part.bytes; left > 0; left -= piece.bytes) {
    piece.bytes = std::min(shape.width - piece.column, left);
    function(static_cast<const RowPiece&>(piece));
    piece.column = 0;
    if (++piece.row == shape.height) {
      piece.row = 0;
      ++piece.slice;
    }
  }
}

}  // namespace lockstep::emulator
