#include "emulator/cudart/memory.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <iterator>

namespace lockstep::cudart {

using emulator::bytes_of;
using emulator::DeviceAddress;
using emulator::Operation;
using emulator::RangeRequest;

namespace {

/// Rows of pitched allocations start at multiples of this on current cards.
constexpr std::size_t kPitchGranule = 512;
constexpr std::size_t kHostAlignment = 4096;

DeviceAddress address_of(const void* pointer) { return reinterpret_cast<DeviceAddress>(pointer); }
void* pointer_to(DeviceAddress address) { return reinterpret_cast<void*>(address); }

bool on_device(const void* pointer) {
  return address_of(pointer) >= emulator::kGlobalBegin && address_of(pointer) < emulator::kGlobalEnd;
}

/// The kind that the pointers mean. A stated kind that contradicts them is an error, as on hardware.
cudaMemcpyKind checked_kind(const void* to, const void* from, cudaMemcpyKind kind) {
  cudaMemcpyKind real = cudaMemcpyHostToHost;
  if (on_device(to))
    real = on_device(from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  else if (on_device(from))
    real = cudaMemcpyDeviceToHost;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) throw Failure{cudaErrorInvalidMemcpyDirection};
  require(kind == cudaMemcpyDefault || kind == real);
  return real;
}

}  // namespace

void* Memory::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const emulator::AllocateRequest wanted{bytes};
  return pointer_to(device_.ask<emulator::AddressReply>(Operation::allocate, {bytes_of(wanted)}).address);
}

void* Memory::allocate_pitched(std::size_t* pitch, std::size_t width, std::size_t height) {
  require(pitch != nullptr && width <= SIZE_MAX - kPitchGranule);
  *pitch = (width + kPitchGranule - 1) / kPitchGranule * kPitchGranule;
  require(height == 0 || *pitch <= SIZE_MAX / height);
  return allocate(*pitch * height);
}

void Memory::free(void* address) {
  if (address == nullptr) return;
  device_.request(Operation::free, {bytes_of(RangeRequest{address_of(address), 0, 0})});
}

void* Memory::allocate_host(std::size_t bytes, unsigned flags) {
  // The device is asked for nothing, but without one hardware refuses this too.
  device_.properties();
  if (bytes == 0) return nullptr;
  void* memory = nullptr;
  if (::posix_memalign(&memory, kHostAlignment, bytes) != 0) throw Failure{cudaErrorMemoryAllocation};
  host_ranges_[memory] = {bytes, flags, true};
  return memory;
}

void Memory::free_host(void* address) {
  if (address == nullptr) return;
  const auto range = host_ranges_.find(address);
  require(range != host_ranges_.end() && range->second.owned);
  host_ranges_.erase(range);
  std::free(address);
}

void Memory::register_host(void* address, std::size_t bytes, unsigned flags) {
  require(address != nullptr && bytes != 0 && !on_device(address));
  if (!host_ranges_.try_emplace(address, HostRange{bytes, flags, false}).second) {
    throw Failure{cudaErrorHostMemoryAlreadyRegistered};
  }
}

void Memory::unregister_host(void* address) {
  const auto range = host_ranges_.find(address);
  if (range == host_ranges_.end() || range->second.owned) throw Failure{cudaErrorHostMemoryNotRegistered};
  host_ranges_.erase(range);
}

unsigned Memory::host_flags(void* address) const {
  const auto range = host_ranges_.find(address);
  require(range != host_ranges_.end());
  return range->second.flags;
}

void Memory::copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpyKind real = checked_kind(to, from, kind);
  if (bytes == 0) return;
  switch (real) {
    case cudaMemcpyHostToDevice:
      return to_device(address_of(to), static_cast<const std::byte*>(from), bytes);
    case cudaMemcpyDeviceToHost:
      return to_host(static_cast<std::byte*>(to), address_of(from), bytes);
    case cudaMemcpyDeviceToDevice: {
      const emulator::CopyRequest wanted{address_of(to), address_of(from), bytes};
      device_.request(Operation::copy, {bytes_of(wanted)});
      return;
    }
    default:
      std::memmove(to, from, bytes);
  }
}

