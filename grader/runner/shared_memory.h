// Memory of the judge that a runner shares.
#pragma once

#include <cstddef>

#include "sandbox/file_descriptor.h"

namespace lockstep::runner {

/// Its size is sealed: of a file that the runner has cut, the judge's next look would be a bus error, and one
/// that it lets grow is memory that no limit counts.
class SharedMemory {
 public:
  /// Throws std::system_error.
  SharedMemory(const char* name, std::size_t bytes);
  ~SharedMemory();
  SharedMemory(const SharedMemory&) = delete;
  SharedMemory& operator=(const SharedMemory&) = delete;

  int descriptor() const { return file_.get(); }
  void* memory() const { return memory_; }
  std::size_t bytes() const { return bytes_; }

 private:
  sandbox::FileDescriptor file_;
  std::size_t bytes_ = 0;
  void* memory_ = nullptr;
};

}  // namespace lockstep::runner
