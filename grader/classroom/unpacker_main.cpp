// The program `lockstep-unpacker`: reads one zip or tar archive by libarchive, in a sandbox, and writes what
// it finds to a pipe.
//
//   lockstep-unpacker FILES BYTES FILE-BYTES NAME…     limits, and the files that are wanted: names, or
//   *ENDING
#include <archive.h>
#include <archive_entry.h>
#include <strings.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <clocale>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <new>
#include <set>
#include <string>
#include <string_view>

#include "classroom/entry_limits.h"
#include "classroom/unpacker.h"
#include "text/shortened.h"

namespace lockstep::classroom {
namespace {

using Reader = std::unique_ptr<archive, int (*)(archive*)>;

/// Formats and filters that libarchive reads itself: for others it starts programs.
Reader make_reader() {
  Reader reader(archive_read_new(), archive_read_free);
  if (!reader) throw std::bad_alloc();
  archive_read_support_format_tar(reader.get());
  archive_read_support_format_zip(reader.get());
  archive_read_support_filter_gzip(reader.get());
  archive_read_support_filter_bzip2(reader.get());
  archive_read_support_filter_xz(reader.get());
  archive_read_support_filter_zstd(reader.get());
  return reader;
}

void write_all(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(kRecordsDescriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) std::exit(EXIT_FAILURE);  // nobody reads
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
}

void write_record(RecordKind kind, std::string_view first, std::string_view second) {
  std::string record(1, static_cast<char>(kind));
  for (const std::string_view part : {first, second}) {
    const auto size = static_cast<std::uint32_t>(part.size());
    record.append(reinterpret_cast<const char*>(&size), sizeof size);
    record.append(part);
  }
  write_all(record);
}

bool leads_outside(const std::filesystem::path& path) {
  return path.is_absolute() || std::find(path.begin(), path.end(), "..") != path.end();
}

/// Adds the file's beginning to `text`, up to `most` bytes, and all of its bytes to `total`, until these are
/// more than `limit`: what is not wanted is unpacked too, for a compressed stream has no other end. Returns
/// ARCHIVE_EOF at the file's end, and what libarchive says where it cannot go on.
int read_data(archive* reader, std::size_t most, std::uint64_t limit, std::uint64_t& total,
              std::string& text) {
  while (total <= limit) {
    const void* block = nullptr;
    std::size_t size = 0;
    la_int64_t offset = 0;
    const int status = archive_read_data_block(reader, &block, &size, &offset);
    if (status != ARCHIVE_OK && status != ARCHIVE_WARN) return status;
    total += size;
    const auto begin = static_cast<std::uint64_t>(offset);
    if (begin > most || text.size() > begin) continue;
    text.resize(begin, '\0');  // of a sparse file
    text.append(static_cast<const char*>(block), std::min(size, most - text.size()));
  }
  return ARCHIVE_OK;
}

/// Endings are meant in any case of letters.
bool is_among(const std::set<std::string>& wanted, const std::string& name) {
  const auto ends_as = [&name](const std::string& one) {
    return one.starts_with(kAnyNameWith) && name.size() >= one.size() - 1 &&
           strcasecmp(name.c_str() + name.size() - (one.size() - 1), one.c_str() + 1) == 0;
  };
  return wanted.contains(name) || std::any_of(wanted.begin(), wanted.end(), ends_as);
}

/// Why what is at the place of a wanted file is not read; nothing where it is.
std::string why_refused(archive_entry* entry, const std::string& place) {
  if (archive_entry_hardlink(entry) != nullptr || archive_entry_filetype(entry) != AE_IFREG)
    return "is a link or no regular file";
  return leads_outside(place) ? "has a path that leads out of the archive" : "";
}

void unpack(const EntryLimits& limits, const std::set<std::string>& wanted) {
  const auto fail = [](const std::string& why) { write_record(RecordKind::failed, "", why); };
  const std::string beyond = "the archive holds more than " + std::to_string(limits.bytes >> 20) +
                             " MiB or " + std::to_string(limits.files) + " files";
  const Reader reader = make_reader();
  const auto broken = [&] {
    const char* const words = archive_error_string(reader.get());
    fail("the archive cannot be read: " + text::shortened(words == nullptr ? "no reason is known" : words));
  };
  constexpr std::size_t kBlockBytes = 64 << 10;
  if (archive_read_open_fd(reader.get(), kArchiveDescriptor, kBlockBytes) != ARCHIVE_OK) return broken();
  std::uint64_t bytes = 0;
  for (std::size_t files = 0;; ++files) {
    archive_entry* entry = nullptr;
    const int header = archive_read_next_header(reader.get(), &entry);
    if (header == ARCHIVE_EOF) return write_record(RecordKind::end, "", "");
    if (header != ARCHIVE_OK && header != ARCHIVE_WARN) return broken();
    if (files >= limits.files) return fail(beyond);
    if (archive_entry_is_encrypted(entry) == 1) return fail("the archive is encrypted");
    const char* name = archive_entry_pathname(entry);
    if (name == nullptr) name = archive_entry_pathname_utf8(entry);
    const std::string place = name == nullptr ? "" : name;
    const bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
    if (place.empty()) write_record(RecordKind::unnamed, "", "");
    const bool is_wanted = !is_folder && is_among(wanted, place.substr(place.rfind('/') + 1));
    const std::string refusal = is_wanted ? why_refused(entry, place) : "";
    const bool is_read = is_wanted && refusal.empty();
    std::string text;
    const int end = read_data(reader.get(), is_read ? limits.file_bytes : 0, limits.bytes, bytes, text);
    if (bytes > limits.bytes) return fail(beyond);
    if (end != ARCHIVE_EOF) return broken();
    if (is_read) {
      write_record(RecordKind::file, place, text);
    } else if (is_wanted) {
      write_record(RecordKind::refused, place, refusal);
    } else if (!is_folder && !place.empty()) {
      write_record(RecordKind::name, place, "");
    }
  }
}

}  // namespace
}  // namespace lockstep::classroom

int main(int argc, char** argv) {
  constexpr int kFirstName = 4;
  if (argc < kFirstName) return EXIT_FAILURE;
  std::setlocale(LC_CTYPE, "C.UTF-8");
  lockstep::classroom::unpack({.files = std::strtoull(argv[1], nullptr, 10),
                               .bytes = std::strtoull(argv[2], nullptr, 10),
                               .file_bytes = std::strtoull(argv[3], nullptr, 10)},
                              {argv + kFirstName, argv + argc});
  return EXIT_SUCCESS;
}
