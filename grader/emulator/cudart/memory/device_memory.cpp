#include "emulator/cudart/memory/device_memory.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

#include "emulator/cudart/memory/addresses.h"

namespace lockstep::emulator::cudart {

using server::bytes_of;
using server::RangeRequest;
using server::RequestKind;

namespace {

/// Rows of pitched allocations start at multiples of this on current GPUs.
constexpr std::size_t kPitchGranule = 512;

BoxShape shape_of(const CopyWork& work) { return {work.width, work.height, work.depth}; }
BoxPlace to_of(const CopyWork& work) { return {address_of(work.to), work.to_pitch, work.to_slice}; }
BoxPlace from_of(const CopyWork& work) { return {address_of(work.from), work.from_pitch, work.from_slice}; }

BoxShape shape_of(const FillWork& work) {
  require(work.width <= SIZE_MAX / work.element_bytes);
  return {work.width * work.element_bytes, work.height};
}
BoxPlace to_of(const FillWork& work) { return {address_of(work.to), work.pitch, 0}; }

std::byte* host_of(const BoxPlace& place, const RowPiece& piece) {
  return static_cast<std::byte*>(pointer_to(place.address_of(piece)));
}

/// Bytes from a box's first to its last. Throws for rows that overlap, and for more than there can be.
std::size_t required_span(const BoxShape& shape, const BoxPlace& place) {
  const auto span = emulator::span_of(shape, place);
  require(span.has_value());
  return *span;
}

/// Calls function(part) for one part of a box after the other, each of as much as one request may move.
template <class Function>
void for_parts(const BoxShape& shape, std::uint64_t most_bytes, const Function& function) {
  for (std::uint64_t first = 0; first < shape.bytes(); first += most_bytes) {
    function(BoxPart{first, std::min(most_bytes, shape.bytes() - first)});
    if (most_bytes >= shape.bytes() - first) return;
  }
}
template <class Function>
void for_parts_of_bytes(const BoxShape& shape, const Function& function) {
  for_parts(shape, server::kPieceBytes, function);
}
template <class Function>
void for_parts_of_rows(const BoxShape& shape, const Function& function) {
  const bool one = shape.rows() <= server::kPieceRows;
  for_parts(shape, one ? shape.bytes() : server::kPieceRows * shape.width, function);
}

void repeat(const server::Bytes& element, std::span<std::byte> bytes) {
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = element[i % element.size()];
}

}  // namespace

bool DeviceMemory::on_device(const void* pointer) const {
  return address_of(pointer) >= kGlobalBegin && address_of(pointer) < kGlobalEnd &&
         !unified_.pinned.contains(pointer);
}

bool DeviceMemory::managed(const void* address) const {
  return unified_.managed.contains(address_of(address));
}

/// The kind that the pointers mean. A stated kind that contradicts them is an error, as on hardware; managed
/// memory goes with every kind, and so do the pointers of a copy of nothing, which may be null.
cudaMemcpyKind DeviceMemory::checked_kind(const CopyWork& work) const {
  const cudaMemcpyKind kind = work.kind;
  if (kind < cudaMemcpyHostToHost || kind > cudaMemcpyDefault) throw Failure{cudaErrorInvalidMemcpyDirection};
  if (work.empty()) return kind;
  if (work.to == nullptr || work.from == nullptr) {
    throw Failure{cudaErrorInvalidValue, false, server::RefusalReason::null};
  }
  const auto agrees = [&](const void* pointer, bool stated_on_device) {
    return managed(pointer) || on_device(pointer) == stated_on_device;
  };
  const bool to_agrees = agrees(work.to, kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice);
  const bool from_agrees =
      agrees(work.from, kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice);
  if (kind != cudaMemcpyDefault && !(to_agrees && from_agrees)) {
    throw Failure{cudaErrorInvalidValue, false, server::RefusalReason::direction};
  }
  if (on_device(work.to)) {
    return on_device(work.from) ? cudaMemcpyDeviceToDevice : cudaMemcpyHostToDevice;
  }
  return on_device(work.from) ? cudaMemcpyDeviceToHost : cudaMemcpyHostToHost;
}

void* DeviceMemory::allocate(std::size_t bytes) {
  if (bytes == 0) return nullptr;
  const server::AllocateRequest wanted{bytes};
  const DeviceAddress address =
      device_.ask<server::AddressReply>(RequestKind::allocate, {bytes_of(wanted)}).address;
  allocations_[address] = bytes;
  return pointer_to(address);
}

void* DeviceMemory::allocate_pitched(std::size_t* pitch, std::size_t width, std::size_t height) {
  require(pitch != nullptr && width <= SIZE_MAX - kPitchGranule);
  *pitch = (width + kPitchGranule - 1) / kPitchGranule * kPitchGranule;
  require(height == 0 || *pitch <= SIZE_MAX / height);
  return allocate(*pitch * height);
}

void DeviceMemory::free(void* address) {
  if (address == nullptr || unified_.managed.free(address_of(address))) return;
  require(!pinned(address));
  device_.request(RequestKind::free, {bytes_of(RangeRequest{address_of(address), 0, 0})});
  allocations_.erase(address_of(address));
}

void DeviceMemory::check(const CopyWork& work) {
  checked_kind(work);
  if (work.empty()) return;
  if (work.width > work.to_pitch || work.width > work.from_pitch) throw Failure{cudaErrorInvalidPitchValue};
  check_range(work.to, required_span(shape_of(work), to_of(work)));
  check_range(work.from, required_span(shape_of(work), from_of(work)));
}

void DeviceMemory::check(const FillWork& work) {
  if (work.empty()) return;
  require(on_device(work.to) || pinned(work.to));
  require(work.element_bytes == 1 || work.element_bytes == 2 || work.element_bytes == 4);
  require(address_of(work.to) % work.element_bytes == 0);
  const BoxShape shape = shape_of(work);
  if (work.height > 1 && shape.width > work.pitch) throw Failure{cudaErrorInvalidPitchValue};
  check_range(work.to, required_span(shape, to_of(work)));
}

void DeviceMemory::check_range(const void* pointer, std::size_t bytes) {
  if (pinned(pointer)) return require(unified_.pinned.contains(pointer, bytes));
  if (!on_device(pointer)) return;
  const DeviceAddress address = address_of(pointer);
  const auto require_inside = [&](DeviceAddress base, std::size_t size) {
    if (address - base < size && bytes <= size - (address - base)) return;
    throw Failure{cudaErrorInvalidValue, false, server::RefusalReason::range, {address, bytes, bytes}};
  };
  const auto after = allocations_.upper_bound(address);
  if (after != allocations_.begin()) {
    const auto& [base, size] = *std::prev(after);
    if (address - base < size) return require_inside(base, size);
  }
  // A symbol, or memory of whoever made the device.
  const auto range =
      device_.ask<server::RangeReply>(RequestKind::find_range, {bytes_of(RangeRequest{address, 0, 0})});
  require_inside(range.address, range.bytes);  // of no bytes where there is none
}

void DeviceMemory::copy(const CopyWork& work) {
  const cudaMemcpyKind kind = checked_kind(work);
  if (work.empty()) return;
  if (work.width > work.to_pitch || work.width > work.from_pitch) throw Failure{cudaErrorInvalidPitchValue};
  if (managed(work.to) || managed(work.from)) unified_.managed.send();
  const BoxPlace to = to_of(work), from = from_of(work);
  const BoxShape box = shape_of(work);
  const std::size_t to_span = required_span(box, to), from_span = required_span(box, from);
  const bool gapless = to_span == box.bytes() && from_span == box.bytes();
  const BoxShape shape = gapless ? BoxShape{box.bytes()} : box;
  switch (kind) {
    case cudaMemcpyHostToDevice:
      to_device(to, from, shape);
      break;
    case cudaMemcpyDeviceToHost:
      to_host(to, from, shape);
      break;
    case cudaMemcpyDeviceToDevice:
      for_parts_of_rows(shape, [&](const BoxPart& part) {
        device_.request(RequestKind::copy, {bytes_of(server::CopyRequest{to, from, shape, part})});
      });
      break;
    default:
      for_row_pieces(shape, {0, shape.bytes()}, [&](const RowPiece& piece) {
        std::memmove(host_of(to, piece), host_of(from, piece), piece.bytes);
      });
  }
  revoke(to, shape);
}

void DeviceMemory::fill(const FillWork& work) {
  if (work.empty()) return;
  require(on_device(work.to) || pinned(work.to));
  const BoxPlace to = to_of(work);
  const BoxShape box = shape_of(work);
  if (work.height > 1 && box.width > work.pitch) throw Failure{cudaErrorInvalidPitchValue};
  if (managed(work.to)) unified_.managed.send();
  const bool gapless = required_span(box, to) == box.bytes();
  const BoxShape shape = gapless ? BoxShape{box.bytes()} : box;
  server::Bytes element(work.element_bytes);
  std::memcpy(element.data(), &work.value, element.size());
  const bool one_value = std::ranges::count(element, element.front()) == std::ssize(element);
  if (!on_device(work.to)) {
    for_row_pieces(shape, {0, shape.bytes()}, [&](const RowPiece& piece) {
      repeat(element, {host_of(to, piece), piece.bytes});
    });
  } else if (one_value) {
    const auto value = std::to_integer<std::uint64_t>(element.front());
    for_parts_of_rows(shape, [&](const BoxPart& part) {
      device_.request(RequestKind::fill_box, {bytes_of(server::FillBoxRequest{{to, shape, part}, value})});
    });
  } else {
    // Rows are whole elements, and so are pieces.
    server::Bytes piece(std::min<std::size_t>(shape.bytes(), server::kPieceBytes));
    repeat(element, piece);
    for_parts_of_bytes(shape, [&](const BoxPart& part) {
      device_.request(RequestKind::write_box,
                      {bytes_of(server::BoxRequest{to, shape, part}), std::span(piece).first(part.bytes)});
    });
  }
  revoke(to, shape);
}

/// Takes the pages that a copy or fill has changed from the program, and no others: bringing them back counts
/// as reading.
void DeviceMemory::revoke(const BoxPlace& to, const BoxShape& shape) {
  if (!unified_.managed.contains(to.address)) return;
  const auto page_of = [](DeviceAddress address) { return address / kPageBytes; };
  DeviceAddress begin = to.address, end = to.address;
  for_row_pieces(shape, {0, shape.bytes()}, [&](const RowPiece& row) {
    const DeviceAddress next = to.address_of(row);
    if (end != begin && page_of(next) > page_of(end - 1) + 1) {
      unified_.managed.revoke(begin, end - begin);
      begin = next;
    }
    end = next + row.bytes;
  });
  unified_.managed.revoke(begin, end - begin);
}

void DeviceMemory::information(std::size_t* free_bytes, std::size_t* total_bytes) {
  require(free_bytes != nullptr && total_bytes != nullptr);
  const auto reply = device_.ask<server::MemoryReply>(RequestKind::memory_info, {});
  *free_bytes = reply.free_bytes;
  *total_bytes = reply.total_bytes;
}

cudaPointerAttributes DeviceMemory::attributes(const void* address) {
  cudaPointerAttributes attributes{};
  attributes.type = cudaMemoryTypeUnregistered;
  attributes.device = -1;
  if (on_device(address)) {
    const auto range = device_.ask<server::RangeReply>(RequestKind::find_range,
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

void DeviceMemory::to_device(const BoxPlace& to, const BoxPlace& from, const BoxShape& shape) {
  // Through a buffer of our own: a wild pointer then faults here, in the program, and not half-way into a
  // message.
  server::Bytes bytes(std::min<std::size_t>(shape.bytes(), server::kPieceBytes));
  for_parts_of_bytes(shape, [&](const BoxPart& part) {
    std::byte* next = bytes.data();
    for_row_pieces(shape, part, [&](const RowPiece& piece) {
      std::memcpy(next, host_of(from, piece), piece.bytes);
      next += piece.bytes;
    });
    device_.request(RequestKind::write_box,
                    {bytes_of(server::BoxRequest{to, shape, part}), std::span(bytes).first(part.bytes)});
  });
}

void DeviceMemory::to_host(const BoxPlace& to, const BoxPlace& from, const BoxShape& shape) {
  for_parts_of_bytes(shape, [&](const BoxPart& part) {
    const server::Bytes bytes =
        device_.request(RequestKind::read_box, {bytes_of(server::BoxRequest{from, shape, part})});
    require(bytes.size() == part.bytes);
    const std::byte* next = bytes.data();
    for_row_pieces(shape, part, [&](const RowPiece& piece) {
      std::memcpy(host_of(to, piece), next, piece.bytes);
      next += piece.bytes;
    });
  });
}

}  // namespace lockstep::emulator::cudart
