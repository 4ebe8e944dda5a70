// Archives of submissions, which are hostile: links, paths that lead outside, bombs, and whatever a fault in
// libarchive would let them do. So a program in the sandbox opens them (unpacker_main.cpp).
#pragma once

#include <filesystem>

#include "classroom/handed_in.h"

namespace lockstep::classroom {

/// Reads every regular file of a zip or tar archive, of which `found` takes those that it wants. Nothing is
/// written to a disk. An archive that is broken, encrypted or beyond the limits fails as a whole. Throws
/// std::system_error where no sandbox can be started, std::runtime_error where lockstep-unpacker is not
/// there.
void read_archive(const std::filesystem::path& path, const FileNames& names, const EntryLimits& limits,
                  HandedIn& found);

}  // namespace lockstep::classroom
