// Names inside one function body: registers, variables and labels in nested scopes, each resolved to what the
// tree holds. Blocks of inline assembly and call sequences open scopes of their own and shadow freely.
// Lookups cost the depth of nesting, which is limited, times the logarithm of the names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "emulator/ptx/lexer.h"
#include "emulator/ptx/module.h"

namespace lockstep::emulator::ptx {

/// Names at module scope, with the index into Module::variables or Module::functions.
struct ModuleSymbol {
  bool function = false;
  std::uint32_t index = 0;
};
using ModuleSymbols = std::map<std::string_view, ModuleSymbol>;

class Scopes {
 public:
  /// Opens the outermost scope, which holds the function's parameters and returns.
  Scopes(Function& function, const ModuleSymbols& module_symbols, std::uint32_t line);

  void open(std::uint32_t line);
  /// Resolves the labels that were waiting for this scope's end; those it does not know wait for the next
  /// one.
  void close();
  std::size_t depth() const { return scopes_.size(); }

  void declare_register(std::string_view name, Type type, unsigned vector_width, std::uint32_t line);
  /// `prefix<count>`: its registers come into being when they are first named, so that a claimed count costs
  /// nothing.
  void declare_register_range(std::string_view prefix, std::uint32_t count, Type type, unsigned vector_width,
                              std::uint32_t line);
  /// Adds to Function::variables, under a name that is unique in the function.
  void declare_variable(Variable variable, std::string_view name, std::uint32_t line);
  /// A label of the next instruction.
  void declare_label(std::string_view name, std::uint32_t line);
  /// A label of a target list or prototype; returns its unique name in the function.
  std::string declare_list(std::string_view name, std::uint32_t line);

  /// The operand that a word names: a register, a list of a vector's registers, a variable, a function, a
  /// special register. A word that nothing declares yet becomes a label without index, for await_label to
  /// complete. `component` is empty or one of "x", "y", "z", "w", "r", "g", "b", "a".
  Operand resolve(const Token& word, std::string_view component);
  /// `operand` is an unresolved label and stays where it is until the function ends.
  void await_label(Operand& operand, std::uint32_t line);

 private:
  struct Binding {
    enum class Kind : std::uint8_t { registers, variable } kind;
    std::uint32_t index;  ///< of the first register, or of the variable's name in names_
    std::uint32_t width;  ///< registers of a vector, 1 for a scalar
  };
  struct Range {
    std::uint32_t count;
    std::uint32_t width;
    Type type;
    std::map<std::uint32_t, std::uint32_t> registers;  ///< number to first index
  };
  struct Label {
    bool list;            ///< of a target list or prototype
    std::uint32_t index;  ///< of an instruction, or of the list's name in names_
  };
  struct Scope {
    std::map<std::string_view, Binding> names;
    std::map<std::string_view, Range> ranges;
    std::map<std::string_view, Label> labels;
    std::size_t first_waiting = 0;
  };
  struct WaitingLabel {
    Operand* operand;
    std::uint32_t line;
  };

  void bind(std::string_view name, Binding binding, std::uint32_t line);
  void bind_label(std::string_view name, Label label, std::uint32_t line);
  std::uint32_t add_registers(std::string_view name, Type type, unsigned width);
  std::uint32_t unique_name(std::string_view name);
  const Binding* find(std::string_view name, Binding& from_range);
  bool find_in_ranges(Scope& scope, std::string_view name, Binding& found);
  Operand operand_of(const Binding& binding, std::string_view component, std::uint32_t line) const;

  Function& function_;
  const ModuleSymbols& module_symbols_;
  std::vector<Scope> scopes_;
  std::vector<WaitingLabel> waiting_;
  std::vector<std::string> names_;
  std::map<std::string_view, std::uint32_t> uses_;
};

}  // namespace lockstep::emulator::ptx
