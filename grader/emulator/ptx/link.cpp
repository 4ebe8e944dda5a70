// One pass to tell apart what is a module's own, one to bring the others together.
#include "emulator/ptx/link.h"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "emulator/ptx/lexer.h"

namespace lockstep::emulator::ptx {
namespace {

/// New names of a module's own symbols, by the old ones.
using Renamed = std::map<std::string, std::string, std::less<>>;

template <class Symbol>
bool is_own(const Symbol& symbol) {
  return symbol.linkage == Linkage::own && !symbol.external;
}

template <class F>
void for_operands(Operand& operand, F f) {
  f(operand);
  for (Operand& element : operand.elements) for_operands(element, f);
}

/// Calls f(name) for all names by which a function's code means a symbol.
template <class F>
void for_symbols(Function& function, F f) {
  const auto look_at = [&](Operand& operand) {
    if (operand.kind == Operand::Kind::symbol) f(operand.name);
  };
  for (Instruction& instruction : function.instructions) {
    for (Operand& operand : instruction.operands) for_operands(operand, look_at);
  }
  for (auto& [label, targets] : function.target_lists) {
    for (Operand& target : targets) for_operands(target, look_at);
  }
}

void rename(Module& module, const Renamed& renamed) {
  if (renamed.empty()) return;
  const auto take_new = [&](std::string& name) {
    const auto found = renamed.find(name);
    if (found != renamed.end()) name = found->second;
  };
  for (Variable& variable : module.variables) {
    take_new(variable.name);
    for (Relocation& relocation : variable.relocations) take_new(relocation.symbol);
  }
  for (Function& function : module.functions) {
    // A parameter may have the name of a symbol, and means itself. Variables have suffixes then.
    std::set<std::string, std::less<>> parameters;
    for (const auto* list : {&function.parameters, &function.returns}) {
      for (const Variable& parameter : *list) parameters.insert(parameter.name);
    }
    take_new(function.name);
    for_symbols(function, [&](std::string& name) {
      if (!parameters.contains(name)) take_new(name);
    });
  }
}

/// Gives what is a module's own a name that no other module has.
void keep_apart(std::vector<Module>& modules) {
  std::map<std::string, std::size_t, std::less<>> users;
  const auto for_names = [](const Module& module, auto f) {
    for (const Variable& variable : module.variables) f(variable);
    for (const Function& function : module.functions) f(function);
  };
  for (const Module& module : modules) {
    for_names(module, [&](const auto& symbol) { ++users[symbol.name]; });
  }
  for (std::size_t m = 0; m < modules.size(); ++m) {
    Renamed renamed;
    for_names(modules[m], [&](const auto& symbol) {
      if (!is_own(symbol) || users.find(symbol.name)->second == 1) return;
      renamed[symbol.name] = symbol.name + '#' + std::to_string(m + 1);  // no PTX can spell this
    });
    rename(modules[m], renamed);
  }
}

/// Gives the files of a module numbers behind those of the modules before it.
void renumber_files(Module& module, std::map<std::uint32_t, std::string>& files) {
  std::map<std::uint32_t, std::uint32_t> numbers;
  for (auto& [number, name] : module.files) {
    const std::uint32_t next = files.empty() ? 1 : files.rbegin()->first + 1;
    numbers[number] = next;
    files.emplace_hint(files.end(), next, std::move(name));
  }
  const auto renumber = [&](Location& location) {
    const auto found = numbers.find(location.file);
    location.file = found == numbers.end() ? 0 : found->second;
  };
  for (Function& function : module.functions) {
    std::ranges::for_each(function.locations, renumber);
    renumber(function.declared_at);
  }
}

void require_same(const Variable& one, const Variable& other) {
  if (one.space != other.space) throw LinkError(ptx::quoted(one.name) + " is in two spaces of memory");
  if (one.bytes != 0 && other.bytes != 0 && one.bytes != other.bytes) {
    throw LinkError(ptx::quoted(one.name) + " has " + std::to_string(one.bytes) + " bytes in one file and " +
                    std::to_string(other.bytes) + " in another");
  }
}
void require_same(const Function& one, const Function& other) {
  if (one.entry != other.entry) throw LinkError(ptx::quoted(one.name) + " is a kernel in one file alone");
}

/// Whether a definition takes the place of what is known.
template <class Symbol>
bool replaces(const Symbol& known, const Symbol& symbol) {
  if (symbol.external) return false;
  if (known.external) return true;
  const auto yields = [](const Symbol& one) {
    return one.linkage == Linkage::weak || one.linkage == Linkage::common;
  };
  if (!yields(known) && !yields(symbol)) {
    throw LinkError(ptx::quoted(symbol.name) + " is defined in two files");
  }
  return !yields(symbol);
}

class Linker {
 public:
  Module link(std::vector<Module> modules) {
    module_.version = modules.front().version;
    module_.target = modules.front().target;
    keep_apart(modules);
    for (Module& module : modules) {
      renumber_files(module, module_.files);
      for (Variable& variable : module.variables) add(variable);
      for (Function& function : module.functions) {
        if (variables_.contains(function.name)) fail_kind(function.name);
        add(module_.functions, functions_, function);
      }
      module_.bytes += module.bytes;
    }
    return std::move(module_);
  }

 private:
  using Indices = std::map<std::string, std::size_t, std::less<>>;

  [[noreturn]] static void fail_kind(const std::string& name) {
    throw LinkError(ptx::quoted(name) + " is a function in one file and a variable in another");
  }

  void add(Variable& variable) {
    if (functions_.contains(variable.name)) fail_kind(variable.name);
    const std::uint32_t alignment = variable.alignment;
    Variable& kept = add(module_.variables, variables_, variable);
    kept.alignment = std::max(kept.alignment, alignment);
  }

  template <class Symbol>
  static Symbol& add(std::vector<Symbol>& symbols, Indices& indices, Symbol& symbol) {
    const auto [index, added] = indices.try_emplace(symbol.name, symbols.size());
    if (added) return symbols.emplace_back(std::move(symbol));
    Symbol& known = symbols[index->second];
    require_same(known, symbol);
    if (replaces(known, symbol)) known = std::move(symbol);
    return known;
  }

  Module module_;
  Indices variables_, functions_;
};

}  // namespace

Module link(std::vector<Module> modules) {
  if (modules.size() == 1) return std::move(modules.front());
  return Linker().link(std::move(modules));
}

}  // namespace lockstep::emulator::ptx
