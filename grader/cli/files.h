// Reading and writing whole files.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace lockstep::cli {

/// Contents of a file. Throws Failed with the path.
std::string read_file(const std::filesystem::path& path);

/// Writes beside the file, then renames: whoever reads it sees the old contents or the new, never a part.
/// What is no regular file (/dev/stdout, a pipe) is written as it is. Makes missing folders. Throws Failed
/// with the path.
void write_file(const std::filesystem::path& path, std::string_view contents);

}  // namespace lockstep::cli