void Memory::copy_rows(void* to, std::size_t to_pitch, const void* from, const Rows& rows,
                       cudaMemcpyKind kind) {
  checked_kind(to, from, kind);
  if (rows.width == 0 || rows.height == 0) return;
  if (rows.width > rows.pitch || rows.width > to_pitch) throw Failure{cudaErrorInvalidPitchValue};
  if (rows.width == rows.pitch && rows.width == to_pitch)
    return copy(to, from, rows.width * rows.height, kind);
  for (std::size_t row = 0; row < rows.height; ++row) {
    copy(static_cast<std::byte*>(to) + row * to_pitch, static_cast<const std::byte*>(from) + row * rows.pitch,
         rows.width, kind);
  }
}

void Memory::fill(void* to, int value, std::size_t bytes) {
  if (bytes == 0) return;
  require(on_device(to));
  const emulator::FillRequest wanted{address_of(to), bytes, static_cast<unsigned char>(value)};
  device_.request(Operation::fill, {bytes_of(wanted)});
}

void Memory::fill_rows(void* to, int value, const Rows& rows) {
  if (rows.width == 0 || rows.height == 0) return;
  if (rows.width > rows.pitch) throw Failure{cudaErrorInvalidPitchValue};
  if (rows.width == rows.pitch) return fill(to, value, rows.width * rows.height);
  for (std::size_t row = 0; row < rows.height; ++row) {
    fill(static_cast<std::byte*>(to) + row * rows.pitch, value, rows.width);
  }
}

void Memory::information(std::size_t* free_bytes, std::size_t* total_bytes) {
  require(free_bytes != nullptr && total_bytes != nullptr);
  const auto reply = device_.ask<emulator::MemoryReply>(Operation::memory_info, {});
  *free_bytes = reply.free_bytes;
  *total_bytes = reply.total_bytes;
}

cudaPointerAttributes Memory::attributes(const void* address) {
  cudaPointerAttributes attributes{};
  attributes.type = cudaMemoryTypeUnregistered;
  attributes.device = -1;
  if (on_device(address)) {
    const auto range = device_.ask<emulator::RangeReply>(Operation::find_range,
                                                         {bytes_of(RangeRequest{address_of(address), 0, 0})});
    require(range.bytes != 0);
    attributes.type = cudaMemoryTypeDevice;
    attributes.device = 0;
    attributes.devicePointer = const_cast<void*>(address);
    return attributes;
  }
  attributes.hostPointer = const_cast<void*>(address);
  const auto after = host_ranges_.upper_bound(address);
  if (after == host_ranges_.begin()) return attributes;
  const auto& [base, range] = *std::prev(after);
  if (address_of(address) - address_of(base) < range.bytes) {
    attributes.type = cudaMemoryTypeHost;
    attributes.device = 0;
  }
  return attributes;
}

void Memory::to_device(DeviceAddress to, const std::byte* from, std::size_t bytes) {
  // Through a buffer of our own: a wild pointer then faults here, in the program, and not half-way into a
  // message.
  emulator::Bytes piece;
  while (bytes > 0) {
    const std::size_t n = std::min<std::size_t>(bytes, emulator::kPieceBytes);
    piece.assign(from, from + n);
    device_.request(Operation::write, {bytes_of(emulator::WriteRequest{to, bytes}), piece});
    to += n;
    from += n;
    bytes -= n;
  }
}

void Memory::to_host(std::byte* to, DeviceAddress from, std::size_t bytes) {
  while (bytes > 0) {
    const std::size_t n = std::min<std::size_t>(bytes, emulator::kPieceBytes);
    const emulator::Bytes piece = device_.request(Operation::read, {bytes_of(RangeRequest{from, n, bytes})});
    std::copy(piece.begin(), piece.end(), to);
    from += n;
    to += n;
    bytes -= n;
  }
}

}  // namespace lockstep::cudart
