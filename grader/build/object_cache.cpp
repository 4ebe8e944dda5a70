#include "build/object_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <stdexcept>
#include <system_error>
#include <utility>
#include <vector>

#include "build/content_hash.h"
#include "sandbox/sandbox.h"
#include "sandbox/temporary_folder.h"

namespace lockstep::build {
namespace {

namespace fs = std::filesystem;
using sandbox::FileDescriptor;

constexpr const char* kCachedObjectName = "object.so";
constexpr const char* kDiagnosticsName = "diagnostics.txt";
constexpr const char* kSumName = "sum.txt";
constexpr const char* kNewPrefix = "new-";
// Nobody else comes through the folder, but a sandbox may be another user, to whom the judge hands one
// object.
constexpr mode_t kFileMode = 0644;
// A folder that has been "new" for so long was left by a process that died.
constexpr std::chrono::hours kAbandonedAfter{24};

std::system_error error_of(const std::string& what) { return {errno, std::generic_category(), what}; }

// Of a file of this user's own, and not of a link's target; nothing when it is none.
std::optional<std::string> own_contents_of(const fs::path& path) {
  const FileDescriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  struct stat status {};
  if (!file || fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) || status.st_uid != geteuid())
    return std::nullopt;
  std::string contents(static_cast<std::size_t>(status.st_size), '\0');
  std::size_t size = 0;
  while (size < contents.size()) {
    const ssize_t bytes = read(file.get(), &contents[size], contents.size() - size);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) return std::nullopt;
    size += static_cast<std::size_t>(bytes);
  }
  return contents;
}

void write_file(const fs::path& path, const std::string& contents) {
  const FileDescriptor file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600));
  if (!file || fchmod(file.get(), kFileMode) != 0) throw error_of("cannot write " + path.string());
  for (std::size_t size = 0; size < contents.size();) {
    const ssize_t bytes = write(file.get(), &contents[size], contents.size() - size);
    if (bytes < 0 && errno == EINTR) continue;
    if (bytes <= 0) throw error_of("cannot write " + path.string());
    size += static_cast<std::size_t>(bytes);
  }
}

// Without namespaces, root's commands run as users that nobody is, who come to their object through the
// folder: they may pass, and not list it.
mode_t folder_mode() { return geteuid() == 0 && !sandbox::isolation().namespaces ? 0711 : 0700; }

// The folder, made when there is none, and this user's alone.
FileDescriptor open_private(const fs::path& folder) {
  fs::create_directories(folder.parent_path());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) throw error_of("cannot make " + folder.string());
  FileDescriptor opened(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  struct stat status {};
  if (!opened || fstat(opened.get(), &status) != 0) throw error_of("cannot open " + folder.string());
  if (status.st_uid != geteuid()) {
    throw std::runtime_error(folder.string() +
                             " belongs to another user, who could change what is compiled there: name a "
                             "folder of your own in LOCKSTEP_CACHE");
  }
  if ((status.st_mode & 07777) != folder_mode() && fchmod(opened.get(), folder_mode()) != 0)
    throw error_of("cannot make " + folder.string() + " private");
  return opened;
}

std::string sum_of(const std::string& object, const std::string& diagnostics) {
  ContentHash hash;
  hash.add(object);
  hash.add(diagnostics);
  return hash.digest();
}

bool is_new(const fs::path& folder) { return folder.filename().string().starts_with(kNewPrefix); }

std::uintmax_t size_of(const fs::path& entry) {
  std::uintmax_t bytes = 0;
  for (const char* name : {kCachedObjectName, kDiagnosticsName, kSumName}) {
    std::error_code error;
    const auto size = fs::file_size(entry / name, error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

ObjectCache::ObjectCache(const fs::path& folder, std::uintmax_t limit_bytes)
    : folder_(fs::absolute(folder)), lock_(open_private(folder_)), limit_bytes_(limit_bytes) {
  // Where a file system knows no locks, remains go when they are a day old.
  if (flock(lock_.get(), LOCK_EX | LOCK_NB) == 0) remove_remains();
  while (flock(lock_.get(), LOCK_SH) != 0 && errno == EINTR) continue;
}

std::optional<ObjectCache::Entry> ObjectCache::find(const std::string& key) const {
  const fs::path entry = folder_ / key;
  const auto object = own_contents_of(entry / kCachedObjectName), sum = own_contents_of(entry / kSumName);
  auto diagnostics = own_contents_of(entry / kDiagnosticsName);
  // A machine that went down may have left a part.
  if (!object || !diagnostics || sum != sum_of(*object, *diagnostics)) return std::nullopt;
  std::error_code error;
  fs::last_write_time(entry, fs::file_time_type::clock::now(), error);  // used just now
  return Entry{entry / kCachedObjectName, *std::move(diagnostics)};
}

ObjectCache::Entry ObjectCache::store(const std::string& key, const std::string& object,
                                      const std::string& diagnostics) const {
  const sandbox::TemporaryFolder staging(folder_, kNewPrefix);
  const fs::path entry = staging.path() / "entry";
  fs::create_directory(entry);
  fs::permissions(entry, fs::perms(0755));  // whatever the umask is
  write_file(entry / kCachedObjectName, object);
  write_file(entry / kDiagnosticsName, diagnostics);
  write_file(entry / kSumName, sum_of(object, diagnostics));
  std::error_code error;
  fs::rename(entry, folder_ / key, error);  // refuses when the key exists: a folder that is not empty
  auto stored = find(key);
  if (!stored) {  // what is there is damaged; moved away first, so that nobody finds half an entry
    const sandbox::TemporaryFolder removed(folder_, kNewPrefix);
    fs::rename(folder_ / key, removed.path() / "entry", error);
    fs::rename(entry, folder_ / key, error);
    stored = find(key);
  }
  if (!stored) throw fs::filesystem_error("cannot store a compiled object", folder_ / key, error);
  drop_oldest();
  return *stored;
}

void ObjectCache::remove_remains() const {
  std::error_code error;
  for (const fs::directory_entry& folder : fs::directory_iterator(folder_, error)) {
    if (is_new(folder)) fs::remove_all(folder.path(), error);
  }
}

void ObjectCache::drop_oldest() const {
  struct Candidate {
    fs::path folder;
    fs::file_time_type used;
    std::uintmax_t bytes;
  };
  std::vector<Candidate> candidates;
  std::uintmax_t total = 0;
  const auto now = fs::file_time_type::clock::now();
  std::error_code error;
  for (const fs::directory_entry& folder : fs::directory_iterator(folder_, error)) {
    const auto used = folder.last_write_time(error);
    if (error) continue;
    if (!is_new(folder)) {
      candidates.push_back({folder.path(), used, size_of(folder)});
      total += candidates.back().bytes;
    } else if (now - used > kAbandonedAfter) {
      fs::remove_all(folder.path(), error);
    }
  }
  std::sort(candidates.begin(), candidates.end(),
            [](const Candidate& a, const Candidate& b) { return a.used < b.used; });
  // The newest stays whatever its size: it is about to be loaded.
  for (std::size_t i = 0; i + 1 < candidates.size() && total > limit_bytes_; ++i) {
    // Moved away first, so that nobody finds half an entry.
    const sandbox::TemporaryFolder removed(folder_, kNewPrefix);
    fs::rename(candidates[i].folder, removed.path() / "entry", error);
    total -= candidates[i].bytes;
  }
}

}  // namespace lockstep::build
