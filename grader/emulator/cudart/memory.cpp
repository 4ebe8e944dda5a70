#include "emulator/cudart/memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <string>

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

/// Throws unless `bytes` bytes from `offset` on lie within an allocation.
void require_inside(std::size_t offset, std::size_t bytes, std::size_t allocation) {
  const std::size_t left = allocation - offset;
  if (bytes <= left) return;
  throw Failure{cudaErrorInvalidValue, false,
                std::to_string(bytes) + " bytes, which reach " + std::to_string(bytes - left) +
                    " bytes past the end of an allocation (" + std::to_string(allocation) + " bytes)"};
}

}  // namespace

bool Memory::on_device(const void* pointer) const {
  return address_of(pointer) >= emulator::kGlobalBegin && address_of(pointer) < emulator::kGlobalEnd &&
         !unified_.pinned.contains(pointer);
}

bool Memory::managed(const void* address) const { return unified_.managed.contains(address_of(address)); }

/// The kind that the pointers mean. A stated kind that contradicts them is an error, as on hardware; managed
/// memory goes with every kind.
cudaMemcpyKind Memory::checked_kind(const void* to, const void* from, cudaMemcpyKind kind) const {
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) throw Failure{cudaErrorInvalidMemcpyDirection};
  const auto agrees = [&](const void* pointer, bool stated_on_device) {
    return managed(pointer) || on_device(pointer) == stated_on_device;
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
  const DeviceAddress address =
      device_.ask<emulator::AddressReply>(Operation::allocate, {bytes_of(wanted)}).address;
  allocations_[address] = bytes;
  return pointer_to(address);
}

void* Memory::allocate_pitched(std::size_t* pitch, std::size_t width, std::size_t height) {
  require(pitch != nullptr && width <= SIZE_MAX - kPitchGranule);
  *pitch = (width + kPitchGranule - 1) / kPitchGranule * kPitchGranule;
  require(height == 0 || *pitch <= SIZE_MAX / height);
  return allocate(*pitch * height);
}

void Memory::free(void* address) {
  if (address == nullptr || unified_.managed.free(address_of(address))) return;
  require(!pinned(address));
  device_.request(Operation::free, {bytes_of(RangeRequest{address_of(address), 0, 0})});
  allocations_.erase(address_of(address));
}

void Memory::check(const CopyWork& work) {
  checked_kind(work.to, work.from, work.kind);
  if (work.empty()) return;
  if (work.width > work.to_pitch || work.width > work.from_pitch) throw Failure{cudaErrorInvalidPitchValue};
  const auto span = [&](std::size_t pitch, std::size_t slice) {
    return (work.depth - 1) * slice + (work.height - 1) * pitch + work.width;
  };
  check_range(work.to, span(work.to_pitch, work.to_slice));
  check_range(work.from, span(work.from_pitch, work.from_slice));
}

void Memory::check(const FillWork& work) {
  if (work.empty()) return;
  require(on_device(work.to) || pinned(work.to));
  require(work.element_bytes == 1 || work.element_bytes == 2 || work.element_bytes == 4);
  require(address_of(work.to) % work.element_bytes == 0);
  const std::size_t width = work.width * work.element_bytes;
  if (work.height > 1 && width > work.pitch) throw Failure{cudaErrorInvalidPitchValue};
  check_range(work.to, (work.height - 1) * work.pitch + width);
}

void Memory::check_range(const void* pointer, std::size_t bytes) {
  if (pinned(pointer)) return require(unified_.pinned.contains(pointer, bytes));
  if (!on_device(pointer)) return;
  const DeviceAddress address = address_of(pointer);
  const auto after = allocations_.upper_bound(address);
  if (after != allocations_.begin()) {
    const auto& [base, size] = *std::prev(after);
    if (address - base < size) return require_inside(address - base, bytes, size);
  }
  // A symbol, or memory of whoever made the device.
  const auto range =
      device_.ask<emulator::RangeReply>(Operation::find_range, {bytes_of(RangeRequest{address, 0, 0})});
  require(range.bytes != 0);
  require_inside(address - range.address, bytes, range.bytes);
}

void Memory::copy(const CopyWork& work) {
  const cudaMemcpyKind kind = checked_kind(work.to, work.from, work.kind);
  if (work.empty()) return;
  if (work.width > work.to_pitch || work.width > work.from_pitch) throw Failure{cudaErrorInvalidPitchValue};
  if (managed(work.to) || managed(work.from)) unified_.managed.send();
  const std::size_t area = work.width * work.height;
  const bool gapless = work.width == work.to_pitch && work.width == work.from_pitch &&
                       (work.depth == 1 || (work.to_slice == area && work.from_slice == area));
  if (gapless) return copy_bytes(work.to, work.from, area * work.depth, kind);
  for (std::size_t slice = 0; slice < work.depth; ++slice) {
    for (std::size_t row = 0; row < work.height; ++row) {
      copy_bytes(static_cast<std::byte*>(work.to) + slice * work.to_slice + row * work.to_pitch,
                 static_cast<const std::byte*>(work.from) + slice * work.from_slice + row * work.from_pitch,
                 work.width, kind);
    }
  }
}

void Memory::copy_bytes(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind) {
  switch (kind) {
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

void Memory::fill(const FillWork& work) {
  if (work.empty()) return;
  require(on_device(work.to) || pinned(work.to));
  const std::size_t width = work.width * work.element_bytes;
  if (work.height > 1 && width > work.pitch) throw Failure{cudaErrorInvalidPitchValue};
  if (managed(work.to)) unified_.managed.send();
  if (work.height == 1 || width == work.pitch) return fill_row(work.to, work, work.width * work.height);
  for (std::size_t row = 0; row < work.height; ++row) {
    fill_row(static_cast<std::byte*>(work.to) + row * work.pitch, work, work.width);
  }
}

void Memory::fill_row(void* to, const FillWork& work, std::size_t elements) {
  emulator::Bytes element(work.element_bytes);
  std::memcpy(element.data(), &work.value, element.size());
  const std::size_t bytes = elements * element.size();
  const bool one_value = std::ranges::count(element, element.front()) == std::ssize(element);
  if (one_value && on_device(to)) {
    const emulator::FillRequest wanted{address_of(to), bytes,
                                       std::to_integer<std::uint64_t>(element.front())};
    device_.request(Operation::fill, {bytes_of(wanted)});
  } else {
    emulator::Bytes row(bytes);
    for (std::size_t i = 0; i < bytes; ++i) row[i] = element[i % element.size()];
    if (on_device(to)) {
      to_device(address_of(to), row.data(), bytes);
    } else {
      std::memcpy(to, row.data(), bytes);
    }
  }
  unified_.managed.revoke(address_of(to), bytes);
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
    const bool is_managed = managed(address);
    attributes.type = is_managed ? cudaMemoryTypeManaged : cudaMemoryTypeDevice;
    attributes.device = static_cast<int>(range.device);
    attributes.devicePointer = const_cast<void*>(address);
    if (is_managed) attributes.hostPointer = attributes.devicePointer;
    return attributes;
  }
  attributes.hostPointer = const_cast<void*>(address);
  if (pinned(address)) {
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
