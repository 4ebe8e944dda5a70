#include "emulator/analysis/speculated_loads.h"

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "emulator/analysis/register_accesses.h"

namespace lockstep::emulator::analysis {
namespace {

using Kind = ptx::Operand::Kind;

/// A load is looked for among so many instructions before its selp; compilers leave a few between them.
constexpr std::size_t kFarthest = 16;

bool has_any(const ptx::Instruction& instruction, std::initializer_list<std::string_view> words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return instruction.has(word); });
}

/// Whether it makes no difference to other threads if a load comes before or after an instruction.
bool lets_pass(const ptx::Instruction& instruction) {
  switch (instructions::opcode_named(instruction.opcode).crossing) {
    case instructions::Crossing::stays:
      return false;
    case instructions::Crossing::passes:
      return true;
    case instructions::Crossing::passes_if_weak:
      return !has_any(instruction, {"volatile", "relaxed", "acquire", "mmio"});
  }
  return false;
}

/// Whether the lanes of a load may be told apart: one value of global or shared memory, and no guard.
bool may_be_speculated(const ptx::Instruction& instruction) {
  return instruction.opcode == "ld" && lets_pass(instruction) && instruction.guard < 0 &&
         instruction.operands.size() == 2 &&
         !has_any(instruction, {"v2", "v4", "v8", "param", "param::entry", "param::func", "local", "const"});
}

class Sinking {
 public:
  explicit Sinking(ptx::Function& function)
      : function_(function),
        code_(function.instructions),
        is_target_(code_.size() + 1),
        reads_(function.registers.size()),
        writes_(function.registers.size()) {
    const auto mark = [this](const ptx::Operand& operand) {
      if (operand.kind == Kind::label && operand.index < is_target_.size()) is_target_[operand.index] = true;
    };
    for (const ptx::Instruction& instruction : code_) {
      for_accesses(
          instruction, [this](std::uint32_t r) { ++reads_[r]; }, [this](std::uint32_t r) { ++writes_[r]; });
      std::for_each(instruction.operands.begin(), instruction.operands.end(), mark);
    }
    for (const auto& [label, targets] : function.target_lists)
      std::for_each(targets.begin(), targets.end(), mark);
  }

  SpeculatedLoads sink() {
    for (std::size_t i = 0; i < code_.size(); ++i) {
      const ptx::Instruction& selection = code_[i];
      if (selection.opcode != "selp" || selection.guard >= 0 || selection.operands.size() != 4) continue;
      const ptx::Operand& predicate = selection.operands[3];
      if (predicate.kind != Kind::reg || function_.registers[predicate.index].type != ptx::Type::pred) {
        continue;
      }
      // Moving a load moves what lies between, which is not `selection` itself.
      for (const std::size_t source : {1, 2}) {
        const ptx::Operand& value = selection.operands[source];
        if (value.kind != Kind::reg || reads_[value.index] != 1 || writes_[value.index] != 1) continue;
        const std::optional<std::size_t> load = load_of(value.index, i);
        if (!load) continue;
        std::rotate(at(*load), at(*load + 1), at(i));
        found_[value.index] = {predicate.index, predicate.negated != (source == 2)};
      }
    }
    return std::move(found_);
  }

 private:
  std::vector<ptx::Instruction>::iterator at(std::size_t index) {
    return code_.begin() + static_cast<std::ptrdiff_t>(index);
  }

  /// The load of register `value`, which may be moved to right before instruction `end`.
  std::optional<std::size_t> load_of(std::uint32_t value, std::size_t end) const {
    std::vector<std::uint32_t> written;  // between the load and `end`
    for (std::size_t i = end; i-- > 0 && end - i <= kFarthest && !is_target_[i + 1];) {
      bool is_wanted = false;
      for_accesses(
          code_[i], [](std::uint32_t) {},
          [&](std::uint32_t r) {
            is_wanted |= r == value;
            written.push_back(r);
          });
      if (is_wanted) {
        bool stays = !may_be_speculated(code_[i]);
        for_registers(code_[i].operands.back(), [&](std::uint32_t r) {
          stays |= std::find(written.begin(), written.end(), r) != written.end();
        });
        return stays ? std::nullopt : std::optional(i);
      }
      if (!lets_pass(code_[i])) return std::nullopt;
    }
    return std::nullopt;
  }

  ptx::Function& function_;
  std::vector<ptx::Instruction>& code_;
  std::vector<bool> is_target_;                ///< by instruction: whether a label leads there
  std::vector<std::uint32_t> reads_, writes_;  ///< by register: how many
  SpeculatedLoads found_;
};

}  // namespace

SpeculatedLoads sink_speculated_loads(ptx::Function& function) { return Sinking(function).sink(); }

}  // namespace lockstep::emulator::analysis
