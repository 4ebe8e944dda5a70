// A PTX translation unit as a tree: what the parser returns and the machine's decoder reads.
//
// The tree is syntax with names resolved: registers are indices, labels are instruction indices, and every
// instruction knows its source location. It says nothing about what an instruction means: an opcode is a word
// and its modifiers are words, so the parser never has to refuse an instruction that the machine might learn.
// Source: "Parallel Thread Execution ISA", NVIDIA, version 9.0.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace lockstep::emulator::ptx {

enum class Type : std::uint8_t {
  none,
  pred,
  b8,
  u8,
  s8,
  b16,
  u16,
  s16,
  f16,
  bf16,
  b32,
  u32,
  s32,
  f32,
  f16x2,
  bf16x2,
  b64,
  u64,
  s64,
  f64,
  b128,
  u16x2,
  s16x2,
  f32x2,
  tf32,    ///< in a .b32 register
  e4m3x2,  ///< two 8-bit floats in a .b16 register
  e5m2x2,
  e2m1x2,  ///< two 4-bit floats in a .b8 register
  e2m3x2,  ///< two 6-bit floats in a .b16 register, each in the low bits of a byte
  e3m2x2,
  ue8m0x2,  ///< two powers of two, by their exponents, in a .b16 register
};

/// Bytes that one value of `type` takes in memory; 0 for none and pred.
unsigned bytes_of(Type type);

/// The type a word such as "u32" names; nothing when it names none.
std::optional<Type> type_from(std::string_view word);

enum class Space : std::uint8_t { generic, global, shared, local, constant, param };

/// One `.loc`. Locations chain outwards through `inlined_at`, innermost first.
struct Location {
  std::uint32_t file = 0;  ///< key of Module::files; 0 when the instruction has no location
  std::uint32_t line = 0;  ///< 1-based; 0 when compiler-made
  std::uint32_t column = 0;
  std::int32_t inlined_at = -1;  ///< index into Function::locations of the call site; -1 at the outermost
  std::string function;          ///< mangled name of the inlined function; empty at the outermost
};

struct Operand {
  enum class Kind : std::uint8_t {
    reg,        ///< index = Function::registers index; negated for `!%p`
    immediate,  ///< bits and immediate_type
    symbol,     ///< name (a variable or function), plus offset
    special,    ///< name without '%', such as "tid.x"
    address,    ///< [base + offset]: elements[0] is the base (reg, symbol, special or immediate)
    label,      ///< index = index into Function::instructions (may equal its size: falls off the end)
    list,       ///< {a, b, …} of vectors, or (a, b) of calls
    pair,       ///< a|b, as shfl.sync and setp return
    sink,       ///< `_`
  };
  enum class ImmediateType : std::uint8_t { integer, f32, f64 };

  Kind kind = Kind::sink;
  ImmediateType immediate_type = ImmediateType::integer;
  bool negated = false;
  std::uint32_t index = 0;
  std::uint64_t bits = 0;   ///< integers in two's complement, floats as their IEEE bits (f32 in the low half)
  std::int64_t offset = 0;  ///< bytes
  std::string name;
  std::vector<Operand> elements;
};

struct Instruction {
  std::string opcode;                  ///< first word, such as "ld"
  std::vector<std::string> modifiers;  ///< the others in order, such as {"global", "nc", "v4", "f32"}
  std::int32_t guard = -1;             ///< predicate register index, -1 when unguarded
  bool guard_negated = false;
  std::vector<Operand> operands;  ///< destination first, as written
  std::int32_t location = -1;     ///< index into Function::locations, -1 when none
  std::uint32_t ptx_line = 0;     ///< 1-based line in the PTX text

  /// Whether `word` is among the modifiers.
  bool has(std::string_view word) const;
  /// Whole spelling, such as "ld.global.nc.v4.f32".
  std::string spelling() const;
};

struct Register {
  std::string name;  ///< with its '%'
  Type type = Type::none;
};

/// An address that an initialiser holds: the value at `offset` is the address of `symbol` plus `addend`.
struct Relocation {
  std::uint64_t offset = 0;
  std::string symbol;
  std::int64_t addend = 0;
  bool generic =
      true;  ///< a generic address, as `generic(symbol)` and function names give; else an offset in its space
};

/// Who may mean a symbol of module scope by its name.
enum class Linkage : std::uint8_t {
  own,      ///< its module alone
  visible,  ///< every module of the program
  weak,     ///< likewise; of several definitions one is taken
  common,   ///< likewise
};

struct Variable {
  std::string name;
  Space space = Space::global;
  Type type = Type::b8;
  std::uint32_t alignment = 1;  ///< bytes
  std::uint64_t bytes = 0;      ///< 0 for an unsized `extern .shared` array
  Linkage linkage = Linkage::own;
  bool external = false;  ///< declared only: another module defines it
  bool managed = false;
  std::vector<std::byte> initial;  ///< empty when zero-initialised; may be shorter than `bytes`
  std::vector<Relocation> relocations;
};

struct Function {
  std::string name;
  bool entry = false;  ///< a kernel
  Linkage linkage = Linkage::own;
  bool external = false;  ///< declared only, such as vprintf
  std::vector<Variable> parameters;
  std::vector<Variable> returns;
  std::vector<Register> registers;
  /// .shared, .local and call-scoped .param variables declared in the body. A name that is declared in
  /// several scopes keeps its first spelling and gets the suffix "@2", "@3", … afterwards; operands use the
  /// same name.
  std::vector<Variable> variables;
  std::vector<Instruction> instructions;
  std::vector<Location> locations;
  /// `.branchtargets` and `.calltargets` by their label: instruction indices or function names.
  std::map<std::string, std::vector<Operand>> target_lists;
  /// `.callprototype` by its label: the shape of an indirect call.
  struct Prototype {
    std::vector<Variable> returns;
    std::vector<Variable> parameters;
  };
  std::map<std::string, Prototype> prototypes;
  std::uint32_t ptx_line = 0;
  Location declared_at;  ///< the first .loc of the body

  std::array<std::uint32_t, 3> max_threads{};       ///< .maxntid, zeros when absent
  std::array<std::uint32_t, 3> required_threads{};  ///< .reqntid, zeros when absent
  std::uint32_t min_blocks_per_multiprocessor = 0;  ///< .minnctapersm
  std::array<std::uint32_t, 3> cluster{};           ///< .reqnctapercluster, zeros when absent
};

struct Module {
  std::string version;                         ///< such as "9.0"
  std::string target;                          ///< such as "sm_90"
  std::map<std::uint32_t, std::string> files;  ///< .file directives
  std::vector<Variable> variables;             ///< module scope: global, constant, shared
  std::vector<Function> functions;
  std::size_t bytes = 0;  ///< about what the tree takes of memory
};

/// Text that is not PTX, with the line where that shows.
class ParseError : public std::runtime_error {
 public:
  ParseError(std::uint32_t line, const std::string& message)
      : std::runtime_error("PTX line " + std::to_string(line) + ": " + message), line_(line) {}
  std::uint32_t line() const { return line_; }

 private:
  std::uint32_t line_;
};

/// Parses one translation unit. The text may come from a hostile program: whatever it holds, the result is a
/// Module or a ParseError, in time linear in its length, and in memory of about `most_bytes`: code takes some
/// ten times its text, but a text can be written that takes far more.
Module parse(std::string_view text, std::size_t most_bytes = SIZE_MAX);

}  // namespace lockstep::emulator::ptx
