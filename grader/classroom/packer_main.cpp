// The program `lockstep-packer`: writes the files of a folder, and of no folder in it, as a zip archive, with
// what they may be used for. It packs what this project has made: no submission comes here.
//
//   lockstep-packer FOLDER ARCHIVE
#include <archive.h>
#include <archive_entry.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <cstddef>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;
using Writer = std::unique_ptr<archive, int (*)(archive*)>;
using Entry = std::unique_ptr<archive_entry, void (*)(archive_entry*)>;

void check(archive* writer, la_ssize_t status) {
  if (status >= ARCHIVE_OK) return;
  const char* const said = archive_error_string(writer);
  throw std::runtime_error(said == nullptr ? "the archive cannot be written" : said);
}

void add_file(archive* writer, const fs::path& path) {
  const Entry entry(archive_entry_new(), archive_entry_free);
  if (!entry) throw std::bad_alloc();
  archive_entry_set_pathname(entry.get(), path.filename().c_str());
  archive_entry_set_filetype(entry.get(), AE_IFREG);
  archive_entry_set_perm(entry.get(), static_cast<unsigned>(fs::status(path).permissions()) & 0777U);
  archive_entry_set_size(entry.get(), static_cast<la_int64_t>(fs::file_size(path)));
  check(writer, archive_write_header(writer, entry.get()));
  std::ifstream file(path, std::ios::binary);
  std::array<char, 1 << 16> block{};
  while (file.read(block.data(), block.size()) || file.gcount() > 0)
    check(writer, archive_write_data(writer, block.data(), static_cast<std::size_t>(file.gcount())));
  if (!file.eof()) throw std::runtime_error("cannot read " + path.string());
}

void pack(const fs::path& folder, const fs::path& archive_path) {
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  const Writer writer(archive_write_new(), archive_write_free);
  if (!writer) throw std::bad_alloc();
  check(writer.get(), archive_write_set_format_zip(writer.get()));
  // What is large in it is compressed already.
  check(writer.get(), archive_write_set_options(writer.get(), "zip:compression=store"));
  check(writer.get(), archive_write_open_filename(writer.get(), archive_path.c_str()));
  for (const fs::path& file : files) add_file(writer.get(), file);
  check(writer.get(), archive_write_close(writer.get()));
}

}  // namespace

int main(int argc, char** argv) {
  std::setlocale(LC_CTYPE, "C.UTF-8");  // in which libarchive takes names
  try {
    if (argc != 3) throw std::runtime_error("takes FOLDER and ARCHIVE");
    pack(argv[1], argv[2]);
    return 0;
  } catch (const std::exception& error) {
    std::cerr << "lockstep-packer: " << error.what() << '\n';
    return 1;
  }
}
