// What lockstep-unpacker says of an archive. Both ends of the pipe are this build's, and the reader believes
// nothing of it: the other end works on what a stranger made.
#pragma once

#include <cstdint>

namespace lockstep::classroom {

/// Descriptors of the unpacker: the archive, and where records go.
inline constexpr int kArchiveDescriptor = 3, kRecordsDescriptor = 4;

/// A record: its kind, then two texts, each behind its length of 4 bytes in this machine's order.
enum class RecordKind : char {
  name = 'n',     ///< path of a file that is not read
  file = 'f',     ///< path, contents
  refused = 'r',  ///< path of what would be read, why it is not
  failed = 'x',   ///< nothing, why nothing of the archive counts
  end = 'e',      ///< nothing, nothing: the archive has been read
};

}  // namespace lockstep::classroom
