#include "build/object_cache.h"

#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <utility>
#include <vector>

#include "build/content_hash.h"
#include "sandbox/temporary_folder.h"

namespace lockstep::build {
namespace {

namespace fs = std::filesystem;

constexpr const char* kObjectName = "object.so";
constexpr const char* kDiagnosticsName = "diagnostics.txt";
constexpr const char* kSumName = "sum.txt";
constexpr const char* kNewPrefix = "new-";
// A folder that has been "new" for so long was left by a process that died.
constexpr std::chrono::hours kAbandonedAfter{24};

std::string contents_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_file(const fs::path& path, const std::string& contents) {
  std::ofstream file(path, std::ios::binary);
  file << contents;
  file.close();
  if (!file) throw fs::filesystem_error("cannot write", path, std::make_error_code(std::errc::io_error));
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
  for (const char* name : {kObjectName, kDiagnosticsName, kSumName}) {
    std::error_code error;
    const auto size = fs::file_size(entry / name, error);
    if (!error) bytes += size;
  }
  return bytes;
}

}  // namespace

ObjectCache::ObjectCache(const fs::path& folder, std::uintmax_t limit_bytes)
    : folder_(fs::absolute(folder)), limit_bytes_(limit_bytes) {
  fs::create_directories(folder_);
}

std::optional<ObjectCache::Entry> ObjectCache::find(const std::string& key) const {
  const fs::path entry = folder_ / key;
  std::error_code error;
  if (!fs::is_regular_file(entry / kObjectName, error)) return std::nullopt;
  // A machine that went down may have left a part.
  std::string diagnostics = contents_of(entry / kDiagnosticsName);
  if (contents_of(entry / kSumName) != sum_of(contents_of(entry / kObjectName), diagnostics))
    return std::nullopt;
  fs::last_write_time(entry, fs::file_time_type::clock::now(), error);  // used just now
  return Entry{entry / kObjectName, std::move(diagnostics)};
}

ObjectCache::Entry ObjectCache::store(const std::string& key, const std::string& object,
                                      const std::string& diagnostics) const {
  const sandbox::TemporaryFolder staging(folder_, kNewPrefix);
  const fs::path entry = staging.path() / "entry";
  fs::create_directory(entry);
  write_file(entry / kObjectName, object);
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
