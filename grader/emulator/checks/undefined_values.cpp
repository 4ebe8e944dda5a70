#include "emulator/checks/undefined_values.h"

#include <algorithm>
#include <bit>
#include <optional>
#include <string_view>
#include <utility>

#include "emulator/analysis/register_accesses.h"
#include "emulator/analysis/undefined_rules.h"
#include "emulator/checks/violations.h"
#include "emulator/program/handlers.h"
#include "emulator/program/shuffle.h"

namespace lockstep::emulator::checks {
namespace {

/// Registers of a warp that are followed. Of more than honest code has, a value is reported when it comes up.
constexpr std::size_t kMaxRows = 1024;

using instructions::Flow;
using Kind = ptx::Operand::Kind;
using Bits = UndefinedValues::Bits;

/// The registers of a vector, or the one that there is.
std::vector<const ptx::Operand*> elements_of(const ptx::Operand& operand) {
  std::vector<const ptx::Operand*> elements;
  if (operand.kind != Kind::list) return {&operand};
  for (const ptx::Operand& element : operand.elements) elements.push_back(&element);
  return elements;
}

bool is_in(const ptx::Instruction& instruction, std::string_view space) {
  return std::any_of(instruction.modifiers.begin(), instruction.modifiers.end(),
                     [=](const std::string& word) { return word.starts_with(space); });
}

/// Where a lane's access begins: an address in global memory, an offset in the block's shared memory; nothing
/// for what lies elsewhere.
struct Target {
  bool shared = false;
  std::uint64_t address = 0;
};
std::optional<Target> target_of(const Warp& warp, const ptx::Instruction& source, const Instruction& access,
                                unsigned lane) {
  if (is_in(source, "local") || is_in(source, "param")) return std::nullopt;
  const bool wide = (access.detail & access::kAddress64) != 0;
  const std::uint64_t base =
      wide ? row<std::uint64_t>(warp, access.a)[lane] : row<std::uint32_t>(warp, access.a)[lane];
  std::uint64_t address = base + static_cast<std::uint64_t>(access.offset);
  if (!wide) address &= 0xFFFF'FFFF;
  if (address >= kGlobalBegin) return Target{false, address};
  if (!is_in(source, "shared") && address / kWindowBytes != kSharedWindow / kWindowBytes) return std::nullopt;
  const std::uint64_t offset = address % kWindowBytes;  // of another block of the cluster: beyond
  if (offset + access.width > warp.block->grid->shared_bytes) return std::nullopt;
  return Target{true, offset};
}

/// Takes back that a store has written bytes of what each lane accesses; bit k of `bytes` is byte k.
void leave_uninitialised(Warp& warp, const ptx::Instruction& source, const Instruction& store,
                         const std::array<std::uint32_t, kLanes>& bytes) {
  const ThreadBlock& block = *warp.block;
  const std::uint32_t granule = block.grid->kernel->shared_granule;
  const auto whole = static_cast<std::uint32_t>(analysis::low_bits(granule));
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (bytes[lane] == 0) continue;
    const std::optional<Target> target = target_of(warp, source, store, lane);
    if (!target) continue;
    if (target->shared) {
      for (unsigned k = 0; k < store.width; k += granule) {
        if ((bytes[lane] >> k & whole) == whole)
          warp.block->shadow.write_time[(target->address + k) / granule] = 0;
      }
      continue;
    }
    for (std::uint32_t left = bytes[lane]; left != 0; left &= left - 1) {
      const std::uint64_t byte = target->address + static_cast<unsigned>(std::countr_zero(left));
      const auto bit = static_cast<std::uint8_t>(1U << (byte & 3));
      __atomic_fetch_and(block.grid->memory->written(byte), static_cast<std::uint8_t>(~bit),
                         __ATOMIC_RELAXED);
    }
  }
}

}  // namespace

/// One instruction of the current frame, for some lanes.
class UndefinedValues::Step {
 public:
  Step(UndefinedValues& values, Warp& warp, const Function& function, std::uint32_t place, Mask active,
       const Instruction* instruction = nullptr)
      : values_(values),
        warp_(warp),
        function_(function),
        source_(function.source->instructions[place - function.first_place]),
        place_(place),
        active_(active),
        instruction_(instruction) {}

