#include "emulator/execution/image_access.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "emulator/checks/finding_log.h"
#include "emulator/memory/texture_sampling.h"

namespace lockstep::emulator {
namespace {

using Shape = Image::Shape;

const char* name_of(Shape shape) {
  switch (shape) {
    case Shape::line:
      return "1D";
    case Shape::plane:
      return "2D";
    case Shape::volume:
      return "3D";
    case Shape::line_layers:
      return "layered 1D";
    case Shape::plane_layers:
      return "layered 2D";
    case Shape::cube:
      return "cubemap";
    case Shape::cube_layers:
      return "layered cubemap";
    case Shape::buffer:
      return "linear-memory";
  }
  return "unknown";
}

/// Cubes are layers to a surface instruction.
bool can_access(Shape shape, const Image& image) {
  if (shape == Shape::plane_layers) {
    return image.shape == Shape::plane_layers || image.shape == Shape::cube ||
           image.shape == Shape::cube_layers;
  }
  return image.shape != Shape::buffer && can_fetch(shape, false, image);
}

const ImageObject* refuse(Warp& warp, const Instruction& i, unsigned lane, std::string message) {
  fault(warp, LaunchResult::Status::illegal_address,
        make_finding(warp, i.id, lane, Finding::Kind::out_of_bounds, std::move(message)));
  return nullptr;
}

/// Which object a handle names, without regard to the instruction's shape.
const ImageObject* find_object(Warp& warp, const Instruction& i, unsigned lane, ImageHandle handle,
                               bool texture) {
  Worker& worker = *warp.worker;
  if (worker.recent_image != nullptr && worker.recent_handle == handle &&
      worker.recent_image->sampler.has_value() == texture) {
    return worker.recent_image;
  }
  const Grid& grid = *warp.block->grid;
  const char* kind = texture ? "texture" : "surface";
  const ImageObject* object = grid.images->find(handle);
  if (object == nullptr) {
    return refuse(warp, i, lane,
                  grid.images->is_past(handle)
                      ? fmt::format("use of a {} object after it was destroyed", kind)
                      : fmt::format("use of {:#x} as a {} object, which it is not", handle, kind));
  }
  if (object->sampler.has_value() != texture) {
    return refuse(warp, i, lane,
                  texture ? "use of a surface object as a texture object"
                          : "use of a texture object as a surface object");
  }
  const GlobalMemory::Allocation* allocation = grid.memory->find(object->image.address);
  if (allocation == nullptr || allocation->begin != object->allocation ||
      allocation->end() - object->image.address < object->bytes) {
    return refuse(warp, i, lane, fmt::format("use of a {} object after its memory was freed", kind));
  }
  worker.recent_handle = handle;
  worker.recent_image = object;
  return object;
}

const ImageObject* refuse_shape(Warp& warp, const Instruction& i, unsigned lane, const Image& image,
                                const char* kind) {
  const bool indexed = image.shape == Shape::buffer;
  return refuse(warp, i, lane,
                fmt::format("{} access as {} of an object that shows a {} one{}", kind, name_of(shape_of(i)),
                            name_of(image.shape), indexed ? ", which tex1Dfetch reads" : ""));
}

}  // namespace

const ImageObject* texture_of(Warp& warp, const Instruction& i, unsigned lane, ImageHandle handle) {
  const ImageObject* object = find_object(warp, i, lane, handle, true);
  if (object == nullptr) return nullptr;
  const bool by_index = (i.detail & image_access::kByIndex) != 0;
  if (can_fetch(shape_of(i), by_index, object->image)) return object;
  return refuse_shape(warp, i, lane, object->image, "texture");
}

const ImageObject* surface_of(Warp& warp, const Instruction& i, unsigned lane, ImageHandle handle) {
  const ImageObject* object = find_object(warp, i, lane, handle, false);
  if (object == nullptr || can_access(shape_of(i), object->image)) return object;
  return refuse_shape(warp, i, lane, object->image, "surface");
}

const ImageObject* queried_of(Warp& warp, const Instruction& i, unsigned lane, ImageHandle handle,
                              bool texture) {
  return find_object(warp, i, lane, handle, texture);
}

std::uint64_t surface_address(const Image& image, const std::array<std::int32_t, 3>& at, unsigned width,
                              Boundary boundary) {
  const auto row_bytes = static_cast<std::int64_t>(image.width * image.format.bytes());
  const std::array<std::int64_t, 3> last{row_bytes - width, static_cast<std::int64_t>(image.height) - 1,
                                         static_cast<std::int64_t>(image.depth) - 1};
  std::array<std::uint64_t, 3> inside{};
  for (std::size_t d = 0; d < at.size(); ++d) {
    if (last[d] < 0) return 0;
    const std::int64_t nearest = std::clamp<std::int64_t>(at[d], 0, last[d]);
    if (nearest != at[d] && boundary != Boundary::clamp) return 0;
    inside[d] = static_cast<std::uint64_t>(nearest);
  }
  return image.address + inside[2] * image.slice_bytes + inside[1] * image.row_bytes + inside[0];
}

void report_surface_access(Warp& warp, const Instruction& i, unsigned lane, const Image& image,
                           const std::array<std::int32_t, 3>& at, bool is_store) {
  const char* verb = is_store ? "write" : "read";
  if (at[0] % i.width != 0) {
    return fault(
        warp, LaunchResult::Status::misaligned_address,
        make_finding(warp, i.id, lane, Finding::Kind::misaligned,
                     fmt::format("surface {} of {} bytes at x = {} bytes, which is no multiple of {}: x "
                                 "counts bytes, not elements",
                                 verb, i.width, at[0], i.width)));
  }
  const std::uint64_t row_bytes = image.width * image.format.bytes();
  refuse(warp, i, lane,
         fmt::format(
             "surface {} of {} bytes at x = {} bytes, y = {}, slice {} of a surface of {} bytes × {} rows × "
             "{} slices",
             verb, i.width, at[0], at[1], at[2], row_bytes, image.height, image.depth));
}

void check_texel_written(Warp& warp, const Instruction& i, unsigned lane, const Image& image,
                         std::uint64_t address, unsigned bytes) {
  const GlobalMemory& memory = *warp.block->grid->memory;
  // A shadow byte stands for four bytes of memory, and bit k of it for byte k.
  if (bytes == 4 && *memory.written(address) == 0xF) return;
  for (std::uint64_t byte = address; byte < address + bytes; ++byte) {
    if ((*memory.written(byte) >> (byte & 3) & 1) != 0) continue;
    const std::uint64_t offset = byte - image.address;
    const std::uint64_t slice = image.depth > 1 ? offset / image.slice_bytes : 0;
    const std::uint64_t in_slice = offset - slice * image.slice_bytes;
    const std::uint64_t y = image.height > 1 ? in_slice / image.row_bytes : 0;
    const std::uint64_t x = (in_slice - y * image.row_bytes) / image.format.bytes();
    Finding finding =
        make_finding(warp, i.id, lane, Finding::Kind::uninitialised_read,
                     fmt::format("read of element ({}, {}, {}) of a {} array, which nothing has written", x,
                                 y, slice, name_of(image.shape)));
    finding.address = byte;
    return warp.block->grid->findings->add(std::move(finding));
  }
}

}  // namespace lockstep::emulator
