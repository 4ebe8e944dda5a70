#include "cli/watched_files.h"

#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdint>

#include "build/submission_source.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

std::int64_t nanoseconds(const timespec& time) {
  constexpr std::int64_t kPerSecond = 1'000'000'000;
  return time.tv_sec * kPerSecond + time.tv_nsec;
}

/// As much of it as is graded; nothing where it cannot be read.
std::optional<std::string> source_in(const std::filesystem::path& file, off_t bytes) {
  if (static_cast<std::size_t>(bytes) > build::kSourceBytesLimit) return "";
  try {
    return storage::read_file(file);
  } catch (const storage::FileError&) {
    return std::nullopt;
  }
}

}  // namespace

WatchedFiles::WatchedFiles() : events_(inotify_init1(IN_NONBLOCK | IN_CLOEXEC)) {}

void WatchedFiles::add(const std::filesystem::path& file) {
  const std::filesystem::path folder = file.has_parent_path() ? file.parent_path() : ".";
  if (events_) inotify_add_watch(events_.get(), folder.c_str(), IN_CLOSE_WRITE | IN_MOVED_TO);
  files_.push_back({file, std::nullopt, ""});
  has_changed(files_.back(), true);
}

std::optional<std::size_t> WatchedFiles::changed() {
  const bool looks_closely = has_events();
  std::optional<std::size_t> last;
  for (std::size_t i = 0; i < files_.size(); ++i) {
    if (!has_changed(files_[i], looks_closely)) continue;
    if (!last || files_[i].stamp->written > files_[*last].stamp->written) last = i;
  }
  return last;
}

std::int64_t WatchedFiles::time_of(const std::filesystem::path& file) {
  return stamp_of(file).value_or(Stamp{}).written;
}

std::optional<WatchedFiles::Stamp> WatchedFiles::stamp_of(const std::filesystem::path& file) {
  struct stat found {};
  // Of a pipe or a device nothing is read, since that could wait.
  if (stat(file.c_str(), &found) != 0 || !S_ISREG(found.st_mode)) return std::nullopt;
  return Stamp{nanoseconds(found.st_mtim), nanoseconds(found.st_ctim), found.st_ino, found.st_size};
}

bool WatchedFiles::has_changed(File& file, bool looks_closely) {
  const std::optional<Stamp> stamp = stamp_of(file.path);
  if (!stamp || (stamp == file.stamp && !looks_closely)) return false;
  std::optional<std::string> contents = source_in(file.path, stamp->bytes);
  if (!contents) return false;
  if (contents->empty() && !file.contents.empty() && file.emptied != stamp) {
    file.emptied = stamp;  // if it is still so when it is looked at next, it was saved empty
    return false;
  }
  const bool is_other = *contents != file.contents || !file.stamp;
  file.stamp = stamp;
  file.contents = std::move(*contents);
  return is_other;
}

bool WatchedFiles::has_events() const {
  std::array<char, 4096> buffer{};
  bool any = false;
  while (events_ && read(events_.get(), buffer.data(), buffer.size()) > 0) any = true;
  return any;
}

}  // namespace lockstep::cli