  const ptx::Instruction& source() const { return source_; }

  /// Whether a register that the instruction reads or writes is undefined in any lane.
  bool concerns_any() const {
    bool any = false;
    const auto look = [&](std::uint32_t name) { any |= find(name) != values_.rows_.end(); };
    analysis::for_accesses(source_, look, look);
    return any;
  }

  void report_guard(Mask lanes) {
    if (source_.guard >= 0) report(static_cast<std::uint32_t>(source_.guard), lanes);
  }

  /// Of an operand that decides.
  void report_registers(const ptx::Operand& operand) {
    analysis::for_registers(operand, [this](std::uint32_t name) { report(name, active_); });
  }

  void follow() {
    switch (analysis::flow_of(source_)) {
      case Flow::decides:
        for (std::size_t k = analysis::writes_first(source_) ? 1 : 0; k < source_.operands.size(); ++k)
          report_registers(source_.operands[k]);
        return clear_results();
      case Flow::loads:
        report_registers(source_.operands.back());
        return clear_results();
      case Flow::stores:
        report_registers(source_.operands.front());
        return store();
      case Flow::shuffles:
        for (std::size_t k = 2; k < source_.operands.size(); ++k) report_registers(source_.operands[k]);
        return shuffle();
      case Flow::moves:
        return move();
      case Flow::selects:
        return set(source_.operands[0], selected());
      default:
        return set(source_.operands[0], calculated());
    }
  }

  /// Gives the registers of the load that ended what it found.
  void take(const UninitialisedRead& read) {
    const ptx::Type type = analysis::last_type(source_);
    const unsigned size = ptx::bytes_of(type);
    const auto elements = elements_of(source_.operands[0]);
    const auto whole =
        static_cast<std::uint32_t>(analysis::low_bits(size * static_cast<unsigned>(elements.size())));
    active_ = read.lanes;
    Value value{.padding = 0, .origin = read};
    const std::vector<std::uint64_t> members = distances_to_members();
    for (Mask left = active_; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      const bool is_padding = read.bytes[lane] != whole ||
                              std::any_of(members.begin(), members.end(), [&](std::uint64_t distance) {
                                return is_written(read, lane, distance);
                              });
      value.padding |= Mask{is_padding} << lane;
    }
    for (unsigned k = 0; k < elements.size(); ++k) {
      for (unsigned lane = 0; lane < kLanes; ++lane) {
        std::uint64_t& undefined = value.undefined[lane] = 0;
        for (unsigned byte = 0; byte < size; ++byte) {
          if ((read.bytes[lane] >> (k * size + byte) & 1) != 0)
            undefined |= std::uint64_t{0xFF} << (8 * byte);
        }
        if (analysis::is_signed(type)) undefined = analysis::extend_sign(undefined, 8 * size);
      }
      set(*elements[k], value);
    }
  }

 private:
  std::uint32_t place_of(std::uint32_t name) const {
    const Slot slot = function_.registers[name].slot;
    return is_predicate(name)
               ? static_cast<std::uint32_t>(warp_.predicates - warp_.predicate_storage.data()) + slot
               : static_cast<std::uint32_t>(warp_.rows - warp_.row_storage.data()) + slot;
  }
  ptx::Type type_of(std::uint32_t name) const { return function_.source->registers[name].type; }
  bool is_predicate(std::uint32_t name) const { return type_of(name) == ptx::Type::pred; }

  std::vector<Row>::iterator find(std::uint32_t name) const {
    if (function_.registers[name].slot == program::kNoSlot) return values_.rows_.end();
    return std::find_if(values_.rows_.begin(), values_.rows_.end(),
                        [&, place = place_of(name)](const Row& row) {
                          return row.name == name && row.place == place && row.function == &function_;
                        });
  }

