// Texture fetches, and loads and stores of surfaces. PTX ISA 9.7.10 and 9.7.11.
//
// Lanes whose handles name the same object are served together: first every place is found and checked, then
// data moves. What a texel is worth is the business of ../texture_sampling.h. Traffic is no line's: the
// lines' counters are those of the load/store unit, past which textures and surfaces take a path of their
// own. What they reach in memory counts for the whole program, or it would be a way to hide accesses.
#include <bit>
#include <cstring>

#include "emulator/execution/image_access.h"
#include "emulator/handlers/access_checks.h"
#include "emulator/handlers/lanes.h"
#include "emulator/handlers/tables.h"
#include "emulator/memory/texture_sampling.h"

namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL {
namespace {

namespace image_access = execution::image_access;

using execution::ImageQuery;
using memory::Footprint;
using memory::ImageObject;
using memory::Texel;
using memory::TexturePoint;

using Shape = Image::Shape;

/// Calls f(lanes, handle) for the lanes of each handle, until one fails.
template <class F>
void for_handles(Warp& warp, const Instruction& i, Mask active, F f) {
  const auto* handles = row<ImageHandle>(warp, i.a);
  for (Mask left = active; left != 0 && !warp.stop;) {
    const ImageHandle handle = handles[first_lane(left)];
    const Mask same = left & mask_of_lanes([=](unsigned l) { return handles[l] == handle; });
    left &= ~same;
    f(same, handle);
  }
}

/// The k-th coordinate in PTX's order.
const std::uint32_t* coordinate_row(const Warp& warp, const Instruction& i, unsigned k) {
  return row<std::uint32_t>(warp, i.b) + std::size_t{k} * kLanes;
}

/// Reads of uninitialised texels, and texels that another block writes.
void check_loads(Warp& warp, const Instruction& i, const Image& image, Mask lanes,
                 const std::uint64_t* addresses, unsigned bytes) {
  const Grid& grid = *warp.block->grid;
  if (!grid.checks || lanes == 0) return;
  for (Mask left = lanes; left != 0; left &= left - 1)
    execution::check_texel_written(warp, i, first_lane(left), image, addresses[first_lane(left)], bytes);
  if (grid.many_threads) {
    const Runs runs = find_runs(lanes, addresses, bytes, false);
    GlobalRaceCheck<AccessKind::load>(warp, i, lanes, addresses, bytes).check(runs);
  }
}

/// Sectors as the emulated device lays arrays out, row after row; hardware keeps its layout to itself.
Units image_sectors(Mask lanes, const std::uint64_t* addresses, unsigned bytes) {
  return lanes == 0 ? Units{} : count_sectors(lanes, addresses, bytes);
}

TexturePoint texture_point(const Warp& warp, const Instruction& i, unsigned lane) {
  const Shape shape = execution::shape_of(i);
  const unsigned first = has_layer(shape) ? 1 : 0;
  TexturePoint point;
  if (first != 0) point.layer = coordinate_row(warp, i, 0)[lane];
  for (unsigned d = 0; d < dimensions_of(shape); ++d) {
    const std::uint32_t bits = coordinate_row(warp, i, first + d)[lane];
    point.at[d] = std::bit_cast<float>(bits);
    point.index[d] = static_cast<std::int32_t>(bits);
  }
  return point;
}

void find_texels(const Warp& warp, const Instruction& i, const ImageObject& object, unsigned lane,
                 Footprint& footprint) {
  const TexturePoint point = texture_point(warp, i, lane);
  if ((i.detail & image_access::kGather) != 0)
    return memory::find_gathered(object.image, *object.sampler, point, footprint);
  if ((i.detail & image_access::kByIndex) != 0)
    return memory::find_texel(object.image, execution::shape_of(i), point, footprint);
  memory::find_footprint(object.image, *object.sampler, execution::shape_of(i), point, footprint);
}

/// One value from the texels of a lane: filtered, or one channel of each.
Texel result_of(const Instruction& i, const ImageObject& object, const Footprint& read, const Texel* texels) {
  if ((i.detail & image_access::kGather) == 0)
    return memory::filtered(object.image, *object.sampler, read, texels);
  const unsigned channel = i.detail >> image_access::kChannelShift & 3;
  return {texels[0][channel], texels[1][channel], texels[2][channel], texels[3][channel]};
}

void fetch_lanes(Warp& warp, const Instruction& i, const ImageObject& object, Mask lanes, Texel* results) {
  const GlobalMemory& memory = *warp.block->grid->memory;
  const unsigned bytes = object.image.format.bytes();
  Footprint read[kLanes];
  unsigned most = 0;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    find_texels(warp, i, object, lane, read[lane]);
    most = std::max(most, read[lane].count);
  }
  // Neighbours mostly lie in the same sectors: the texel of a footprint that takes most stands for all.
  Units units;
  for (unsigned tap = 0; tap < most; ++tap) {
    std::uint64_t addresses[kLanes] = {};
    Mask inside = 0;
    for (Mask left = lanes; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      if (tap >= read[lane].count || read[lane].taps[tap].address == 0) continue;
      addresses[lane] = read[lane].taps[tap].address;
      inside |= Mask{1} << lane;
    }
    check_loads(warp, i, object.image, inside, addresses, bytes);
    units.units = std::max(units.units, image_sectors(inside, addresses, bytes).units);
  }
  count_traffic(warp, i, TrafficCounter::Kind::image, lanes, bytes, units);
  // Indices reach no border: what lies outside is 0 to them.
  static constexpr Texel kNothing{};
  const Texel& border = (i.detail & image_access::kByIndex) != 0 ? kNothing : object.sampler->border;
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    Texel texels[8];
    for (unsigned tap = 0; tap < read[lane].count; ++tap) {
      const std::uint64_t address = read[lane].taps[tap].address;
      texels[tap] =
          address == 0 ? border : memory::read_texel(object.image, *object.sampler, memory.host(address));
    }
    results[lane] = result_of(i, object, read[lane], texels);
  }
}

