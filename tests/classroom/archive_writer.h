// Writes archives for tests, with libarchive, in a format that it is told.
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include <filesystem>
#include <stdexcept>
#include <string>

namespace lockstep::classroom {

class ArchiveWriter {
 public:
  enum class Format { zip, tar_gz, tar_xz };

  ArchiveWriter(const std::filesystem::path& path, Format format, const char* password = nullptr) {
    if (format == Format::zip) {
      archive_write_set_format_zip(writer_);
    } else {
      archive_write_set_format_pax_restricted(writer_);
      format == Format::tar_gz ? archive_write_add_filter_gzip(writer_)
                               : archive_write_add_filter_xz(writer_);
    }
    if (password != nullptr) {
      archive_write_set_options(writer_, "zip:encryption=zipcrypt");
      archive_write_set_passphrase(writer_, password);
    }
    if (archive_write_open_filename(writer_, path.c_str()) != ARCHIVE_OK)
      throw std::runtime_error(path.string());
  }
  ~ArchiveWriter() { archive_write_free(writer_); }
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  ArchiveWriter& file(const std::string& name, const std::string& text) {
    archive_entry* const entry = make(name, AE_IFREG);
    archive_entry_set_size(entry, static_cast<la_int64_t>(text.size()));
    put(entry);
    archive_write_data(writer_, text.data(), text.size());
    return *this;
  }
  ArchiveWriter& link(const std::string& name, const std::string& target, bool is_hard = false) {
    archive_entry* const entry = make(name, is_hard ? AE_IFREG : AE_IFLNK);
    is_hard ? archive_entry_set_hardlink(entry, target.c_str())
            : archive_entry_set_symlink(entry, target.c_str());
    put(entry);
    return *this;
  }

 private:
  static archive_entry* make(const std::string& name, unsigned type) {
    archive_entry* const entry = archive_entry_new();
    archive_entry_set_pathname(entry, name.c_str());
    archive_entry_set_filetype(entry, type);
    archive_entry_set_perm(entry, 0644);
    return entry;
  }
  void put(archive_entry* entry) {
    const int status = archive_write_header(writer_, entry);
    archive_entry_free(entry);
    if (status < ARCHIVE_WARN) throw std::runtime_error(archive_error_string(writer_));
  }

  archive* writer_ = archive_write_new();
};

}  // namespace lockstep::classroom
