// The files of a course system's download, which is a folder or one archive, by their paths in it. Nothing is
// written to a disk, and no link is followed: an archive's files come as text.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "classroom/entry_limits.h"
#include "classroom/handed_in.h"

namespace lockstep::classroom {

struct DownloadFile {
  std::string path;               ///< in the download, of any bytes, without "./" before it
  std::filesystem::path on_disk;  ///< where it lies; empty where it came out of an archive
  std::string text;               ///< of a file of an archive
  std::string refusal;            ///< why it is not read, a sentence's end
};

struct Download {
  std::filesystem::path path;
  std::vector<DownloadFile> files;    ///< sorted by path; those whose text no entry can want have none
  std::vector<std::string> folders;   ///< at the top, sorted; also those without files
  std::vector<std::string> problems;  ///< of single files that are not even listed; printable
  std::string failure;                ///< why nothing of it is read; printable
};

/// What a class's archive may take; a folder is as large as it is.
inline constexpr EntryLimits kDownloadLimits{
    .files = 200'000, .bytes = std::uint64_t{1} << 30, .file_bytes = (std::size_t{256} << 20) + 1};

/// Lists what lies at the top of a folder, by which a download is recognised. Throws
/// std::filesystem::filesystem_error where it cannot be read.
Download top_of_download(const std::filesystem::path& folder);

/// Lists a folder, or unpacks an archive, for which `limits` are. Names that begin with a dot, and __MACOSX,
/// are left out. Throws std::system_error where no sandbox can be started.
Download open_download(const std::filesystem::path& path, const EntryLimits& limits = kDownloadLimits);

/// Takes the file, which is called `name` in an entry, into `found`: as a file that may be wanted or, where
/// it is an archive, all that is in it.
void read_download_file(const DownloadFile& file, const std::string& name, const FileNames& names,
                        const EntryLimits& limits, HandedIn& found);

/// The text of a file that is wanted whatever it is called. Throws storage::FileError.
std::string download_text(const DownloadFile& file);

}  // namespace lockstep::classroom