/// A surface access: where each lane's bytes lie.
struct SurfaceLanes {
  std::uint64_t addresses[kLanes] = {};
  Mask inside = 0;  ///< the others read zeros and write nothing
};

/// False when the launch has failed.
bool find_surface_lanes(Warp& warp, const Instruction& i, const ImageObject& object, Mask lanes,
                        bool is_store, SurfaceLanes& places) {
  const Shape shape = execution::shape_of(i);
  const unsigned first = has_layer(shape) ? 1 : 0;
  const execution::Boundary boundary = execution::boundary_of(i);
  for (Mask left = lanes; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const auto coordinate = [&](unsigned k) {
      return static_cast<std::int32_t>(coordinate_row(warp, i, k)[lane]);
    };
    std::array<std::int32_t, 3> at{coordinate(first), 0, 0};
    if (dimensions_of(shape) >= 2) at[1] = coordinate(first + 1);
    if (shape == Shape::volume) at[2] = coordinate(2);
    if (first != 0) at[2] = coordinate(0);
    const std::uint64_t address = execution::surface_address(object.image, at, i.width, boundary);
    if (at[0] % i.width != 0 || (address == 0 && boundary != execution::Boundary::zero)) {
      execution::report_surface_access(warp, i, lane, object.image, at, is_store);
      return false;
    }
    if (address == 0) continue;
    places.addresses[lane] = address;
    places.inside |= Mask{1} << lane;
  }
  return true;
}

/// One register's part of a lane's bytes; rows of 8-byte elements are 64 bits wide.
void put_element(Warp& warp, const Instruction& i, unsigned k, unsigned lane, const std::byte* bytes) {
  const unsigned element = i.width / (i.detail & image_access::kCountMask);
  std::uint64_t value = 0;
  std::memcpy(&value, bytes + std::size_t{k} * element, element);
  if (i.vector[k] == kNoSlot) return;
  if (element == 8) {
    row<std::uint64_t>(warp, i.vector[k])[lane] = value;
  } else {
    row<std::uint32_t>(warp, i.vector[k])[lane] = static_cast<std::uint32_t>(value);
  }
}

void get_elements(const Warp& warp, const Instruction& i, unsigned lane, std::byte* bytes) {
  const unsigned count = i.detail & image_access::kCountMask;
  const unsigned element = i.width / count;
  for (unsigned k = 0; k < count; ++k) {
    const std::uint64_t value = element == 8 ? row<std::uint64_t>(warp, i.vector[k])[lane]
                                             : row<std::uint32_t>(warp, i.vector[k])[lane];
    std::memcpy(bytes + std::size_t{k} * element, &value, element);
  }
}

}  // namespace

