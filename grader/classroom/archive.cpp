#include "classroom/archive.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

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

constexpr std::chrono::seconds kUnpackingTime{60};
/// More than xz takes for a file that it made with its largest dictionary.
constexpr std::size_t kUnpackingMemory = std::size_t{1} << 30;

sandbox::Command unpacker_command(const FileNames& names, const EntryLimits& limits, int archive,
                                  int records) {
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
  for (const auto& [name, exercise] : names.wanted) command.arguments.push_back(name);
  command.environment = {{"LD_LIBRARY_PATH", sandbox::kLibrariesInside}, {"LC_ALL", "C.UTF-8"}};
  command.descriptors = {{archive, kArchiveDescriptor}, {records, kRecordsDescriptor}};
  command.limits.wall_time = kUnpackingTime;
  command.limits.processor_time = kUnpackingTime;
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
bool take_records(std::string_view bytes, const EntryLimits& limits, HandedIn& found) {
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
      case RecordKind::failed:
        found.fail(text::shortened(text::printable(*text)));
        return true;
      case RecordKind::end:
        return true;
    }
  }
  return false;
}

}  // namespace

void read_archive(const std::filesystem::path& path, const FileNames& names, const EntryLimits& limits,
                  HandedIn& found) {
  const FileDescriptor archive(open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK));
  struct stat status {};
  if (!archive || fstat(archive.get(), &status) != 0)
    return found.fail(fmt::format("the archive cannot be opened: {}", std::strerror(errno)));
  if (!S_ISREG(status.st_mode)) return found.fail("the archive is no regular file");
  if (static_cast<std::uint64_t>(status.st_size) > limits.bytes)
    return found.fail(fmt::format("the archive has more than {} MiB", limits.bytes >> 20));

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) throw std::system_error(errno, std::generic_category(), "pipe2");
  const FileDescriptor records(ends[0]);
  FileDescriptor theirs(ends[1]);
  sandbox::Process unpacker(unpacker_command(names, limits, archive.get(), theirs.get()));
  theirs.reset();
  // Beside the files there are names, of which an archive could make many.
  const std::string bytes = read_to_end(records, limits.bytes);
  unpacker.kill();
  if (!take_records(bytes, limits, found))
    found.fail("the archive cannot be read: whoever opens it crashes, or needs too much time or memory");
}

}  // namespace lockstep::classroom
