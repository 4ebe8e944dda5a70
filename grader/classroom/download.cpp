#include "classroom/download.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <system_error>
#include <utility>

#include "classroom/archive.h"
#include "classroom/unpacker.h"
#include "storage/files.h"
#include "text/printable.h"
#include "text/shortened.h"

namespace lockstep::classroom {
namespace {

namespace fs = std::filesystem;

/// What some computers put beside what was meant, and what nobody means to hand in.
bool is_passed_over(std::string_view path) {
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find('/', begin), path.size());
    const std::string_view part = path.substr(begin, end - begin);
    if (part.starts_with('.') || part == "__MACOSX") return true;
    begin = end + 1;
  }
  return false;
}

bool leads_out(const std::string& path) {
  return path.starts_with('/') || path == ".." || path.starts_with("../") || path.ends_with("/..") ||
         path.find("/../") != std::string::npos;
}

class ArchiveFiles : public ArchiveReceiver {
 public:
  explicit ArchiveFiles(Download& download) : download_(download) {}

  bool wants(std::string_view path) override {
    path = without_dot(path);
    if (is_wanted(path)) return true;
    if (!is_passed_over(path)) download_.files.push_back({.path = std::string(path)});
    return false;
  }
  void add(std::string_view path, std::string text) override {
    path = without_dot(path);
    if (!is_passed_over(path))
      download_.files.push_back({.path = std::string(path), .text = std::move(text)});
  }
  void refuse(std::string_view path, const std::string& why) override {
    path = without_dot(path);
    if (leads_out(std::string(path))) {
      download_.problems.push_back(text::shortened(fmt::format("{} {}", text::printable(path), why)));
    } else if (!is_passed_over(path)) {
      download_.files.push_back({.path = std::string(path), .refusal = why});
    }
  }
  void unnamed() override {
    download_.problems.emplace_back("a file has a name that cannot be read: it is not graded");
  }
  void fail(const std::string& why) override { download_.failure = why; }

 private:
  static std::string_view without_dot(std::string_view path) {
    while (path.starts_with("./")) path.remove_prefix(2);
    return path;
  }
  static bool is_wanted(std::string_view path) {
    return path.ends_with(".cu") || path.ends_with("submission_metadata.yml") || is_archive(path);
  }

  Download& download_;
};

/// Of what lies at the top of a folder, as much as one entry may have: who has more is told of, and left out.
void list_folder(Download& download) {
  const EntryLimits limits;
  std::error_code error;
  fs::recursive_directory_iterator at(download.path, error);  // goes into no folder that a link leads to
  std::string top;
  std::size_t first_of_top = 0, files_of_top = 0;
  bool is_left_out = false;
  for (; !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    const std::string place = at->path().lexically_relative(download.path).string();
    std::error_code vanished;
    const bool is_folder = at->symlink_status(vanished).type() == fs::file_type::directory;
    if (is_passed_over(place) || (is_left_out && at.depth() > 0)) {
      if (is_folder) at.disable_recursion_pending();
      continue;
    }
    if (at.depth() == 0) {
      top = place;
      is_left_out = false;
      first_of_top = download.files.size();
      files_of_top = 0;
      if (is_folder) download.folders.push_back(place);
    }
    if (!is_folder) download.files.push_back({.path = place, .on_disk = at->path()});
    if (++files_of_top <= limits.files) continue;
    download.files.resize(first_of_top);
    download.problems.push_back(
        fmt::format("{} holds more than {} files: none of it is graded", text::printable(top), limits.files));
    is_left_out = true;
  }
  if (error) download.failure = "the folder cannot be read: " + error.message();
}

/// The same of the top alone.
void list_top(Download& download) {
  for (const fs::directory_entry& entry : fs::directory_iterator(download.path)) {
    const std::string name = entry.path().filename().string();
    std::error_code vanished;
    if (is_passed_over(name)) continue;
    if (entry.symlink_status(vanished).type() == fs::file_type::directory) {
      download.folders.push_back(name);
    } else {
      download.files.push_back({.path = name, .on_disk = entry.path()});
    }
  }
}

void sort_files(Download& download) {
  const auto by_path = [](const DownloadFile& a, const DownloadFile& b) { return a.path < b.path; };
  std::stable_sort(download.files.begin(), download.files.end(), by_path);
  std::sort(download.folders.begin(), download.folders.end());
  download.folders.erase(std::unique(download.folders.begin(), download.folders.end()),
                         download.folders.end());
}

}  // namespace

Download top_of_download(const fs::path& folder) {
  Download download{.path = folder};
  list_top(download);
  sort_files(download);
  return download;
}

Download open_download(const fs::path& path, const EntryLimits& limits) {
  Download download{.path = path};
  std::error_code vanished;
  if (fs::is_directory(path, vanished)) {
    list_folder(download);
  } else {
    std::vector<std::string> wanted = {"*.cu", "*submission_metadata.yml"};
    for (const std::string& ending : archive_endings()) wanted.push_back(kAnyNameWith + ending);
    ArchiveFiles files(download);
    read_archive(path, wanted, limits, files);
    for (const DownloadFile& file : download.files)
      if (const std::size_t end = file.path.find('/'); end != std::string::npos)
        download.folders.push_back(file.path.substr(0, end));
  }
  sort_files(download);
  return download;
}

void read_download_file(const DownloadFile& file, const std::string& name, const FileNames& names,
                        const EntryLimits& limits, HandedIn& found) {
  if (is_archive(name)) {
    if (!file.refusal.empty()) return found.fail(fmt::format("{} {}", text::printable(name), file.refusal));
    if (!file.on_disk.empty()) {
      found.set_file_time(modified(file.on_disk));
      read_archive(file.on_disk, wanted_names(names), limits, found);
    } else {
      read_archive_text(file.text, wanted_names(names), limits, found);
    }
    return found.set_file_time(std::nullopt);
  }
  if (!found.wants(name)) return;
  if (!file.refusal.empty()) return found.refuse(name, file.refusal);
  if (!file.on_disk.empty()) return found.take(name, file.on_disk, limits.file_bytes);
  found.add(name, file.text.substr(0, limits.file_bytes));
}

std::string download_text(const DownloadFile& file) {
  if (!file.refusal.empty())
    throw storage::FileError(fmt::format("{} {}", text::printable(file.path), file.refusal));
  if (file.on_disk.empty()) return file.text;
  constexpr std::size_t kMaxBytes = std::size_t{64} << 20;
  FileBeginning beginning = read_beginning(file.on_disk, kMaxBytes);
  if (!beginning.text)
    throw storage::FileError(fmt::format("{} {}", text::printable(file.path), beginning.why));
  return std::move(*beginning.text);
}

}  // namespace lockstep::classroom
