// Names inside one function body. A scope that closes forgets its names; the tree keeps what they stood for.
#include "emulator/ptx/scopes.h"

#include <charconv>
#include <utility>

#include "emulator/ptx/special_registers.h"

namespace lockstep::emulator::ptx {
namespace {

constexpr std::size_t kDeepestNesting = 64;
// Far beyond what ptxas would compile; it also bounds the digits that a register's number may have.
constexpr std::uint32_t kLargestRange = 1 << 24;
constexpr std::size_t kMaxDigits = 8;

constexpr std::string_view kComponents[] = {"x", "y", "z", "w"};
constexpr std::string_view kColourComponents[] = {"r", "g", "b", "a"};

bool is_component(std::string_view word, std::uint32_t i) {
  return word == kComponents[i] || word == kColourComponents[i];
}

}  // namespace

Scopes::Scopes(Function& function, const ModuleSymbols& module_symbols, std::uint32_t line)
    : function_(function), module_symbols_(module_symbols) {
  open(line);
  for (const auto* list : {&function.returns, &function.parameters}) {
    for (const Variable& parameter : *list) {
      if (parameter.name == "_") continue;
      uses_[parameter.name] = 1;
      names_.push_back(parameter.name);
      const auto index = static_cast<std::uint32_t>(names_.size() - 1);
      bind(parameter.name, {Binding::Kind::variable, index, 1}, line);
    }
  }
}

void Scopes::open(std::uint32_t line) {
  if (scopes_.size() == kDeepestNesting) throw ParseError(line, "blocks are nested too deep");
  scopes_.emplace_back().first_waiting = waiting_.size();
}

void Scopes::close() {
  const Scope& scope = scopes_.back();
  std::size_t still_waiting = scope.first_waiting;
  for (std::size_t i = scope.first_waiting; i < waiting_.size(); ++i) {
    Operand& operand = *waiting_[i].operand;
    const auto label = scope.labels.find(operand.name);
    if (label == scope.labels.end()) {
      if (scopes_.size() == 1) {
        throw ParseError(waiting_[i].line, ptx::quoted(operand.name) + " is not declared");
      }
      waiting_[still_waiting++] = waiting_[i];
    } else if (label->second.list) {
      operand.kind = Operand::Kind::symbol;
      operand.name = names_[label->second.index];
    } else {
      operand.index = label->second.index;
      operand.name.clear();
    }
  }
  waiting_.resize(still_waiting);
  scopes_.pop_back();
}

void Scopes::declare_register(std::string_view name, Type type, unsigned vector_width, std::uint32_t line) {
  const std::uint32_t index = add_registers(name, type, vector_width);
  bind(name, {Binding::Kind::registers, index, vector_width}, line);
}

void Scopes::declare_register_range(std::string_view prefix, std::uint32_t count, Type type,
                                    unsigned vector_width, std::uint32_t line) {
  if (count > kLargestRange) {
    throw ParseError(line, ptx::quoted(prefix) + " claims " + std::to_string(count) + " registers, too many");
  }
  if (!scopes_.back().ranges.try_emplace(prefix, Range{count, vector_width, type, {}}).second) {
    throw ParseError(line, "registers " + ptx::quoted(prefix) + " are declared twice");
  }
}

void Scopes::declare_variable(Variable variable, std::string_view name, std::uint32_t line) {
  const std::uint32_t index = unique_name(name);
  bind(name, {Binding::Kind::variable, index, 1}, line);
  variable.name = names_[index];
  function_.variables.push_back(std::move(variable));
}

void Scopes::declare_label(std::string_view name, std::uint32_t line) {
  bind_label(name, {false, static_cast<std::uint32_t>(function_.instructions.size())}, line);
}

std::string Scopes::declare_list(std::string_view name, std::uint32_t line) {
  const std::uint32_t index = unique_name(name);
  bind_label(name, {true, index}, line);
  return names_[index];
}

Operand Scopes::resolve(const Token& word, std::string_view component) {
  Binding from_range{};
  if (const Binding* binding = find(word.text, from_range)) {
    return operand_of(*binding, component, word.line);
  }
  Operand operand;
  operand.name = word.text;
  if (word.text.starts_with('%')) {
    if (!is_special_register(word.text.substr(1))) {
      throw ParseError(word.line, "register " + ptx::quoted(word.text) + " is not declared");
    }
    operand.kind = Operand::Kind::special;
    operand.name.erase(0, 1);
    if (!component.empty()) operand.name.append(".").append(component);
    return operand;
  }
  if (!component.empty()) {
    throw ParseError(word.line, ptx::quoted(word.text) + " is no vector register and has no component");
  }
  operand.kind = module_symbols_.contains(word.text) ? Operand::Kind::symbol : Operand::Kind::label;
  return operand;
}

void Scopes::await_label(Operand& operand, std::uint32_t line) { waiting_.push_back({&operand, line}); }

void Scopes::bind(std::string_view name, Binding binding, std::uint32_t line) {
  if (!scopes_.back().names.try_emplace(name, binding).second) {
    throw ParseError(line, ptx::quoted(name) + " is declared twice");
  }
}

void Scopes::bind_label(std::string_view name, Label label, std::uint32_t line) {
  if (!scopes_.back().labels.try_emplace(name, label).second) {
    throw ParseError(line, "label " + ptx::quoted(name) + " is declared twice");
  }
}

std::uint32_t Scopes::add_registers(std::string_view name, Type type, unsigned width) {
  const auto first = static_cast<std::uint32_t>(function_.registers.size());
  if (width == 1) {
    function_.registers.push_back({std::string(name), type});
    return first;
  }
  for (unsigned i = 0; i < width; ++i) {
    function_.registers.push_back({std::string(name) + "." + std::string(kComponents[i]), type});
  }
  return first;
}

std::uint32_t Scopes::unique_name(std::string_view name) {
  std::uint32_t& uses = uses_[name];
  // A module's name that is shadowed here must stay distinct: outside the scope the same word means the
  // module's.
  if (uses == 0 && module_symbols_.contains(name)) uses = 1;
  ++uses;
  names_.push_back(uses == 1 ? std::string(name) : std::string(name) + "@" + std::to_string(uses));
  return static_cast<std::uint32_t>(names_.size() - 1);
}

const Scopes::Binding* Scopes::find(std::string_view name, Binding& from_range) {
  for (std::size_t i = scopes_.size(); i-- > 0;) {
    const auto named = scopes_[i].names.find(name);
    if (named != scopes_[i].names.end()) return &named->second;
    if (find_in_ranges(scopes_[i], name, from_range)) return &from_range;
  }
  return nullptr;
}

bool Scopes::find_in_ranges(Scope& scope, std::string_view name, Binding& found) {
  if (scope.ranges.empty()) return false;
  // "%r12" is number 12 of "%r" or number 2 of "%r1": try every split whose number has no leading zero.
  for (std::size_t digits = 1; digits <= kMaxDigits && digits < name.size(); ++digits) {
    const std::size_t split = name.size() - digits;
    if (name[split] < '0' || name[split] > '9') return false;
    if (name[split] == '0' && digits > 1) continue;
    const auto range = scope.ranges.find(name.substr(0, split));
    if (range == scope.ranges.end()) continue;
    std::uint32_t number = 0;
    std::from_chars(name.data() + split, name.data() + name.size(), number);
    if (number >= range->second.count) continue;
    auto [entry, added] = range->second.registers.try_emplace(number, 0);
    if (added) entry->second = add_registers(name, range->second.type, range->second.width);
    found = {Binding::Kind::registers, entry->second, range->second.width};
    return true;
  }
  return false;
}

Operand Scopes::operand_of(const Binding& binding, std::string_view component, std::uint32_t line) const {
  Operand operand;
  if (binding.kind == Binding::Kind::variable) {
    if (!component.empty()) throw ParseError(line, "a variable has no components");
    operand.kind = Operand::Kind::symbol;
    operand.name = names_[binding.index];
    return operand;
  }
  operand.kind = Operand::Kind::reg;
  operand.index = binding.index;
  if (!component.empty()) {
    for (std::uint32_t i = 0; i < binding.width; ++i) {
      if (binding.width > 1 && is_component(component, i)) {
        operand.index += i;
        return operand;
      }
    }
    throw ParseError(line, "the register has no component " + ptx::quoted(component));
  }
  if (binding.width > 1) {
    Operand list;
    list.kind = Operand::Kind::list;
    for (std::uint32_t i = 0; i < binding.width; ++i, ++operand.index) list.elements.push_back(operand);
    return list;
  }
  return operand;
}

}  // namespace lockstep::emulator::ptx
