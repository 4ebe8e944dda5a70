// Reading and writing whole files.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "sandbox/file_descriptor.h"

namespace lockstep::storage {

/// A file cannot be read or written; what() names it and says why.
class FileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Contents of a file. Throws FileError.
std::string read_file(const std::filesystem::path& path);

/// Writes beside the file, then renames: whoever reads it sees the old contents or the new, never a part.
/// What is no regular file (/dev/stdout, a pipe) is written as it is. Makes missing folders. Throws
/// FileError.
void write_file(const std::filesystem::path& path, std::string_view contents);

/// The lock of a file, which is made where it is missing, until the descriptor is closed. Whoever holds it
/// may hang: after three seconds, and where nothing can be locked, there is no lock. Makes missing folders.
sandbox::FileDescriptor lock_for_a_while(const std::filesystem::path& file);

/// Writes a file of a folder that nobody reads before all of it is written, without waiting for the disk.
/// Makes missing folders. Throws FileError.
void write_unread_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace lockstep::storage