  void report(std::uint32_t name, Mask lanes) {
    const auto row = find(name);
    if (row == values_.rows_.end() || (row->lanes & lanes) == 0) return;
    report(row->origin, row->lanes & lanes);
  }
  void report(UninitialisedRead origin, Mask users) {
    if ((origin.lanes & users) != 0) origin.lanes &= users;
    values_.drop(origin.load);
    report_uninitialised(warp_, origin, place_);
  }

  Value value_of(const ptx::Operand& operand) const {
    Value value;
    if (operand.kind != Kind::reg) return value;
    const auto row = find(operand.index);
    if (row == values_.rows_.end() || (row->lanes & active_) == 0) return value;
    value = {row->undefined, row->padding | ~row->lanes, row->in_place | ~row->lanes, row->origin};
    for (unsigned lane = 0; lane < kLanes; ++lane)
      value.undefined[lane] &= 0 - std::uint64_t{row->lanes >> lane & 1};
    return value;
  }

  /// What a lane's operand holds; nothing that the rules may build on where only the device knows it.
  std::optional<std::uint64_t> held(const ptx::Operand& operand, unsigned lane) const {
    if (operand.kind == Kind::immediate) return operand.bits;
    if (operand.kind != Kind::reg || function_.registers[operand.index].slot == program::kNoSlot)
      return std::nullopt;
    const Slot slot = function_.registers[operand.index].slot;
    const ptx::Type type = type_of(operand.index);
    if (type == ptx::Type::pred) return (warp_.predicates[slot] >> lane & 1) ^ (operand.negated ? 1U : 0U);
    return ptx::bytes_of(type) == 8 ? row<std::uint64_t>(warp_, slot)[lane]
                                    : row<std::uint32_t>(warp_, slot)[lane];
  }

  void clear_results() {
    if (!analysis::writes_first(source_)) return;
    analysis::for_registers(source_.operands[0], [this](std::uint32_t name) { set(name, Value{}); });
  }

  /// Makes a result as undefined as `value` in the active lanes.
  void set(const ptx::Operand& result, const Value& value) {
    analysis::for_registers(result, [&](std::uint32_t name) { set(name, value); });
  }
  void set(std::uint32_t name, const Value& value) {
    if (function_.registers[name].slot == program::kNoSlot) return;
    const std::uint64_t width = analysis::low_bits(analysis::bits_of(type_of(name)));
    Mask lanes = 0;
    for (Mask left = active_; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      lanes |= Mask{(value.undefined[lane] & width) != 0} << lane;
    }
    auto row = find(name);
    if (row == values_.rows_.end()) {
      if (lanes == 0) return;
      if (values_.rows_.size() >= kMaxRows) {
        values_.forget_dead(warp_, function_, place_ - function_.first_place, active_);
        if (values_.rows_.size() >= kMaxRows) return report(value.origin, lanes);
      }
      row = values_.rows_.insert(values_.rows_.end(), Row{.function = &function_,
                                                          .name = name,
                                                          .place = place_of(name),
                                                          .predicate = is_predicate(name)});
    }
    if (lanes != 0) row->origin = joined(value.origin, row->origin, row->lanes & ~active_);
    row->lanes = (row->lanes & ~active_) | lanes;
    row->padding = (row->padding & ~active_) | (value.padding & lanes);
    row->in_place = (row->in_place & ~active_) | (value.in_place & lanes);
    for (Mask left = lanes; left != 0; left &= left - 1)
      row->undefined[first_lane(left)] = value.undefined[first_lane(left)] & width;
    for (Mask left = active_ & ~lanes; left != 0; left &= left - 1) row->undefined[first_lane(left)] = 0;
    if (row->lanes == 0) values_.rows_.erase(row);
  }

