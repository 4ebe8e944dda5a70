#include "emulator/execution/image_access.h"

#include <algorithm>
#include <utility>

#include "emulator/checks/finding_log.h"
#include "emulator/memory/texture_sampling.h"

namespace lockstep::emulator::execution {
namespace {

using Shape = Image::Shape;

/// Cubes are layers to a surface instruction.
bool can_access(Shape shape, const Image& image) {
  if (shape == Shape::plane_layers) {
    return image.shape == Shape::plane_layers || image.shape == Shape::cube ||
           image.shape == Shape::cube_layers;
  }
  return image.shape != Shape::buffer && memory::can_fetch(shape, false, image);
}

Finding::Space space_of(bool texture) { return texture ? Finding::Space::texture : Finding::Space::surface; }

const ImageObject* refuse(Warp& warp, const Instruction& i, unsigned lane, bool texture, Finding::Cause cause,
                          std::vector<std::int64_t> numbers = {}, ImageHandle handle = 0) {
  Finding finding = make_finding(warp, i.id, lane, cause, std::move(numbers));
  finding.space = space_of(texture);
  finding.address = handle;
  checks::fault(warp, LaunchResult::Status::illegal_address, std::move(finding));
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
  const ImageObject* object = grid.images->find(handle);
  if (object == nullptr) {
    return refuse(warp, i, lane, texture,
                  grid.images->is_past(handle) ? Finding::Cause::destroyed_image : Finding::Cause::no_image,
                  {}, handle);
  }
  if (object->sampler.has_value() != texture)
    return refuse(warp, i, lane, texture, Finding::Cause::image_of_other_kind);
  const memory::GlobalMemory::Allocation* allocation = grid.memory->find(object->image.address);
  if (allocation == nullptr || allocation->begin != object->allocation ||
      allocation->end() - object->image.address < object->bytes) {
    return refuse(warp, i, lane, texture, Finding::Cause::freed_image);
  }
  worker.recent_handle = handle;
  worker.recent_image = object;
  return object;
}

const ImageObject* refuse_shape(Warp& warp, const Instruction& i, unsigned lane, const Image& image,
                                bool texture) {
  return refuse(warp, i, lane, texture, Finding::Cause::image_of_other_shape,
                {static_cast<std::int64_t>(shape_of(i)), static_cast<std::int64_t>(image.shape)});
}

}  // namespace

const ImageObject* texture_of(Warp& warp, const Instruction& i, unsigned lane, ImageHandle handle) {
  const ImageObject* object = find_object(warp, i, lane, handle, true);
  if (object == nullptr) return nullptr;
  const bool by_index = (i.detail & image_access::kByIndex) != 0;
  if (memory::can_fetch(shape_of(i), by_index, object->image)) return object;
  return refuse_shape(warp, i, lane, object->image, true);
}

const ImageObject* surface_of(Warp& warp, const Instruction& i, unsigned lane, ImageHandle handle) {
  const ImageObject* object = find_object(warp, i, lane, handle, false);
  if (object == nullptr || can_access(shape_of(i), object->image)) return object;
  return refuse_shape(warp, i, lane, object->image, false);
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
  const bool misaligned = at[0] % i.width != 0;
  Finding finding = make_finding(
      warp, i.id, lane, misaligned ? Finding::Cause::misaligned_surface : Finding::Cause::outside_surface,
      {at[0]});
  finding.space = Finding::Space::surface;
  finding.access = is_store ? Finding::Access::write : Finding::Access::read;
  finding.width = i.width;
  if (!misaligned) {
    const std::uint64_t row_bytes = image.width * image.format.bytes();
    finding.numbers = {
        at[0], at[1], at[2], signed_of(row_bytes), signed_of(image.height), signed_of(image.depth)};
  }
  checks::fault(warp,
                misaligned ? LaunchResult::Status::misaligned_address : LaunchResult::Status::illegal_address,
                std::move(finding));
}

void check_texel_written(Warp& warp, const Instruction& i, unsigned lane, const Image& image,
                         std::uint64_t address, unsigned bytes) {
  const memory::GlobalMemory& memory = *warp.block->grid->memory;
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
        make_finding(warp, i.id, lane, Finding::Cause::uninitialised_texel,
                     {signed_of(x), signed_of(y), signed_of(slice), static_cast<std::int64_t>(image.shape)});
    finding.access = Finding::Access::read;
    finding.width = bytes;
    finding.address = byte;
    return warp.block->grid->findings->add(std::move(finding));
  }
}

}  // namespace lockstep::emulator::execution
