#include "runner/host_array.h"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>

namespace lockstep::runner {

HostArray::HostArray(int descriptor, std::size_t mapped_bytes, std::size_t offset)
    : mapped_bytes_(mapped_bytes), offset_(offset) {
  memory_ = mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0);
  if (memory_ != MAP_FAILED) return;
  memory_ = nullptr;
  throw std::system_error(errno, std::generic_category(), "mmap of an array of the host");
}

HostArray::~HostArray() {
  if (memory_ != nullptr) munmap(memory_, mapped_bytes_);
}

}  // namespace lockstep::runner
