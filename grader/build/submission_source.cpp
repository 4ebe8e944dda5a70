#include "build/submission_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>

#include "sandbox/file_descriptor.h"
#include "text/printable.h"

namespace lockstep::build {
namespace {

namespace fs = std::filesystem;
using sandbox::FileDescriptor;

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = text::sequence_length(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

/// Why `name` in the folder `at`, which a reader knows as `path`, was not opened. By errno, and by what is
/// there now: that words the sentence, and decides nothing.
Unreadable not_opened(int at, const std::string& name, const fs::path& path) {
  const int error = errno;
  struct stat status {};
  const bool exists = fstatat(at, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (exists && S_ISLNK(status.st_mode)) {
    return {fmt::format("{} is a link, and links are not followed to a submission: hand in the file itself.",
                        path.string())};
  }
  if (exists && error == ENXIO) return {fmt::format("{} is not a regular file.", path.string())};  // a socket
  if (error == ENOENT || error == ENOTDIR) return {fmt::format("{} does not exist.", path.string()), true};
  return {fmt::format("{} cannot be opened: {}.", path.string(), std::strerror(error))};
}

/// The file, opened part by part and never over a link. That is as strict as openat2 with RESOLVE_BENEATH and
/// RESOLVE_NO_SYMLINKS, as no part is "..", and works where a kernel or a container does not have that call.
std::variant<FileDescriptor, Unreadable> open_below(const SubmissionFile& source) {
  fs::path path = source.folder();
  const std::string folder = path.empty() ? "." : path.string();
  FileDescriptor at(open(folder.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
  if (!at) return not_opened(AT_FDCWD, folder, path);
  for (const fs::path& part : source.below().parent_path()) {
    path /= part;
    FileDescriptor next(openat(at.get(), part.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (!next) return not_opened(at.get(), part, path);
    at = std::move(next);
  }
  const std::string name = source.below().has_filename() ? source.below().filename().string() : ".";
  // Non-blocking: a named pipe would otherwise wait for its writer.
  FileDescriptor file(
      openat(at.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return not_opened(at.get(), name, source.path());
  return file;
}

}  // namespace

std::variant<std::string, Unreadable> read_source(const SubmissionFile& source) {
  const std::string name = source.path().string();
  auto opened = open_below(source);
  if (auto* const unreadable = std::get_if<Unreadable>(&opened)) return std::move(*unreadable);
  const auto& file = std::get<FileDescriptor>(opened);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) {
    return Unreadable{fmt::format("{} cannot be read: {}.", name, std::strerror(errno))};
  }
  if (S_ISDIR(status.st_mode)) return Unreadable{fmt::format("{} is a folder, not a source file.", name)};
  if (!S_ISREG(status.st_mode)) return Unreadable{fmt::format("{} is not a regular file.", name)};

  std::string text(kSourceBytesLimit + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t bytes = read(file.get(), &text[size], text.size() - size);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes < 0) return Unreadable{fmt::format("{} cannot be read: {}.", name, std::strerror(errno))};
    if (bytes == 0) break;
    size += static_cast<std::size_t>(bytes);
  }
  text.resize(size);

  if (size > kSourceBytesLimit) return Unreadable{fmt::format("{} is larger than 1 MiB.", name)};
  if (text.find('\0') != std::string::npos) {
    return Unreadable{
        fmt::format("{} is not text: it holds zero bytes. Hand in the source, not a program.", name)};
  }
  if (!is_utf8(text))
    return Unreadable{fmt::format("{} is not UTF-8 text: save it with that encoding.", name)};
  if (text.find_first_not_of(" \t\r\n\v\f") == std::string::npos) {
    return Unreadable{fmt::format("{} is empty.", name)};
  }
  return text;
}

}  // namespace lockstep::build
