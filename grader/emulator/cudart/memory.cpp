#include "emulator/cudart/memory.h"

#include <algorithm>
#include <cstring>

namespace lockstep::cudart {

using emulator::bytes_of;
using emulator::DeviceAddress;
using emulator::Operation;
using emulator::RangeRequest;

namespace {

/// Rows of pitched allocations start at multiples of this on current cards.
constexpr std::size_t kPitchGranule = 512;

DeviceAddress address_of(const void* pointer) { return reinterpret_cast<DeviceAddress>(pointer); }
void* pointer_to(DeviceAddress address) { return reinterpret_cast<void*>(address); }

}  // namespace

bool Memory::on_device(const void* pointer) const {
  return address_of(pointer) >= emulator::kGlobalBegin && address_of(pointer) < emulator::kGlobalEnd &&
         !unified_.pinned.contains(pointer);
}

/// The kind that the pointers mean. A stated kind that contradicts them is an error, as on hardware; managed
/// memory goes with every kind.
cudaMemcpyKind Memory::checked_kind(const void* to, const void* from, cudaMemcpyKind kind) const {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) throw Failure{cudaErrorInvalidMemcpyDirection};
  const auto agrees = [&](const void* pointer, bool stated_on_device) {
    return unified_.managed.contains(address_of(pointer)) || on_device(pointer) == stated_on_device;
  };
  const bool to_agrees = agrees(to, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice);
  const bool from_agrees = agrees(from, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
  require(kind == cudaMemcpyDefault || (to_agrees && from_agrees));
  if (on_device(to)) return on_device(from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  return on_device(from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

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
  if (address == nullptr || unified_.managed.free(address_of(address))) return;
  require(!unified_.pinned.contains(address));
  device_.request(Operation::free, {bytes_of(RangeRequest{address_of(address), 0, 0})});
}

void Memory::copy(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  const cudaMemcpyKind real = checked_kind(to, from, kind);
  if (bytes == 0) return;
  const bool managed =
      unified_.managed.contains(address_of(to)) || unified_.managed.contains(address_of(from));
  if (managed) unified_.managed.send();
  switch (real) {
    case cudaMemcpyHostToDevice:
      to_device(address_of(to), static_cast<const std::byte*>(from), bytes);
      break;
    case cudaMemcpyDeviceToHost:
      to_host(static_cast<std::byte*>(to), address_of(from), bytes);
      break;
    case cudaMemcpyDeviceToDevice: {
      const emulator::CopyRequest wanted{address_of(to), address_of(from), bytes};
      device_.request(Operation::copy, {bytes_of(wanted)});
      break;
    }
    default:
      std::memmove(to, from, bytes);
  }
  unified_.managed.revoke(address_of(to), bytes);
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
  if (unified_.pinned.contains(to)) {
    std::memset(to, value, bytes);
    return;
  }
  require(on_device(to));
  if (unified_.managed.contains(address_of(to))) unified_.managed.send();
  const emulator::FillRequest wanted{address_of(to), bytes, static_cast<unsigned char>(value)};
  device_.request(Operation::fill, {bytes_of(wanted)});
  unified_.managed.revoke(address_of(to), bytes);
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
    const bool managed = unified_.managed.contains(address_of(address));
    attributes.type = managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
    attributes.device = static_cast<int>(range.device);
    attributes.devicePointer = const_cast<void*>(address);
    if (managed) attributes.hostPointer = attributes.devicePointer;
    return attributes;
  }
  attributes.hostPointer = const_cast<void*>(address);
  if (unified_.pinned.contains(address)) {
    attributes.type = cudaMemoryTypeHost;
    attributes.device = 0;
    attributes.devicePointer = pointer_to(unified_.pinned.device_address(address));
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
