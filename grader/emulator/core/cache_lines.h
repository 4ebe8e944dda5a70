// Memory that begins with a line of the host's cache.
#pragma once

#include <cstddef>
#include <new>
#include <vector>

namespace lockstep::emulator {

/// What a std::vector takes its memory from, aligned to kBytes. A vector of 32 bytes that is loaded from an
/// aligned address never lies in two lines, as half of those do that malloc places, which aligns to 16 bytes.
template <class T>
struct CacheLineAllocator {
  static constexpr std::align_val_t kBytes{64};
  using value_type = T;

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}  // NOLINT(google-explicit-constructor): of the concept

  T* allocate(std::size_t count) { return static_cast<T*>(::operator new(count * sizeof(T), kBytes)); }
  void deallocate(T* begin, std::size_t) { ::operator delete(begin, kBytes); }
  bool operator==(const CacheLineAllocator&) const = default;
};

using CacheLines = std::vector<std::byte, CacheLineAllocator<std::byte>>;

}  // namespace lockstep::emulator
