// What lockstep-unpacker says of an archive. Both ends of the pipe are this build's, and the reader believes
// nothing of it: the other end works on what a stranger made.
#pragma once

#include <cstdint>

namespace lockstep::classroom {

/// Descriptors of the unpacker: the archive, and where records go.
inline constexpr int kArchiveDescriptor = 3, kRecordsDescriptor = 4;

/// Before the ending of a wanted file's name: every file with that ending is wanted. No exercise's file is
/// called so.
inline constexpr char kAnyNameWith = '*';

/// A record: its kind, then two texts, each behind its length of 4 bytes in this machine's order.
enum class RecordKind : char {
  name = 'n',     ///< path of a file that is not read
  file = 'f',     ///< path, contents
  refused = 'r',  ///< path of what would be read, why it is not
  unnamed = 'u',  ///< nothing, nothing: a file whose name is not in the characters that the archive says
  failed = 'x',   ///< nothing, why nothing of the archive counts
  end = 'e',      ///< nothing, nothing: the archive has been read
};

}  // namespace lockstep::classroom
