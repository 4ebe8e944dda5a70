// Texture fetches, surface loads and stores, and queries of either, in the unified mode: one handle, which
// holds both memory and sampler. PTX ISA 9.7.10 and 9.7.11.
#include "emulator/decoding/function_decoder.h"
#include "emulator/execution/image_access.h"

namespace lockstep::emulator::decoding {
namespace {

namespace image_access = execution::image_access;

using execution::Boundary;
using execution::ImageQuery;

struct Geometry {
  Image::Shape shape = Image::Shape::line;
  std::size_t operands = 1;  ///< of the coordinate vector; with four, the last may be unused
};

std::optional<Geometry> take_geometry(Modifiers& modifiers) {
  using enum Image::Shape;
  return modifiers.take_one<Geometry>({{"1d", {line, 1}},
                                       {"2d", {plane, 2}},
                                       {"3d", {volume, 4}},
                                       {"a1d", {line_layers, 2}},
                                       {"a2d", {plane_layers, 4}},
                                       {"cube", {cube, 4}},
                                       {"acube", {cube_layers, 4}}});
}

std::uint16_t detail_of(Image::Shape shape, unsigned count) {
  return static_cast<std::uint16_t>(count | static_cast<unsigned>(shape) << image_access::kShapeShift);
}

}  // namespace

/// The handle of [handle, …]. A name instead of a register is a texture reference, which CUDA 12 removed.
Slot FunctionDecoder::image_handle(const Operand& address, std::size_t elements) {
  if (address.kind != Kind::address || address.elements.size() != elements)
    throw Contradiction{"an object and its coordinates are needed"};
  if (address.elements[0].kind != Kind::reg) throw NotSupported{};
  if (address.offset != 0) throw Contradiction{"a handle has no offset"};
  return register_row(address.elements[0], true);
}

/// Copies the coordinates into rows that follow one another; the first of them.
Slot FunctionDecoder::coordinate_rows(const Operand& address, std::size_t operands, Image::Shape shape,
                                      Type type) {
  const Operand& given = address.elements[1];
  const bool list = given.kind == Kind::list;
  if ((!list && operands != 1) || (list && given.elements.size() != operands))
    throw Contradiction{"the coordinates are not those of the geometry"};
  const std::size_t layers = has_layer(shape) ? 1 : 0, used = layers + dimensions_of(shape);
  std::vector<Slot> sources;
  for (std::size_t k = 0; k < used; ++k)
    sources.push_back(source_row(list ? given.elements[k] : given, k < layers ? Type::u32 : type));
  std::vector<Slot> rows;
  for (std::size_t k = 0; k < used; ++k) rows.push_back(new_row(false));
  for (std::size_t k = 0; k < used; ++k) {
    Instruction copy = begin_instruction();
    copy.execute = table_.arithmetic(Operation::move, Type::b32, {});
    copy.destination = rows[k];
    copy.a = sources[k];
    emit(copy);
  }
  return rows.front();
}

void FunctionDecoder::decode_texture(Modifiers& modifiers, bool gather) {
  // Without mipmaps every level of detail is the only one: its operands are checked and have no effect.
  const bool level = !gather && modifiers.take("level"), gradient = !gather && modifiers.take("grad");
  const std::optional<std::uint16_t> channel =
      gather ? modifiers.take_one<std::uint16_t>({{"r", 0}, {"g", 1}, {"b", 2}, {"a", 3}}) : std::uint16_t{0};
  const std::optional<Geometry> geometry = take_geometry(modifiers);
  if (!geometry || !channel || !modifiers.take("v4")) throw NotSupported{};
  if (gather && geometry->shape != Image::Shape::plane) throw NotSupported{};
  const Type result = need_type(modifiers), coordinate = need_type(modifiers);
  if (result != Type::f32 && result != Type::s32 && result != Type::u32) throw NotSupported{};
  const bool by_index = coordinate == Type::s32;
  const bool cube = geometry->shape == Image::Shape::cube || geometry->shape == Image::Shape::cube_layers;
  if ((coordinate != Type::f32 && !by_index) || (by_index && (gather || level || gradient || cube)))
    throw NotSupported{};
  const std::size_t expected = 2 + (level ? 1 : 0) + (gradient ? 2 : 0);
  if (operand_count() > expected) throw NotSupported{};  // an offset, or a depth to compare with

  Instruction instruction = begin_instruction();
  const bool tells_residency = operand(0).kind == Kind::pair;
  if (tells_residency) instruction.destination = predicate(operand(0).elements.at(1));
  const Operand& results = tells_residency ? operand(0).elements.at(0) : operand(0);
  if (results.kind != Kind::list || results.elements.size() != instruction.vector.size())
    throw Contradiction{"four results are needed"};
  for (std::size_t k = 0; k < results.elements.size(); ++k)
    instruction.vector[k] = destination(results.elements[k], false);
  instruction.a = image_handle(operand(1), 2);
  instruction.b = coordinate_rows(operand(1), geometry->operands, geometry->shape, coordinate);
  if (level) source_row(operand(2), Type::f32);
  if (gradient) {
    for (const std::size_t k : {2, 3}) {
      const Operand& slopes = operand(k);
      const std::size_t most = dimensions_of(geometry->shape) == 3 ? 4 : dimensions_of(geometry->shape);
      if (slopes.kind != Kind::list ? most != 1 : slopes.elements.size() != most)
        throw Contradiction{"the gradients are not those of the geometry"};
      for (const Operand& slope : slopes.elements) source_row(slope, Type::f32);
    }
  }
  instruction.detail = detail_of(geometry->shape, 4);
  if (by_index) instruction.detail |= image_access::kByIndex;
  if (gather) instruction.detail |= image_access::kGather;
  instruction.detail |= static_cast<std::uint16_t>(*channel << image_access::kChannelShift);
  count_traffic(instruction);
  instruction.execute = table_.texture_fetch;
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_surface(Modifiers& modifiers, bool is_store) {
  if (!modifiers.take("b")) throw NotSupported{};  // formatted: .p
  const std::optional<Geometry> geometry = take_geometry(modifiers);
  for (const char* hint : {"ca", "cg", "cs", "cv", "wb", "wt"}) modifiers.take(hint);
  const unsigned count = modifiers.take("v2") ? 2 : modifiers.take("v4") ? 4 : 1;
  const std::optional<Boundary> boundary = modifiers.take_one<Boundary>(
      {{"trap", Boundary::trap}, {"clamp", Boundary::clamp}, {"zero", Boundary::zero}});
  const Type type = need_type(modifiers);
  const bool bits = type == Type::b8 || type == Type::b16 || type == Type::b32 || type == Type::b64;
  if (!geometry || !boundary || !bits || geometry->shape == Image::Shape::cube ||
      geometry->shape == Image::Shape::cube_layers) {
    throw NotSupported{};
  }
  const unsigned width = ptx::bytes_of(type) * count;
  if (width > 16) throw NotSupported{};

  Instruction instruction = begin_instruction();
  const Operand& address = operand(is_store ? 0 : 1);
  const Operand& values = operand(is_store ? 1 : 0);
  const bool list = values.kind == Kind::list;
  if ((!list && count != 1) || (list && values.elements.size() != count))
    throw Contradiction{"as many registers as elements are needed"};
  for (unsigned k = 0; k < count; ++k) {
    const Operand& value = list ? values.elements[k] : values;
    instruction.vector[k] = is_store ? source_row(value, type) : destination(value, is_wide(type));
  }
  instruction.a = image_handle(address, 2);
  instruction.b = coordinate_rows(address, geometry->operands, geometry->shape, Type::s32);
  instruction.width = static_cast<std::uint8_t>(width);
  instruction.detail = detail_of(geometry->shape, count);
  instruction.detail |=
      static_cast<std::uint16_t>(static_cast<unsigned>(*boundary) << image_access::kBoundaryShift);
  count_traffic(instruction);
  instruction.execute = is_store ? table_.surface_store : table_.surface_load;
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_image_query(Modifiers& modifiers, bool texture) {
  const std::optional<ImageQuery> query =
      modifiers.take_one<ImageQuery>({{"width", ImageQuery::width},
                                      {"height", ImageQuery::height},
                                      {"depth", ImageQuery::depth},
                                      {"array_size", ImageQuery::array_size},
                                      {"normalized_coords", ImageQuery::normalised},
                                      {"num_mipmap_levels", ImageQuery::levels}});
  if (!query || need_type(modifiers) != Type::b32) throw NotSupported{};
  if (!texture && (*query == ImageQuery::normalised || *query == ImageQuery::levels)) throw NotSupported{};
  Instruction instruction = begin_instruction();
  instruction.destination = destination(operand(0), false);
  instruction.a = image_handle(operand(1), 1);
  instruction.detail = static_cast<std::uint16_t>(*query);
  instruction.execute = table_.image_query(texture);
  finish(modifiers, instruction);
}

}  // namespace lockstep::emulator::decoding
