#include "emulator/analysis/virtual_calls.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "emulator/analysis/register_accesses.h"

namespace lockstep::emulator::analysis {
namespace {

using Kind = ptx::Operand::Kind;

/// An address as a sum of registers, in ascending order, and a constant.
struct Origin {
  std::vector<std::uint32_t> terms;
  std::uint64_t offset = 0;
  bool operator==(const Origin&) const = default;
};

bool is_indirect_call(const ptx::Instruction& instruction) {
  if (instruction.opcode != "call") return false;
  for (const ptx::Operand& operand : instruction.operands) {
    if (operand.kind == Kind::reg) return true;
  }
  return false;
}

class Search {
 public:
  explicit Search(const ptx::Function& function)
      : code_(function.instructions), writers_(function.registers.size(), kNone) {
    for (std::uint32_t i = 0; i < code_.size(); ++i) {
      for_accesses(
          code_[i], [](std::uint32_t) {},
          [&](std::uint32_t r) { writers_[r] = writers_[r] == kNone ? i : kSeveral; });
    }
  }

  /// The load of a virtual function's address from the object's table that call `i` calls.
  std::optional<std::uint32_t> lookup_of(std::uint32_t i) const {
    const ptx::Operand *target = nullptr, *arguments = nullptr;
    for (const ptx::Operand& operand : code_[i].operands) {
      if (operand.kind == Kind::reg && target == nullptr) target = &operand;
      if (operand.kind == Kind::list && target != nullptr) arguments = &operand;
    }
    if (target == nullptr || arguments == nullptr || arguments->elements.empty()) return std::nullopt;
    const std::optional<std::uint32_t> lookup = load_of(target->index);
    const std::optional<Origin> table = lookup ? address_of(*lookup) : std::nullopt;
    if (!table || table->terms.size() != 1) return std::nullopt;
    const std::optional<std::uint32_t> load = load_of(table->terms[0]);
    const std::optional<Origin> object = load ? address_of(*load) : std::nullopt;
    if (!object || object != first_argument(i, arguments->elements[0].name)) return std::nullopt;
    return lookup;
  }

 private:
  static constexpr std::uint32_t kNone = 0xFFFF'FFFF, kSeveral = 0xFFFF'FFFE;
  /// Compilers write the arguments right before the call, and addresses are sums of few.
  static constexpr std::uint32_t kFarthest = 256;
  static constexpr unsigned kMaxSteps = 8;

  const ptx::Instruction* writer_of(std::uint32_t reg) const {
    return writers_[reg] < code_.size() ? &code_[writers_[reg]] : nullptr;
  }

  std::optional<std::uint32_t> load_of(std::uint32_t reg) const {
    const ptx::Instruction* writer = writer_of(reg);
    if (writer == nullptr || writer->opcode != "ld" || writer->operands.size() != 2) return std::nullopt;
    return writers_[reg];
  }

  /// Where a load reads, when it is at a register's value.
  std::optional<Origin> address_of(std::uint32_t load) const {
    const ptx::Operand& address = code_[load].operands[1];
    if (address.kind != Kind::address || address.elements.empty() || address.elements[0].kind != Kind::reg) {
      return std::nullopt;
    }
    return origin_of(address.elements[0].index, address.offset);
  }

  /// Follows other names of a register, and sums.
  Origin origin_of(std::uint32_t reg, std::int64_t offset) const {
    Origin origin{{}, static_cast<std::uint64_t>(offset)};
    std::vector<std::uint32_t> open{reg};
    for (unsigned steps = 0; !open.empty(); ++steps) {
      const std::uint32_t term = open.back();
      open.pop_back();
      const ptx::Instruction* writer = steps < kMaxSteps ? writer_of(term) : nullptr;
      if (writer == nullptr || !is_name_or_sum(*writer)) {
        origin.terms.push_back(term);
        continue;
      }
      for (auto source = writer->operands.begin() + 1; source != writer->operands.end(); ++source) {
        if (source->kind == Kind::reg) {
          open.push_back(source->index);
        } else {
          origin.offset += source->bits;
        }
      }
    }
    std::sort(origin.terms.begin(), origin.terms.end());
    return origin;
  }

  static bool is_name_or_sum(const ptx::Instruction& writer) {
    const bool is_name = (writer.opcode == "cvta" || writer.opcode == "mov") && writer.operands.size() == 2;
    const bool is_sum = writer.opcode == "add" && writer.operands.size() == 3;
    return writer.guard < 0 && (is_name || is_sum) &&
           std::all_of(writer.operands.begin() + 1, writer.operands.end(), [](const ptx::Operand& operand) {
             return operand.kind == Kind::reg || operand.kind == Kind::immediate;
           });
  }

  /// What call `i` passes in the parameter of this name, when it is a register's value.
  std::optional<Origin> first_argument(std::uint32_t i, const std::string& parameter) const {
    for (std::uint32_t before = 1; before <= i && before <= kFarthest; ++before) {
      const ptx::Instruction& store = code_[i - before];
      if (store.opcode != "st" || store.operands.size() != 2) continue;
      const ptx::Operand &to = store.operands[0], &value = store.operands[1];
      if (to.kind != Kind::address || to.offset != 0 || to.elements.empty() ||
          to.elements[0].kind != Kind::symbol || to.elements[0].name != parameter) {
        continue;
      }
      return value.kind == Kind::reg ? std::optional(origin_of(value.index, 0)) : std::nullopt;
    }
    return std::nullopt;
  }

  const std::vector<ptx::Instruction>& code_;
  std::vector<std::uint32_t> writers_;  ///< by register: the instruction that writes it, if one alone does
};

}  // namespace

std::unordered_set<std::uint32_t> find_virtual_calls(const ptx::Function& function) {
  std::unordered_set<std::uint32_t> found;
  std::optional<Search> search;  // most functions have no call through a pointer
  for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
    if (!is_indirect_call(function.instructions[i])) continue;
    if (!search) search.emplace(function);
    if (const std::optional<std::uint32_t> lookup = search->lookup_of(i)) found.insert({*lookup, i});
  }
  return found;
}

}  // namespace lockstep::emulator::analysis
