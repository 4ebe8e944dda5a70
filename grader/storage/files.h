// Reading and writing whole files.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

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

/// Writes a file of a folder that nobody reads before all of it is written, without waiting for the disk.
/// Makes missing folders. Throws FileError.
void write_unread_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace lockstep::storage
