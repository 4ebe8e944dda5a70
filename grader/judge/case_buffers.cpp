#include "judge/case_buffers.h"

#include <algorithm>

namespace lockstep::judge {
namespace {

/// A buffer of nothing still has an address that is nobody else's.
std::size_t allocated_bytes(std::size_t bytes) { return std::max<std::size_t>(bytes, 1); }

}  // namespace

std::uint64_t CaseBuffers::address(std::size_t index, std::size_t bytes, const std::string& label) {
  const auto buffer = std::find_if(buffers_.begin(), buffers_.end(),
                                   [index](const Buffer& candidate) { return candidate.index == index; });
  if (buffer == buffers_.end()) {
    buffers_.push_back({index, bytes, session_.allocate(allocated_bytes(bytes), label)});
    return buffers_.back().address;
  }
  if (buffer->bytes != bytes) {
    session_.free(buffer->address);
    buffer->address = session_.allocate(allocated_bytes(bytes), label);
    buffer->bytes = bytes;
  }
  return buffer->address;
}

void CaseBuffers::free_all() {
  for (const Buffer& buffer : buffers_) session_.free(buffer.address);
  buffers_.clear();
}

}  // namespace lockstep::judge
