#include "classroom/archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "classroom/unpacker.h"
#include "device/installation.h"
#include "sandbox/file_descriptor.h"
#include "sandbox/program_files.h"
#include "sandbox/sandbox.h"
#include "text/printable.h"
#include "text/shortened.h"

namespace lockstep::classroom {
namespace {

using sandbox::FileDescriptor;

/// For each of so many bytes that the archive may have; a student's has as many.
constexpr std::chrono::seconds kUnpackingTime{60};
constexpr std::uint64_t kBytesInThatTime = std::uint64_t{256} << 20;
/// More than xz takes for a file that it made with its largest dictionary.
constexpr std::size_t kUnpackingMemory = std::size_t{1} << 30;

/// The longer first: .tar.gz is no archive that is called "x.tar".
constexpr std::array<std::string_view, 11> kArchiveEndings = {
    ".tar.bz2", ".tar.zst", ".tar.gz", ".tar.xz", ".tbz2", ".tzst", ".tbz", ".tgz", ".txz", ".tar", ".zip"};

sandbox::Command unpacker_command(const std::vector<std::string>& names, const EntryLimits& limits,
                                  int archive, int records) {
  const std::filesystem::path executable = device::installed_program("lockstep-unpacker");
  // The same for a class's hundreds of archives, and to ask the linker takes long.
  static std::map<std::filesystem::path, std::vector<sandbox::Mount>> libraries;
  if (!libraries.contains(executable)) libraries[executable] = sandbox::library_mounts({executable});
  sandbox::Command command;
  command.own_files = true;
  command.mounts = libraries[executable];
  command.mounts.push_back({executable, "/lockstep/unpacker"});
  command.arguments = {sandbox::seen_path(command.mounts.back()), std::to_string(limits.files),
                       std::to_string(limits.bytes), std::to_string(limits.file_bytes)};
  command.arguments.insert(command.arguments.end(), names.begin(), names.end());
  command.environment = {{"LD_LIBRARY_PATH", sandbox::kLibrariesInside}, {"LC_ALL", "C.UTF-8"}};
  // libarchive gives names in the locale's characters. That of UTF-8 is a file, which glibc looks for in
  // LOCPATH.
  if (const sandbox::Mount locale{"/usr/lib/locale/C.utf8/LC_CTYPE", "/lockstep/locale/C.utf8/LC_CTYPE"};
      std::filesystem::exists(locale.host)) {
    command.mounts.push_back(locale);
    command.environment["LOCPATH"] = sandbox::seen_path(locale).parent_path().parent_path();
  }
  command.descriptors = {{archive, kArchiveDescriptor}, {records, kRecordsDescriptor}};
  const auto times = static_cast<int>((limits.bytes + kBytesInThatTime - 1) / kBytesInThatTime);
  command.limits.wall_time = std::max(times, 1) * kUnpackingTime;
  command.limits.processor_time = std::max(times, 1) * kUnpackingTime;
  command.limits.memory_bytes = kUnpackingMemory;
  return command;
}

/// All that is written to a pipe until nobody writes any more, up to `most` bytes.
std::string read_to_end(const FileDescriptor& pipe, std::size_t most) {
  std::string bytes, block(64 << 10, '\0');
  while (bytes.size() <= most) {
    const ssize_t size = read(pipe.get(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    bytes.append(block, 0, static_cast<std::size_t>(size));
  }
  return bytes;
}

/// Takes a text behind its length from the front of `bytes`; nothing where it is not all there.
std::optional<std::string_view> take_text(std::string_view& bytes) {
  std::uint32_t size = 0;
  if (bytes.size() < sizeof size) return std::nullopt;
  std::memcpy(&size, bytes.data(), sizeof size);
  bytes.remove_prefix(sizeof size);
  if (bytes.size() < size) return std::nullopt;
  const std::string_view text = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return text;
}

/// Whether the records came to their end; what they say is what a stranger may have made them say.
bool take_records(std::string_view bytes, const EntryLimits& limits, ArchiveReceiver& found) {
  while (!bytes.empty()) {
    const auto kind = static_cast<RecordKind>(bytes.front());
    bytes.remove_prefix(1);
    const auto place = take_text(bytes), text = take_text(bytes);
    if (!place || !text) return false;
    switch (kind) {
      case RecordKind::name:
        found.wants(*place);
        break;
      case RecordKind::file:
        if (found.wants(*place)) found.add(*place, std::string(text->substr(0, limits.file_bytes)));
        break;
      case RecordKind::refused:
        if (found.wants(*place)) found.refuse(*place, text::shortened(text::printable(*text)));
        break;
      case RecordKind::unnamed:
        found.unnamed();
        break;
      case RecordKind::failed:
        found.fail(text::shortened(text::printable(*text)));
        return true;
      case RecordKind::end:
        return true;
    }
  }
  return false;
}

void read_open_archive(int archive, const std::vector<std::string>& names, const EntryLimits& limits,
                       ArchiveReceiver& found) {
  struct stat status {};
  if (fstat(archive, &status) != 0)
    return found.fail(fmt::format("the archive cannot be opened: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) return found.fail("the archive is no regular file");
  if (static_cast<std::uint64_t>(status.st_size) > limits.bytes)
    return found.fail(fmt::format("the archive has more than {} MiB", limits.bytes >> 20));

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  const FileDescriptor records(ends[0]);
  FileDescriptor theirs(ends[1]);
  sandbox::Process unpacker(unpacker_command(names, limits, archive, theirs.get()));
  theirs.reset();
  // Beside the files there are names, of which an archive could make many.
  const std::string bytes = read_to_end(records, limits.bytes);
  unpacker.kill();
  if (!take_records(bytes, limits, found))
    found.fail("the archive cannot be read: whoever opens it crashes, or needs too much time or memory");
}

}  // namespace

std::string_view archive_ending(std::string_view name) {
  for (const std::string_view ending : kArchiveEndings) {
    if (name.size() <= ending.size()) continue;
    const std::string_view last = name.substr(name.size() - ending.size());
    const auto same = [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a) == b; };
    if (std::equal(last.begin(), last.end(), ending.begin(), same)) return last;
  }
  return {};
}

bool is_archive(std::string_view name) { return !archive_ending(name).empty(); }

std::vector<std::string> archive_endings() { return {kArchiveEndings.begin(), kArchiveEndings.end()}; }

void read_archive(const std::filesystem::path& path, const std::vector<std::string>& names,
                  const EntryLimits& limits, ArchiveReceiver& found) {
  const FileDescriptor archive(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  if (!archive) return found.fail(fmt::format("the archive cannot be opened: {}", std::strerror(errno)));
  read_open_archive(archive.get(), names, limits, found);
}

void read_archive_text(std::string_view archive, const std::vector<std::string>& names,
                       const EntryLimits& limits, ArchiveReceiver& found) {
  const FileDescriptor memory(memfd_create("lockstep-archive", MFD_CLOEXEC));
  if (!memory) throw std::system_error(errno, std::generic_category(), "memfd_create");
  while (!archive.empty()) {
    const ssize_t written = write(memory.get(), archive.data(), archive.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw std::system_error(errno, std::generic_category(), "write");
    archive.remove_prefix(static_cast<std::size_t>(written));
  }
  lseek(memory.get(), 0, SEEK_SET);
  read_open_archive(memory.get(), names, limits, found);
}

}  // namespace lockstep::classroom
