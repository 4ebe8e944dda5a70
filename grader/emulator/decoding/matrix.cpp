// Tensor-core instructions of a warp: mma, wmma, ldmatrix, stmatrix, movmatrix. PTX ISA 9.7.14.
//
// Not here, and so refused by name: mma.m8n8k4 of f16 (sm_70's own layout), sparse mma.sp, block-scaled and
// narrower kinds of sm_100 and above, wgmma and tcgen05.
#include <algorithm>
#include <initializer_list>
#include <utility>

#include "emulator/decoding/float_modifiers.h"
#include "emulator/decoding/function_decoder.h"

namespace lockstep::emulator::decoding {
namespace {

using enum MatrixElement;

/// A set of element types, one bit each.
using Elements = std::uint32_t;
constexpr Elements one(MatrixElement element) { return 1U << static_cast<unsigned>(element); }
constexpr Elements set_of(std::initializer_list<MatrixElement> elements) {
  Elements set = 0;
  for (const MatrixElement element : elements) set |= one(element);
  return set;
}

constexpr Elements kNone = 0;
constexpr Elements kBytes = set_of({s8, u8}), kNibbles = set_of({s4, u4}), kF8 = set_of({e4m3, e5m2});

struct Shape {
  std::string_view name;
  std::uint8_t m, n;
  std::uint16_t k;
  Elements mma, wmma;  ///< types of A and B
  /// wmma's m8n32k16 is computed as its transpose.
  bool transposed() const { return n > m; }
};

constexpr Shape kShapes[] = {{"m16n8k4", 16, 8, 4, set_of({tf32, f64}), kNone},
                             {"m16n8k8", 16, 8, 8, set_of({f16, bf16, tf32, f64}), kNone},
                             {"m16n8k16", 16, 8, 16, set_of({f16, bf16, f64}) | kBytes | kF8, kNone},
                             {"m16n8k32", 16, 8, 32, kBytes | kNibbles | kF8, kNone},
                             {"m16n8k64", 16, 8, 64, kNibbles, kNone},
                             {"m16n8k128", 16, 8, 128, one(b1), kNone},
                             {"m16n8k256", 16, 8, 256, one(b1), kNone},
                             {"m8n8k4", 8, 8, 4, one(f64), one(f64)},
                             {"m8n8k16", 8, 8, 16, kBytes, kNone},
                             {"m8n8k32", 8, 8, 32, kNibbles, kNibbles},
                             {"m8n8k128", 8, 8, 128, one(b1), one(b1)},
                             {"m16n16k16", 16, 16, 16, kNone, set_of({f16, bf16}) | kBytes},
                             {"m32n8k16", 32, 8, 16, kNone, set_of({f16, bf16}) | kBytes},
                             {"m8n32k16", 8, 32, 16, kNone, set_of({f16, bf16}) | kBytes},
                             {"m16n16k8", 16, 16, 8, kNone, one(tf32)}};

/// What may be added up of products of any of these types.
Elements accumulators_of(Elements multiplicands) {
  Elements set = kNone;
  if ((multiplicands & (one(f16) | kF8)) != 0) set |= set_of({f16, f32});
  if ((multiplicands & set_of({bf16, tf32})) != 0) set |= one(f32);
  if ((multiplicands & (kBytes | kNibbles | one(b1))) != 0) set |= one(s32);
  if ((multiplicands & one(f64)) != 0) set |= one(f64);
  return set;
}

/// Types that may stand for each other, one in A and one in B.
Elements family_of(MatrixElement element) {
  for (const Elements family : {kBytes, kNibbles, kF8}) {
    if ((family & one(element)) != 0) return family;
  }
  return one(element);
}

enum class Role : std::uint8_t { a, b, accumulator };

MatrixFragment fragment_of(Role role, const Shape& shape, MatrixElement element, bool opaque) {
  MatrixFragment fragment;
  fragment.element = element;
  fragment.accumulator = role == Role::accumulator;
  const bool turned = role == Role::b || (fragment.accumulator && shape.transposed());
  fragment.height = turned ? shape.n : shape.m;
  fragment.width = !fragment.accumulator ? shape.k : turned ? shape.m : shape.n;
  fragment.paired = fragment.height >= 16 && (role != Role::b || shape.transposed());
  const bool repeats = opaque && element == f16 && !fragment.accumulator;
  fragment.registers =
      static_cast<std::uint8_t>(repeats ? MatrixFragment::kMaxRegisters : fragment.distinct_registers());
  return fragment;
}

const Shape& take_shape(Modifiers& modifiers) {
  const auto found = std::find_if(std::begin(kShapes), std::end(kShapes),
                                  [&](const Shape& shape) { return modifiers.take(shape.name); });
  if (found == std::end(kShapes)) throw NotSupported{};
  return *found;
}

std::optional<MatrixElement> take_element(Modifiers& modifiers) {
  return modifiers.take_first<MatrixElement>({{"b1", b1},
                                              {"s4", s4},
                                              {"u4", u4},
                                              {"s8", s8},
                                              {"u8", u8},
                                              {"e4m3", e4m3},
                                              {"e5m2", e5m2},
                                              {"f16", f16},
                                              {"bf16", bf16},
                                              {"tf32", tf32},
                                              {"f32", f32},
                                              {"s32", s32},
                                              {"f64", f64}});
}

/// Whether the next layout is .row.
bool take_layout(Modifiers& modifiers) {
  const std::optional<bool> row = modifiers.take_first<bool>({{"row", true}, {"col", false}});
  if (!row) throw NotSupported{};
  return *row;
}

void require(bool known) {
  if (!known) throw NotSupported{};
}

}  // namespace

Instruction FunctionDecoder::begin_matrix_instruction(const MatrixOperation& operation) {
  Instruction instruction = begin_instruction();
  instruction.vector[1] = constant(kAllLanes, false);  // the lanes that meet
  instruction.c = static_cast<Slot>(context_.kernel.matrix_operations.size());
  context_.kernel.matrix_operations.push_back(operation);
  context_.program.decoded_bytes += sizeof operation;
  return instruction;
}

/// Rows of a fragment's registers, given as a vector, or alone where there is one.
void FunctionDecoder::take_fragment(const Operand& list, MatrixFragment& fragment, bool written) {
  const bool vector = list.kind == Kind::list;
  if (fragment.registers != (vector ? list.elements.size() : 1)) {
    throw Contradiction{fmt::format("a fragment of {} registers is needed", fragment.registers)};
  }
  const bool wide = fragment.wide();
  const Type type = wide ? Type::f64 : fragment.element == f32 ? Type::f32 : Type::b32;
  for (unsigned k = 0; k < fragment.registers; ++k) {
    const Operand& element = vector ? list.elements[k] : list;
    if (element.kind == Kind::reg && ptx::bytes_of(register_type(element)) != ptx::bytes_of(type)) {
      throw Contradiction{"the registers' width differs from the fragment's"};
    }
    fragment.rows[k] = written ? written_row(element, wide) : source_row(element, type);
  }
}

void FunctionDecoder::decode_matrix(Modifiers& modifiers) {
  require(modifiers.take("sync") && modifiers.take("aligned"));
  if (current_->opcode == "mma") return decode_matrix_multiply(modifiers, false);
  if (modifiers.take("mma")) return decode_matrix_multiply(modifiers, true);
  if (modifiers.take("load")) return decode_fragment_access(modifiers, false);
  if (modifiers.take("store")) return decode_fragment_access(modifiers, true);
  throw NotSupported{};
}

/// mma, or wmma.mma, whose fragments are opaque to the program.
void FunctionDecoder::decode_matrix_multiply(Modifiers& modifiers, bool opaque) {
  const Shape& shape = take_shape(modifiers);
  const bool a_by_row = take_layout(modifiers), b_by_row = take_layout(modifiers);
  std::vector<MatrixElement> types;
  while (const std::optional<MatrixElement> type = take_element(modifiers)) types.push_back(*type);
  if (opaque && types.size() == 2) types.insert(types.begin() + 1, {f16, f16});  // left out for these
  require(types.size() == 4);
  const MatrixElement d = types[0], a = types[1], b = types[2], c = types[3];
  require(((opaque ? shape.wmma : shape.mma) & one(a)) != 0 && (family_of(a) & one(b)) != 0);
  require((accumulators_of(one(a)) & one(c)) != 0 && (accumulators_of(one(a)) & one(d)) != 0);
  // The layouts name those of wmma.load, which leave no trace in a fragment.
  require((opaque && program::bits_of(a) >= 8) || (a_by_row && !b_by_row));

  MatrixOperation operation;
  if (a == f64) operation.rounding = take_rounding(modifiers);
  if (program::bits_of(a) == 4 || program::bits_of(a) == 8)
    operation.saturate = d == s32 && modifiers.take("satfinite");
  if (a == b1) {
    operation.exclusive = modifiers.take("xor");
    require((operation.exclusive || modifiers.take("and")) && modifiers.take("popc"));
  }
  operation.d = fragment_of(Role::accumulator, shape, d, opaque);
  operation.a = fragment_of(Role::a, shape, a, opaque);
  operation.b = fragment_of(Role::b, shape, b, opaque);
  operation.c = fragment_of(Role::accumulator, shape, c, opaque);
  take_fragment(operand(0), operation.d, true);
  take_fragment(operand(1), operation.a, false);
  take_fragment(operand(2), operation.b, false);
  take_fragment(operand(3), operation.c, false);
  if (shape.transposed()) std::swap(operation.a, operation.b);
  Instruction instruction = begin_matrix_instruction(operation);
  instruction.execute = table_.matrix_multiply(a);
  finish(modifiers, instruction);
}

/// wmma.load and wmma.store.
void FunctionDecoder::decode_fragment_access(Modifiers& modifiers, bool is_store) {
  const std::optional<char> matrix = is_store
                                         ? modifiers.take_first<char>({{"d", 'd'}})
                                         : modifiers.take_first<char>({{"a", 'a'}, {"b", 'b'}, {"c", 'c'}});
  require(matrix.has_value());
  const Role role = *matrix == 'a' ? Role::a : *matrix == 'b' ? Role::b : Role::accumulator;
  const bool by_row = take_layout(modifiers);
  const Shape& shape = take_shape(modifiers);
  const std::optional<MatrixElement> element = take_element(modifiers);
  const Elements known = role == Role::accumulator ? accumulators_of(shape.wmma) : shape.wmma;
  require(element && (known & one(*element)) != 0);

  MatrixOperation operation;
  operation.space = take_space(modifiers).value_or(Space::generic);
  require(operation.space == Space::generic || operation.space == Space::global ||
          operation.space == Space::shared);
  operation.d = fragment_of(role, shape, *element, true);
  operation.along_rows = by_row != (role == Role::b || (role == Role::accumulator && shape.transposed()));
  require(operation.along_rows || program::bits_of(*element) >= 8);
  take_fragment(operand(is_store ? 1 : 0), operation.d, !is_store);

  Instruction instruction = begin_matrix_instruction(operation);
  decode_address(operand(is_store ? 0 : 1), operation.space, instruction);
  const std::uint32_t packed = operation.along_rows ? operation.d.width : operation.d.height;
  instruction.b = operand_count() > 2 ? source_row(operand(2), Type::b32) : constant(packed, false);
  if (operation.space != Space::global) {
    const bool bytes = program::bits_of(*element) == 8 && !operation.along_rows;
    context_.narrowest_shared = std::min(context_.narrowest_shared, bytes ? 1U : 4U);
  }
  count_traffic(instruction);
  instruction.execute = is_store ? table_.store_fragment : table_.load_fragment;
  finish(modifiers, instruction);
}

/// ldmatrix and stmatrix.
void FunctionDecoder::decode_matrix_rows(Modifiers& modifiers, bool is_store) {
  require(modifiers.take("sync") && modifiers.take("aligned") && modifiers.take("m8n8"));
  const std::optional<std::uint8_t> tiles =
      modifiers.take_one<std::uint8_t>({{"x1", 1}, {"x2", 2}, {"x4", 4}});
  require(tiles && modifiers.take("b16"));
  MatrixOperation operation;
  operation.transpose = modifiers.take("trans");
  operation.space = take_space(modifiers).value_or(Space::generic);
  require(operation.space == Space::generic || operation.space == Space::shared);
  operation.d.registers = *tiles;
  take_fragment(operand(is_store ? 1 : 0), operation.d, !is_store);

  Instruction instruction = begin_matrix_instruction(operation);
  decode_address(operand(is_store ? 0 : 1), operation.space, instruction);
  context_.narrowest_shared = std::min(context_.narrowest_shared, 4U);
  count_traffic(instruction);
  instruction.execute = is_store ? table_.store_rows : table_.load_rows;
  finish(modifiers, instruction);
}

void FunctionDecoder::decode_matrix_transpose(Modifiers& modifiers) {
  require(modifiers.take("sync") && modifiers.take("aligned") && modifiers.take("m8n8") &&
          modifiers.take("trans") && modifiers.take("b16"));
  Instruction instruction = begin_matrix_instruction({});
  instruction.destination = written_row(operand(0), false);
  instruction.a = source_row(operand(1), Type::b32);
  instruction.execute = table_.transpose_matrix;
  finish(modifiers, instruction);
}

}  // namespace lockstep::emulator::decoding
