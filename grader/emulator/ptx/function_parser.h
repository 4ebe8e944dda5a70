// Functions: header, launch bounds and body.
#pragma once

#include <cstdint>
#include <vector>

#include "emulator/ptx/instruction_parser.h"
#include "emulator/ptx/lexer.h"
#include "emulator/ptx/location_table.h"
#include "emulator/ptx/module.h"
#include "emulator/ptx/scopes.h"

namespace lockstep::emulator::ptx {

/// The header from after `.entry` or `.func`, to before the body or the ';' of a declaration. The keys of a
/// ModuleSymbols may be views into the text, so `name` is given beside the function's own copy.
Function parse_function_header(Lexer& lexer, bool entry, std::string_view& name);

class FunctionBodyParser {
 public:
  /// `function` has its header and stays where it is; `locations` is its own.
  FunctionBodyParser(Lexer& lexer, Function& function, const ModuleSymbols& symbols,
                     LocationTable& locations);

  /// From the opening to the closing brace.
  void parse();

 private:
  void parse_statement();
  void charge_growth();
  void parse_directive();
  void parse_registers();
  void parse_variables(Space space);
  void parse_word();
  void parse_target_list(const Token& label, bool labels);
  void parse_prototype(const Token& label);

  Lexer& lexer_;
  Function& function_;
  Scopes scopes_;
  LocationTable& locations_;
  std::size_t charged_instructions_ = 0, charged_registers_ = 0, charged_locations_ = 0;
};

}  // namespace lockstep::emulator::ptx
