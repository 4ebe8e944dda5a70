// Managed memory: one address for the program and for kernels, though the two share no memory.
//
// The pages of a managed allocation are mapped in the program at the device's own address, protected. The
// first touch after the device has worked faults; the handler (fault_handler.h) brings the page from the
// device and lets the touch happen again. Pages that the program has written are sent before the device works
// next, and all are taken from it again afterwards: the device and the program see what the other wrote
// before it began, and nothing of what it writes meanwhile.
//
// System calls do not fault but fail with EFAULT. So pages that neither side has written yet are open, and
// small allocations that the program uses are brought in whole at every synchronisation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "emulator/cudart/device/device_connection.h"
#include "emulator/cudart/memory/managed_advice.h"

namespace lockstep::emulator::cudart {

class ManagedMemory {
 public:
  explicit ManagedMemory(DeviceConnection& device) : device_(device) {}

  void* allocate(std::size_t bytes);
  /// Takes over an allocation that the device has made itself: a __managed__ variable.
  void adopt(DeviceAddress address, std::size_t bytes);
  /// Frees the allocation that begins at `address`; false when none does.
  bool free(DeviceAddress address);
  /// Forgets all of them, as after a reset of the device. The program's next touch faults.
  void clear();
  bool contains(DeviceAddress address) const { return find(address) != nullptr; }

  /// Sends what the program has written, before the device reads it.
  void send();
  /// Closes the pages: the device may have changed their contents.
  void revoke();
  /// The same for the pages of one range, which the device has certainly written.
  void revoke(DeviceAddress address, std::size_t bytes);
  /// Brings in small allocations that the program uses.
  void bring_in();
  /// Brings in the pages of one range, for the program to read.
  void bring_in(DeviceAddress address, std::size_t bytes);

  /// Notes what the program says of the pages of a range. Both throw Failure when it is no managed memory.
  void advise(DeviceAddress address, std::size_t bytes, const std::function<void(PageAdvice&)>& change);
  PageAdvice advice(DeviceAddress address, std::size_t bytes) const;

  /// Makes the page of `address` accessible after a fault there. False when it is no managed memory, or is
  /// accessible that way already.
  bool open(DeviceAddress address, bool to_write);
  /// Makes the page accessible without its contents, as the device does not answer; false likewise.
  bool open_empty(DeviceAddress address);

 private:
  enum class Page : std::uint8_t {
    untouched,  ///< open; neither side has written it, as far as is known
    away,       ///< closed; the device has its contents
    read,       ///< may be read; both sides have the same contents
    written,    ///< open; to be sent
  };
  struct Range {
    DeviceAddress begin = 0;
    std::size_t bytes = 0;
    std::vector<Page> pages;
    bool used_by_host = false;
    std::size_t next_fault = 0;  ///< page that follows the ones opened last
    std::size_t window = 1;      ///< pages that were opened last
    std::size_t faults = 0;      ///< since the device worked
    DeviceAddress end() const { return begin + bytes; }
    DeviceAddress page_begin(std::size_t page) const;
    /// Address and bytes of the pages [first, last) without what lies past the allocation's end.
    server::RangeRequest part(std::size_t first, std::size_t last) const;
  };

  /// Pages of one allocation.
  struct Pages {
    DeviceAddress begin = 0;  ///< of the allocation
    std::size_t first = 0, last = 0;
  };

  const Range* find(DeviceAddress address) const;
  Pages pages(DeviceAddress address, std::size_t bytes) const;
  void map(DeviceAddress address, std::size_t bytes, Page state);
  void send(Range& range);
  void revoke(Range& range);
  void fetch(Range& range, std::size_t first, std::size_t last, Page state);
  void note_touched_pages(Range& range) const;

  DeviceConnection& device_;
  std::map<DeviceAddress, Range> ranges_;
  ManagedAdvice advice_;
};

}  // namespace lockstep::emulator::cudart
