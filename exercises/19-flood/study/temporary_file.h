// A file without a name, for what is larger than memory: it is gone when the program ends, however it ends.
#pragma once

#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <system_error>

namespace lockstep::flood_study {

/// In the folder that TMPDIR names, or /tmp. All calls throw std::runtime_error, which names the folder.
class TemporaryFile {
 public:
  TemporaryFile() {
    const char* const named = std::getenv("TMPDIR");
    folder_ = named == nullptr || *named == '\0' ? "/tmp" : named;
    std::string name = folder_ + "/lockstep-flood-XXXXXX";
    file_ = mkstemp(name.data());
    if (file_ < 0) fail("created");
    unlink(name.c_str());
  }
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile() { close(file_); }

  /// Makes it `bytes` long; what has not been written are zeros.
  void resize(std::size_t bytes) {
    if (ftruncate(file_, static_cast<off_t>(bytes)) != 0) fail("made so large");
  }
  void write(const void* data, std::size_t bytes, std::size_t at) {
    const auto* next = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t done = pwrite(file_, next, bytes, static_cast<off_t>(at));
      if (done < 0 && errno == EINTR) continue;
      if (done == 0) errno = ENOSPC;
      if (done <= 0) fail("written");
      next += done;
      at += static_cast<std::size_t>(done);
      bytes -= static_cast<std::size_t>(done);
    }
  }
  void read(void* data, std::size_t bytes, std::size_t at) const {
    auto* next = static_cast<char*>(data);
    while (bytes > 0) {
      const ssize_t done = pread(file_, next, bytes, static_cast<off_t>(at));
      if (done < 0 && errno == EINTR) continue;
      if (done == 0) errno = EIO;
      if (done <= 0) fail("read");
      next += done;
      at += static_cast<std::size_t>(done);
      bytes -= static_cast<std::size_t>(done);
    }
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw std::runtime_error("a temporary file in " + folder_ + " cannot be " + what + ": " +
                             std::generic_category().message(errno) + ". TMPDIR=FOLDER names another folder");
  }

  std::string folder_;
  int file_ = -1;
};

}  // namespace lockstep::flood_study
