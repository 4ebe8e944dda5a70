#include "build/submission_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>

#include "sandbox/file_descriptor.h"

namespace lockstep::build {
namespace {

// Bytes of the UTF-8 sequence at `at`, 0 when there is none. Source: RFC 3629, section 4 (no overlong forms,
// no surrogates, nothing past U+10FFFF).
std::size_t sequence_length(const unsigned char* at, const unsigned char* end) {
  const unsigned char first = at[0];
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || static_cast<std::size_t>(end - at) < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if ((at[i] & 0xC0) != 0x80) return 0;
  }
  const unsigned char second = at[1];
  const bool outside = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
                       (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return outside ? 0 : length;
}

bool is_utf8(const std::string& text) {
  const auto* at = reinterpret_cast<const unsigned char*>(text.data());
  const auto* const end = at + text.size();
  while (at < end) {
    const std::size_t length = sequence_length(at, end);
    if (length == 0) return false;
    at += length;
  }
  return true;
}

}  // namespace

std::variant<std::string, Unreadable> read_source(const std::filesystem::path& path) {
  const std::string name = path.string();
  // Non-blocking: a named pipe would otherwise wait for its writer.
  const sandbox::FileDescriptor file(open(name.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file && (errno == ENOENT || errno == ENOTDIR))
    return Unreadable{fmt::format("{} does not exist.", name)};
  if (!file) return Unreadable{fmt::format("{} cannot be opened: {}.", name, std::strerror(errno))};
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
