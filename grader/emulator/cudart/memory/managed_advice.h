// What the program has said about the use of managed memory: advice and prefetches, page by page.
//
// None of it changes what a kernel or the program reads; it is kept for the queries, which answer for a range
// only what holds for each of its pages.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "emulator/cudart/errors/failure.h"

namespace lockstep::emulator::cudart {

/// One page's; places are device numbers, cudaCpuDeviceId or cudaInvalidDeviceId.
struct PageAdvice {
  bool read_mostly = false;
  int preferred = cudaInvalidDeviceId;
  int prefetched_to = cudaInvalidDeviceId;
  std::uint64_t accessed_by = 0;  ///< bit d for device d, kHostBit for the host
  bool operator==(const PageAdvice&) const = default;
};

class ManagedAdvice {
 public:
  /// Changes the advice of pages [first, last) of the allocation at `begin`, which has `pages` of them.
  void change(std::uint64_t begin, std::size_t pages, std::size_t first, std::size_t last,
              const std::function<void(PageAdvice&)>& change);
  /// Advice of all pages [first, last): places on which they differ are cudaInvalidDeviceId.
  PageAdvice common(std::uint64_t begin, std::size_t first, std::size_t last) const;
  void forget(std::uint64_t begin) { advice_.erase(begin); }
  void clear() { advice_.clear(); }

 private:
  std::map<std::uint64_t, std::vector<PageAdvice>> advice_;  ///< by allocation; missing: none was given
};

/// As cudaMemAdvise.
void apply(PageAdvice& page, cudaMemoryAdvise advice, int place);

/// As cudaMemRangeGetAttribute: writes the answer to `data`.
void answer(const PageAdvice& common, cudaMemRangeAttribute attribute, void* data, std::size_t bytes);

}  // namespace lockstep::emulator::cudart
