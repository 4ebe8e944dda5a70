#include "storage/files.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

namespace lockstep::storage {

namespace {

void write_contents(const std::filesystem::path& target, std::string_view contents) {
  std::ofstream file(target, std::ios::binary | std::ios::trunc);
  file.write(contents.data(), static_cast<std::streamsize>(contents.size()));
  file.close();
  if (!file) throw FileError("cannot write " + target.string() + ": " + std::strerror(errno));
}

}  // namespace

std::string read_file(const std::filesystem::path& path) {
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    throw FileError("cannot read " + path.string() + ": it is no file");  // a pipe would never end
  std::ifstream file(path, std::ios::binary);
  std::string contents;
  std::vector<char> block(std::size_t{1} << 16);
  do {
    file.read(block.data(), static_cast<std::streamsize>(block.size()));
    contents.append(block.data(), static_cast<std::size_t>(file.gcount()));
  } while (file);
  if (!file.is_open() || file.bad())
    throw FileError("cannot read " + path.string() + ": " + std::strerror(errno));
  return contents;
}

void write_file(const std::filesystem::path& path, std::string_view contents) {
  // Before it gets its name: a machine that stops after the renaming would otherwise leave an empty file.
  // Some file systems cannot be asked.
  const auto bring_to_disk = [](const std::filesystem::path& target) {
    const sandbox::FileDescriptor file(open(target.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file || (fsync(file.get()) != 0 && errno != EINVAL && errno != ENOSYS && errno != ENOTSUP))
      throw FileError("cannot write " + target.string() + ": " + std::strerror(errno));
  };
  std::error_code error;
  if (std::filesystem::exists(path, error) && !std::filesystem::is_regular_file(path, error))
    return write_contents(path, contents);
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  std::filesystem::path beside = path;
  beside += ".new-" + std::to_string(getpid());
  try {
    write_contents(beside, contents);
    bring_to_disk(beside);
    std::filesystem::rename(beside, path, error);
    if (error) throw FileError("cannot write " + path.string() + ": " + error.message());
  } catch (const FileError&) {
    std::filesystem::remove(beside, error);
    throw;
  }
}

sandbox::FileDescriptor lock_for_a_while(const std::filesystem::path& file) {
  constexpr std::chrono::milliseconds kPause{10};
  constexpr int kTries = 300;
  std::error_code error;
  if (file.has_parent_path()) std::filesystem::create_directories(file.parent_path(), error);
  sandbox::FileDescriptor lock(open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  for (int tries = 0; lock && tries < kTries && flock(lock.get(), LOCK_EX | LOCK_NB) != 0; ++tries)
    std::this_thread::sleep_for(kPause);
  return lock;
}

void write_unread_file(const std::filesystem::path& path, std::string_view contents) {
  std::error_code error;
  if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
  write_contents(path, contents);
}

}  // namespace lockstep::storage