void texture_fetch_handler(Warp& warp, const Instruction& i, Mask active) {
  Texel results[kLanes];
  for_handles(warp, i, active, [&](Mask lanes, ImageHandle handle) {
    const ImageObject* object = execution::texture_of(warp, i, first_lane(lanes), handle);
    if (object != nullptr) fetch_lanes(warp, i, *object, lanes, results);
  });
  if (warp.stop) return;
  for (unsigned k = 0; k < 4; ++k) {
    if (i.vector[k] == kNoSlot) continue;
    for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.vector[k]), active,
                             [&](unsigned l) { return results[l][k]; });
  }
  // Whether the texels are in memory: always, as there are no sparse arrays.
  if (i.destination != kNoSlot) set_predicate(warp, i.destination, active, active);
}

void surface_load_handler(Warp& warp, const Instruction& i, Mask active) {
  alignas(16) std::byte data[kLanes][16] = {};
  for_handles(warp, i, active, [&](Mask lanes, ImageHandle handle) {
    const ImageObject* object = execution::surface_of(warp, i, first_lane(lanes), handle);
    SurfaceLanes places;
    if (object == nullptr || !find_surface_lanes(warp, i, *object, lanes, false, places)) return;
    check_loads(warp, i, object->image, places.inside, places.addresses, i.width);
    count_traffic(warp, i, TrafficCounter::Kind::image, places.inside, i.width,
                  image_sectors(places.inside, places.addresses, i.width));
    for (Mask left = places.inside; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      std::memcpy(data[lane], warp.block->grid->memory->host(places.addresses[lane]), i.width);
    }
  });
  if (warp.stop) return;
  for (unsigned k = 0; k < (i.detail & image_access::kCountMask); ++k) {
    for (Mask left = active; left != 0; left &= left - 1)
      put_element(warp, i, k, first_lane(left), data[first_lane(left)]);
  }
}

void surface_store_handler(Warp& warp, const Instruction& i, Mask active) {
  for_handles(warp, i, active, [&](Mask lanes, ImageHandle handle) {
    const ImageObject* object = execution::surface_of(warp, i, first_lane(lanes), handle);
    SurfaceLanes places;
    if (object == nullptr || !find_surface_lanes(warp, i, *object, lanes, true, places) || places.inside == 0)
      return;
    count_traffic(warp, i, TrafficCounter::Kind::image, places.inside, i.width,
                  image_sectors(places.inside, places.addresses, i.width));
    ++warp.worker->changes;
    const Grid& grid = *warp.block->grid;
    const auto value = [&](unsigned lane, std::byte* to) { get_elements(warp, i, lane, to); };
    if (grid.checks) {
      const Runs runs = find_runs(places.inside, places.addresses, i.width, false);
      mark_global_written(warp, places.inside, places.addresses, i.width, runs);
      checks::signal(warp);
      if (grid.many_threads) {
        const ValueOf value_of(value);
        GlobalRaceCheck<AccessKind::store>(warp, i, places.inside, places.addresses, i.width, &value_of)
            .check(runs);
      }
    }
    for (Mask left = places.inside; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      get_elements(warp, i, lane, grid.memory->host(places.addresses[lane]));
    }
  });
}

// txq and suq: one property of the object, which PTX keeps with it.
template <bool texture>
void query(Warp& warp, const Instruction& i, Mask active) {
  for_handles(warp, i, active, [&](Mask lanes, ImageHandle handle) {
    const ImageObject* object = execution::queried_of(warp, i, first_lane(lanes), handle, texture);
    if (object == nullptr || i.destination == kNoSlot) return;
    const Image& image = object->image;
    const bool cube = image.shape == Shape::cube_layers;
    std::uint64_t value = 0;
    switch (static_cast<ImageQuery>(i.detail)) {
      case ImageQuery::width:
        value = image.width;
        break;
      case ImageQuery::height:
        value = image.height;
        break;
      case ImageQuery::depth:
        value = image.shape == Shape::volume ? image.depth : 1;
        break;
      case ImageQuery::array_size:
        value = has_layer(image.shape) ? image.depth / (cube ? kCubeFaces : 1) : 1;
        break;
      case ImageQuery::normalised:
        value = object->sampler ? object->sampler->normalised_coordinates : 0;
        break;
      case ImageQuery::levels:
        value = 1;
        break;
    }
    for_lanes<std::uint32_t>(row<std::uint32_t>(warp, i.destination), lanes,
                             [=](unsigned) { return static_cast<std::uint32_t>(value); });
  });
}

Handler image_query_handler(bool texture) { return texture ? query<true> : query<false>; }

}  // namespace lockstep::emulator::handlers::LOCKSTEP_LEVEL