  /// nvcc copies a structure member by member, and what lies behind the last one by loads of nothing else:
  /// how far from such a load those of members are. They have its line and address register, and another
  /// size; neighbours in an array have the same.
  std::vector<std::uint64_t> distances_to_members() const {
    constexpr std::uint32_t kFarthest = 16;
    std::vector<std::uint64_t> distances;
    const auto& code = function_.source->instructions;
    const std::uint32_t here = place_ - function_.first_place;
    const ptx::Operand& own = source_.operands.back();
    const std::size_t end = std::min<std::size_t>(code.size(), here + kFarthest);
    for (std::size_t k = here - std::min(here, kFarthest); k < end; ++k) {
      const ptx::Instruction& load = code[k];
      if (load.opcode != "ld" || load.location != source_.location || load.operands.size() != 2) continue;
      const ptx::Operand& other = load.operands.back();
      const bool is_member =
          ptx::bytes_of(analysis::last_type(load)) != ptx::bytes_of(analysis::last_type(source_));
      if (is_member && has_same_base(own, other))
        distances.push_back(static_cast<std::uint64_t>(other.offset) -
                            static_cast<std::uint64_t>(own.offset));
    }
    return distances;
  }
  static bool has_same_base(const ptx::Operand& a, const ptx::Operand& b) {
    return !a.elements.empty() && !b.elements.empty() && a.elements[0].kind == Kind::reg &&
           b.elements[0].kind == Kind::reg && a.elements[0].index == b.elements[0].index;
  }
  bool is_written(const UninitialisedRead& read, unsigned lane, std::uint64_t distance) const {
    const std::uint64_t address = read.accessed[lane] + distance;
    const Grid& grid = *warp_.block->grid;
    if (read.shared) {
      const ThreadBlock& block = *warp_.block;
      return address < grid.shared_bytes &&
             block.shadow.write_time[address / grid.kernel->shared_granule] >= block.begin;
    }
    return grid.memory->find(address) != nullptr &&
           (*grid.memory->written(address) >> (address & 3) & 1) != 0;
  }

  /// Where the undefined bits of a register come from, of which `others` keep what they hold.
  static UninitialisedRead joined(UninitialisedRead origin, const UninitialisedRead& before, Mask others) {
    origin.lanes |= others;
    for (Mask left = others; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      origin.accessed[lane] = before.accessed[lane];
      origin.bytes[lane] = before.bytes[lane];
    }
    return origin;
  }

  /// mov, which may take a register apart or put one together.
  void move() {
    const auto from = elements_of(source_.operands.at(1)), to = elements_of(source_.operands.at(0));
    const unsigned width = analysis::bits_of(analysis::last_type(source_));
    Value whole;
    for (unsigned k = 0; k < from.size(); ++k) add(whole, value_of(*from[k]), k * width / from.size());
    for (unsigned k = 0; k < to.size(); ++k) {
      Value part = whole;
      for (std::uint64_t& undefined : part.undefined)
        undefined = undefined >> (k * width / to.size()) &
                    analysis::low_bits(width / static_cast<unsigned>(to.size()));
      set(*to[k], part);
    }
  }

  static void add(Value& value, const Value& other, std::size_t shift = 0) {
    for (unsigned lane = 0; lane < kLanes; ++lane) value.undefined[lane] |= other.undefined[lane] << shift;
    value.padding &= other.padding;
    value.in_place &= other.in_place;
    if (value.origin.load == nullptr) value.origin = other.origin;
  }

  /// shfl: each lane gets another's value, and perhaps whether there is one.
  void shuffle() {
    const auto& operands = source_.operands;
    const program::WarpOperation operation = source_.has("up")     ? program::WarpOperation::shuffle_up
                                             : source_.has("down") ? program::WarpOperation::shuffle_down
                                             : source_.has("bfly") ? program::WarpOperation::shuffle_butterfly
                                                                   : program::WarpOperation::shuffle_index;
    const Value from = value_of(operands.at(1));
    Value result{.padding = 0, .in_place = 0, .origin = from.origin};
    for (Mask left = active_; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      const auto by = static_cast<std::uint32_t>(held(operands.at(2), lane).value_or(0));
      const auto control = static_cast<std::uint32_t>(held(operands.at(3), lane).value_or(0));
      const std::uint32_t source = program::shuffle_source(operation, lane, by, control) & 0x1F;
      result.undefined[lane] = from.undefined[source];
      result.padding |= (from.padding >> source & 1) << lane;
    }
    clear_results();
    set(operands[0].kind == Kind::pair ? operands[0].elements.at(0) : operands[0], result);
  }

