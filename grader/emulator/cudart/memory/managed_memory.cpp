#include "emulator/cudart/memory/managed_memory.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <iterator>

#include "emulator/cudart/memory/addresses.h"
#include "emulator/cudart/memory/fault_handler.h"

namespace lockstep::emulator::cudart {

using server::bytes_of;
using server::RangeRequest;
using server::RequestKind;

namespace {

/// Longest stretch that one fault opens: a sequential walk asks for twice as much each time.
constexpr std::size_t kMaxWindow = server::kPieceBytes / kPageBytes;
/// A walk in no order would cut the mapping into more pieces than the system allows; from this many faults on
/// each opens more than a page.
constexpr std::size_t kManyFaults = 4096;
constexpr std::size_t kManyFaultsWindow = 16;
/// What is brought in at a synchronisation: allocations of up to this size, up to this much together.
constexpr std::size_t kSmallBytes = std::size_t{256} << 10;
constexpr std::size_t kBroughtInBytes = std::size_t{1} << 20;
constexpr std::size_t kBroughtInRanges = 64;

std::size_t pages_of(std::size_t bytes) { return (bytes + kPageBytes - 1) / kPageBytes; }

void protect(DeviceAddress begin, std::size_t pages, int protection) {
  if (::mprotect(pointer_to(begin), pages * kPageBytes, protection) != 0) {
    throw Failure{cudaErrorMemoryAllocation};
  }
}

/// Empty memory at a range of addresses; whatever was mapped there is gone.
void* map_anew(void* at, std::size_t pages, int protection, int flags) {
  void* mapped =
      ::mmap(at, pages * kPageBytes, protection, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | flags, -1, 0);
  if (mapped == MAP_FAILED) throw Failure{cudaErrorMemoryAllocation};
  return mapped;
}

/// Calls function(first, last) for every run of pages in the given state.
template <class Page, class Function>
void for_runs(const std::vector<Page>& pages, Page state, const Function& function) {
  for (auto first = pages.begin();;) {
    first = std::find(first, pages.end(), state);
    if (first == pages.end()) return;
    const auto last = std::find_if(first, pages.end(), [&](Page page) { return page != state; });
    function(static_cast<std::size_t>(first - pages.begin()), static_cast<std::size_t>(last - pages.begin()));
    first = last;
  }
}

}  // namespace

DeviceAddress ManagedMemory::Range::page_begin(std::size_t page) const { return begin + page * kPageBytes; }

RangeRequest ManagedMemory::Range::part(std::size_t first, std::size_t last) const {
  const std::size_t length = std::min(last * kPageBytes, bytes) - first * kPageBytes;
  return {page_begin(first), length, length};
}

void* ManagedMemory::allocate(std::size_t bytes) {
  const server::AllocateRequest wanted{bytes, server::MemoryKind::managed};
  const auto address = device_.ask<server::AddressReply>(RequestKind::allocate, {bytes_of(wanted)}).address;
  try {
    map(address, bytes, Page::untouched);
  } catch (const Failure&) {
    device_.request(RequestKind::free, {bytes_of(RangeRequest{address, 0, 0})});
    throw;
  }
  return pointer_to(address);
}

void ManagedMemory::adopt(DeviceAddress address, std::size_t bytes) { map(address, bytes, Page::away); }

void ManagedMemory::map(DeviceAddress address, std::size_t bytes, Page state) {
  install_fault_handler();
  const int protection = state == Page::untouched ? PROT_READ | PROT_WRITE : PROT_NONE;
  map_anew(pointer_to(address), pages_of(bytes), protection, MAP_FIXED_NOREPLACE);
  // A huge page would hide which of its small ones the program has touched.
  ::madvise(pointer_to(address), pages_of(bytes) * kPageBytes, MADV_NOHUGEPAGE);
  Range& range = ranges_[address];
  range.begin = address;
  range.bytes = bytes;
  range.pages.assign(pages_of(bytes), state);
}

bool ManagedMemory::free(DeviceAddress address) {
  const auto found = ranges_.find(address);
  if (found == ranges_.end()) return false;
  device_.request(RequestKind::free, {bytes_of(RangeRequest{address, 0, 0})});
  ::munmap(pointer_to(address), found->second.pages.size() * kPageBytes);
  ranges_.erase(found);
  advice_.forget(address);
  return true;
}

void ManagedMemory::clear() {
  for (const auto& [begin, range] : ranges_) ::munmap(pointer_to(begin), range.pages.size() * kPageBytes);
  ranges_.clear();
  advice_.clear();
}

const ManagedMemory::Range* ManagedMemory::find(DeviceAddress address) const {
  const auto after = ranges_.upper_bound(address);
  if (after == ranges_.begin()) return nullptr;
  const Range& range = std::prev(after)->second;
  // The rest of the last page belongs to nobody else; hardware lets the host touch it too.
  return address < range.page_begin(range.pages.size()) ? &range : nullptr;
}

void ManagedMemory::send() {
  for (auto& [begin, range] : ranges_) send(range);
}

void ManagedMemory::send(Range& range) {
  note_touched_pages(range);
  server::Bytes piece;
  for_runs(range.pages, Page::written, [&](std::size_t first, std::size_t last) {
    // Other threads of the program wait in the handler from here on.
    protect(range.page_begin(first), last - first, PROT_READ);
    for (std::size_t page = first; page < last; page += kMaxWindow) {
      const RangeRequest part = range.part(page, std::min(page + kMaxWindow, last));
      const auto* from = static_cast<const std::byte*>(pointer_to(part.address));
      piece.assign(from, from + part.bytes);
      device_.request(RequestKind::write, {bytes_of(server::WriteRequest{part.address, part.bytes}), piece});
    }
    std::fill(range.pages.begin() + static_cast<std::ptrdiff_t>(first),
              range.pages.begin() + static_cast<std::ptrdiff_t>(last), Page::read);
    range.used_by_host = true;
  });
}

/// Marks pages as written that were open to the program and are no longer empty. A page counts from the first
/// touch, also from reading it; where the system does not tell, all pages do.
void ManagedMemory::note_touched_pages(Range& range) const {
  static const int page_map = ::open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  constexpr std::uint64_t kPresentOrSwapped = std::uint64_t{3} << 62;
  constexpr std::size_t kMaxEntries = 4096;
  std::vector<std::uint64_t> entries;
  for_runs(std::vector(range.pages), Page::untouched, [&](std::size_t first, std::size_t last) {
    for (std::size_t page = first; page < last; page += kMaxEntries) {
      entries.assign(std::min(last - page, kMaxEntries), kPresentOrSwapped);
      const auto offset = static_cast<off_t>(range.page_begin(page) / kPageBytes * sizeof(std::uint64_t));
      [[maybe_unused]] const ssize_t n =
          ::pread(page_map, entries.data(), entries.size() * sizeof(std::uint64_t), offset);
      for (std::size_t i = 0; i < entries.size(); ++i) {
        if ((entries[i] & kPresentOrSwapped) != 0) range.pages[page + i] = Page::written;
      }
    }
  });
}

void ManagedMemory::revoke() {
  for (auto& [begin, range] : ranges_) revoke(range);
}

void ManagedMemory::revoke(Range& range) {
  range.faults = 0;
  if (std::ranges::find(range.pages, Page::untouched) != range.pages.end()) {
    const server::Bytes written =
        device_.request(RequestKind::written_pages, {bytes_of(range.part(0, range.pages.size()))});
    for (std::size_t page = 0; page < std::min(written.size(), range.pages.size()); ++page) {
      if (range.pages[page] == Page::untouched && written[page] != std::byte{0}) {
        range.pages[page] = Page::read;
      }
    }
  }
  for_runs(range.pages, Page::read, [&](std::size_t first, std::size_t last) {
    map_anew(pointer_to(range.page_begin(first)), last - first, PROT_NONE, MAP_FIXED);
  });
  std::ranges::replace(range.pages, Page::read, Page::away);
}

void ManagedMemory::revoke(DeviceAddress address, std::size_t bytes) {
  const Range* found = find(address);
  if (found == nullptr || bytes == 0) return;
  Range& range = ranges_.at(found->begin);
  const std::size_t first = (address - range.begin) / kPageBytes;
  const std::size_t last = std::min(pages_of(address - range.begin + bytes), range.pages.size());
  map_anew(pointer_to(range.page_begin(first)), last - first, PROT_NONE, MAP_FIXED);
  std::fill(range.pages.begin() + static_cast<std::ptrdiff_t>(first),
            range.pages.begin() + static_cast<std::ptrdiff_t>(last), Page::away);
}

void ManagedMemory::bring_in() {
  std::size_t left = kBroughtInBytes, ranges = 0;
  for (auto& entry : ranges_) {
    Range& range = entry.second;
    // What the program never touches is no traffic to the host.
    if (!range.used_by_host || range.bytes > kSmallBytes || range.bytes > left) continue;
    if (std::ranges::find(range.pages, Page::away) == range.pages.end()) continue;
    if (ranges++ == kBroughtInRanges) return;
    left -= range.bytes;
    for_runs(std::vector(range.pages), Page::away,
             [&](std::size_t first, std::size_t last) { fetch(range, first, last, Page::written); });
  }
}

void ManagedMemory::bring_in(DeviceAddress address, std::size_t bytes) {
  const Pages wanted = pages(address, bytes);
  Range& range = ranges_.at(wanted.begin);
  range.used_by_host = true;
  for_runs(std::vector(range.pages), Page::away, [&](std::size_t first, std::size_t last) {
    last = std::min(last, wanted.last);
    for (std::size_t page = std::max(first, wanted.first); page < last; page += kMaxWindow) {
      fetch(range, page, std::min(page + kMaxWindow, last), Page::read);
    }
  });
}

ManagedMemory::Pages ManagedMemory::pages(DeviceAddress address, std::size_t bytes) const {
  const Range* range = find(address);
  require(range != nullptr && bytes != 0 && bytes <= range->end() - std::min(address, range->end()));
  return {range->begin, (address - range->begin) / kPageBytes, pages_of(address - range->begin + bytes)};
}

void ManagedMemory::advise(DeviceAddress address, std::size_t bytes,
                           const std::function<void(PageAdvice&)>& change) {
  const Pages wanted = pages(address, bytes);
  advice_.change(wanted.begin, ranges_.at(wanted.begin).pages.size(), wanted.first, wanted.last, change);
}

PageAdvice ManagedMemory::advice(DeviceAddress address, std::size_t bytes) const {
  const Pages wanted = pages(address, bytes);
  return advice_.common(wanted.begin, wanted.first, wanted.last);
}

/// Brings pages that are away, at most a piece of a copy. They appear in the program all at once, as another
/// of its threads may look at them.
void ManagedMemory::fetch(Range& range, std::size_t first, std::size_t last, Page state) {
  const server::Bytes contents = device_.request(RequestKind::read, {bytes_of(range.part(first, last))});
  const std::size_t length = (last - first) * kPageBytes;
  void* staged = map_anew(nullptr, last - first, PROT_READ | PROT_WRITE, 0);
  std::memcpy(staged, contents.data(), std::min(contents.size(), length));
  const int protection = state == Page::written ? PROT_READ | PROT_WRITE : PROT_READ;
  if (::mprotect(staged, length, protection) != 0 ||
      ::mremap(staged, length, length, MREMAP_MAYMOVE | MREMAP_FIXED, pointer_to(range.page_begin(first))) ==
          MAP_FAILED) {
    ::munmap(staged, length);
    throw Failure{cudaErrorMemoryAllocation};
  }
  std::fill(range.pages.begin() + static_cast<std::ptrdiff_t>(first),
            range.pages.begin() + static_cast<std::ptrdiff_t>(last), state);
}

bool ManagedMemory::open(DeviceAddress address, bool to_write) {
  const Range* found = find(address);
  if (found == nullptr) return false;
  Range& range = ranges_.at(found->begin);
  const std::size_t page = (address - range.begin) / kPageBytes;
  const Page state = range.pages[page];
  if (state == Page::untouched || state == Page::written) return true;  // another thread was faster
  if (state == Page::read && !to_write) return true;
  range.used_by_host = true;
  const bool onwards = page == range.next_fault && range.faults != 0;
  range.window = onwards ? std::min(2 * range.window, kMaxWindow) : 1;
  if (++range.faults > kManyFaults) range.window = std::max(range.window, kManyFaultsWindow);
  const auto begin = range.pages.begin() + static_cast<std::ptrdiff_t>(page);
  const auto limit = begin + static_cast<std::ptrdiff_t>(std::min(range.window, range.pages.size() - page));
  const auto last =
      page + static_cast<std::size_t>(std::find_if(begin, limit, [&](Page p) { return p != state; }) - begin);
  if (state == Page::away) {
    fetch(range, page, last, to_write ? Page::written : Page::read);
  } else {
    protect(range.page_begin(page), last - page, PROT_READ | PROT_WRITE);
    std::fill(range.pages.begin() + static_cast<std::ptrdiff_t>(page),
              range.pages.begin() + static_cast<std::ptrdiff_t>(last), Page::written);
  }
  range.next_fault = last;
  return true;
}

bool ManagedMemory::open_empty(DeviceAddress address) {
  const Range* found = find(address);
  if (found == nullptr) return false;
  Range& range = ranges_.at(found->begin);
  const std::size_t page = (address - range.begin) / kPageBytes;
  if (::mprotect(pointer_to(range.page_begin(page)), kPageBytes, PROT_READ | PROT_WRITE) != 0) return false;
  range.pages[page] = Page::written;
  return true;
}

}  // namespace lockstep::emulator::cudart
