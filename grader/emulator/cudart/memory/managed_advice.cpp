#include "emulator/cudart/memory/managed_advice.h"

#include <algorithm>
#include <cstring>

namespace lockstep::emulator::cudart {

namespace {

constexpr int kHostBit = 63;

std::uint64_t bit_of(int place) { return std::uint64_t{1} << (place == cudaCpuDeviceId ? kHostBit : place); }

cudaMemLocationType type_of(int place) {
  if (place == cudaInvalidDeviceId) return cudaMemLocationTypeInvalid;
  return place == cudaCpuDeviceId ? cudaMemLocationTypeHost : cudaMemLocationTypeDevice;
}

void write(void* data, std::size_t bytes, int value) {
  require(bytes == sizeof value);
  std::memcpy(data, &value, sizeof value);
}

}  // namespace

void ManagedAdvice::change(std::uint64_t begin, std::size_t pages, std::size_t first, std::size_t last,
                           const std::function<void(PageAdvice&)>& change) {
  std::vector<PageAdvice>& advice = advice_[begin];
  advice.resize(pages);
  for (std::size_t page = first; page < std::min(last, pages); ++page) change(advice[page]);
}

PageAdvice ManagedAdvice::common(std::uint64_t begin, std::size_t first, std::size_t last) const {
  const auto found = advice_.find(begin);
  if (found == advice_.end()) return {};
  const std::vector<PageAdvice>& advice = found->second;
  PageAdvice common = advice.at(first);
  for (std::size_t page = first; page < std::min(last, advice.size()); ++page) {
    common.read_mostly = common.read_mostly && advice[page].read_mostly;
    common.accessed_by &= advice[page].accessed_by;
    if (common.preferred != advice[page].preferred) common.preferred = cudaInvalidDeviceId;
    if (common.prefetched_to != advice[page].prefetched_to) common.prefetched_to = cudaInvalidDeviceId;
  }
  return common;
}

void apply(PageAdvice& page, cudaMemoryAdvise advice, int place) {
  switch (advice) {
    case cudaMemAdviseSetReadMostly:
      page.read_mostly = true;
      return;
    case cudaMemAdviseUnsetReadMostly:
      page.read_mostly = false;
      return;
    case cudaMemAdviseSetPreferredLocation:
      page.preferred = place;
      return;
    case cudaMemAdviseUnsetPreferredLocation:
      page.preferred = cudaInvalidDeviceId;
      return;
    case cudaMemAdviseSetAccessedBy:
      page.accessed_by |= bit_of(place);
      return;
    case cudaMemAdviseUnsetAccessedBy:
      page.accessed_by &= ~bit_of(place);
      return;
    default:
      throw Failure{cudaErrorInvalidValue};
  }
}

void answer(const PageAdvice& common, cudaMemRangeAttribute attribute, void* data, std::size_t bytes) {
  require(data != nullptr);
  // By number: the last four came with CUDA 12.2.
  switch (static_cast<int>(attribute)) {
    case 1:  // read mostly
      return write(data, bytes, common.read_mostly ? 1 : 0);
    case 2:  // preferred location
    case 6:  // its number
      return write(data, bytes, common.preferred);
    case 3: {  // accessed by: as many places as there is room for
      require(bytes != 0 && bytes % sizeof(int) == 0);
      auto* places = static_cast<int*>(data);
      std::size_t n = 0;
      const std::size_t room = bytes / sizeof(int);
      for (int bit = 0; bit <= kHostBit && n < room; ++bit) {
        if ((common.accessed_by >> bit & 1) != 0) places[n++] = bit == kHostBit ? cudaCpuDeviceId : bit;
      }
      std::fill(places + n, places + room, cudaInvalidDeviceId);
      return;
    }
    case 4:  // last prefetch
    case 8:  // its number
      return write(data, bytes, common.prefetched_to);
    case 5:
      return write(data, bytes, type_of(common.preferred));
    case 7:
      return write(data, bytes, type_of(common.prefetched_to));
    default:
      throw Failure{cudaErrorInvalidValue};
  }
}

}  // namespace lockstep::emulator::cudart