  /// Of selp: an undefined predicate leaves nothing defined.
  Value selected() const {
    const auto& operands = source_.operands;
    const Value predicate = value_of(operands.at(3)), yes = value_of(operands.at(1)),
                no = value_of(operands.at(2));
    Value result = predicate;
    add(result, yes);
    add(result, no);
    for (Mask left = active_; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      const Value& taken = held(operands[3], lane).value_or(1) != 0 ? yes : no;
      const bool unknown = predicate.undefined[lane] != 0;
      result.undefined[lane] = unknown ? ~std::uint64_t{0} : taken.undefined[lane];
      const Mask bit = Mask{1} << lane;
      result.padding = (result.padding & ~bit) | (unknown ? 0 : taken.padding & bit);
      result.in_place = (result.in_place & ~bit) | (unknown ? 0 : taken.in_place & bit);
      if (taken.undefined[lane] != 0 && !unknown) result.origin = taken.origin;
    }
    return result;
  }

  Value calculated() const {
    std::vector<Value> operands;
    for (std::size_t k = 1; k < source_.operands.size(); ++k)
      operands.push_back(value_of(source_.operands[k]));
    Value result;
    for (const Value& operand : operands) add(result, operand);
    const Flow flow = analysis::flow_of(source_);
    if (flow == Flow::insert && operands.at(1).origin.load != nullptr) result.origin = operands[1].origin;
    if (!analysis::keeps_places(flow)) result.in_place = 0;
    if (flow == Flow::adds) result.padding = 0;  // who calculates with it does not only carry it about
    for (Mask left = active_; left != 0; left &= left - 1) {
      const unsigned lane = first_lane(left);
      if (result.undefined[lane] == 0) continue;
      result.undefined[lane] = analysis::undefined_result(flow, source_, in_lane(operands, lane));
      if (result.undefined[lane] == ~std::uint64_t{0}) result.padding &= ~(Mask{1} << lane);
      if (flow == Flow::insert && fills_field(operands.at(0), lane)) result.in_place &= ~(Mask{1} << lane);
    }
    return result;
  }

  std::vector<analysis::OperandBits> in_lane(const std::vector<Value>& operands, unsigned lane) const {
    std::vector<analysis::OperandBits> bits;
    for (std::size_t k = 0; k < operands.size(); ++k)
      bits.push_back({operands[k].undefined[lane], held(source_.operands[k + 1], lane)});
    return bits;
  }

  /// Whether bfi puts undefined bits of `field` into the result, where they have not been.
  bool fills_field(const Value& field, unsigned lane) const {
    const std::uint64_t length = held(source_.operands.at(4), lane).value_or(64) & 0xFF;
    return (field.undefined[lane] & analysis::low_bits(static_cast<unsigned>(length))) != 0;
  }

  /// Whether a lane stores where the undefined bits come from: so it does who sets a member of a bit field.
  bool goes_back(const UninitialisedRead& origin, unsigned bytes, unsigned lane) const {
    if (instruction_->width != bytes || (origin.lanes >> lane & 1) == 0) return false;
    const std::optional<Target> target = target_of(warp_, source_, *instruction_, lane);
    return target && target->shared == origin.shared && target->address == origin.accessed[lane];
  }

  /// What is stored is a result that somebody wants, unless it is padding or what lies beside a bit field.
  void store() {
    const auto elements = elements_of(source_.operands.at(1));
    const unsigned width = analysis::bits_of(analysis::last_type(source_));
    const unsigned bytes = width / 8 * static_cast<unsigned>(elements.size());
    for (const ptx::Operand* element : elements) {
      const Value value = value_of(*element);
      Mask results = 0;
      for (Mask left = active_ & ~value.padding; left != 0; left &= left - 1) {
        const unsigned lane = first_lane(left);
        const std::uint64_t undefined = value.undefined[lane] & analysis::low_bits(width);
        const bool partly = undefined != analysis::low_bits(width) && (value.in_place >> lane & 1) != 0 &&
                            goes_back(value.origin, bytes, lane);
        results |= Mask{undefined != 0 && !partly} << lane;
      }
      if (results != 0) report(element->index, results);
    }
    values_.uninitialised_bytes_ = {};
    for (unsigned k = 0; k < elements.size(); ++k) {
      const Value value = value_of(*elements[k]);
      for (unsigned byte = 0; byte < width; byte += 8) {
        for (Mask left = active_; left != 0; left &= left - 1) {
          const unsigned lane = first_lane(left);
          const bool leaves = (value.undefined[lane] >> byte & 0xFF) == 0xFF;
          values_.uninitialised_bytes_[lane] |= std::uint32_t{leaves} << ((k * width + byte) / 8);
          values_.leaves_uninitialised_ |= leaves;
        }
      }
    }
  }

  UndefinedValues& values_;
  Warp& warp_;
  const Function& function_;
  const ptx::Instruction& source_;
  std::uint32_t place_;
  Mask active_;
  const Instruction* instruction_;
};

void UndefinedValues::drop(const Instruction* load) {
  std::erase_if(rows_, [=](const Row& row) { return row.origin.load == load; });
}

void UndefinedValues::find(const Instruction& load, bool shared, unsigned lane, std::uint32_t bytes,
                           std::uint64_t address) {
  if (found_.load == nullptr) {
    found_.load = &load;
    found_.shared = shared;
  }
  found_.lanes |= Mask{1} << lane;
  found_.accessed[lane] = address;
  found_.bytes[lane] = bytes;
  any_ = true;
}

void UndefinedValues::before(Warp& warp, const Function& function, const Instruction& instruction, Mask lanes,
                             Mask active) {
  Step step(*this, warp, function, instruction.id, active, &instruction);
  if (!step.concerns_any()) return;
  step.report_guard(lanes);
  if (active != 0) step.follow();
}

void UndefinedValues::after(Warp& warp, const Function& function, const Instruction& instruction) {
  if (found_.load != nullptr) {
    Step(*this, warp, function, instruction.id, found_.lanes).take(found_);
    found_ = {};
  }
  if (std::exchange(leaves_uninitialised_, false) && !warp.stop) {  // a store that failed has any address
    const ptx::Instruction& source = function.source->instructions[instruction.id - function.first_place];
    leave_uninitialised(warp, source, instruction, uninitialised_bytes_);
  }
  any_ = !rows_.empty();
}

void UndefinedValues::at_end(Warp& warp, const Function& function, const BasicBlock& block, Mask lanes) {
  if (block.condition == program::kNoSlot && block.end != BasicBlock::End::indirect &&
      block.end != BasicBlock::End::call) {
    return;
  }
  Step step(*this, warp, function, block.end_id, lanes);
  if (!step.concerns_any()) return;
  step.report_guard(lanes);
  for (const ptx::Operand& operand : step.source().operands) step.report_registers(operand);
}

void UndefinedValues::enter(const Warp& warp, const Function& function, const BasicBlock& block, Mask lanes) {
  if (block.count == 0 && block.end == BasicBlock::End::fall_through) return;
  const std::uint32_t first = block.count > 0 ? function.instructions[block.first].id : block.end_id;
  forget_dead(warp, function, first - function.first_place, lanes);
}

void UndefinedValues::forget_dead(const Warp& warp, const Function& function, std::uint32_t at, Mask lanes) {
  const auto rows = static_cast<std::uint32_t>(warp.rows - warp.row_storage.data());
  const auto predicates = static_cast<std::uint32_t>(warp.predicates - warp.predicate_storage.data());
  for (Row& row : rows_) {
    row.lanes &= warp.live;
    const std::uint32_t begin = row.predicate ? predicates : rows;
    if (row.place < begin) continue;  // of a caller; frames behind this one have been left
    const program::RegisterPlace& place = row.function->registers[row.name];
    const bool is_alive =
        row.function == &function && row.place == begin + place.slot && at >= place.first && at <= place.last;
    if (!is_alive) row.lanes &= ~lanes;
  }
  std::erase_if(rows_, [](const Row& row) { return row.lanes == 0; });
}

}  // namespace lockstep::emulator::checks
