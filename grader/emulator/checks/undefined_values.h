// Values that were loaded from memory which nothing has written, until they matter.
//
// Who copies a structure copies its padding, who sets one member of a bit field loads the others with it, and
// nvcc loads early what only some lanes need. None of it is a mistake. So the registers that a load of
// uninitialised bytes has filled are remembered, bit by bit, and what is calculated from them is as undefined
// as they are. The load is reported when such a value decides something: a branch, an address, an atomic
// operation, a vote, or a result that is stored. A structure that is stored with its padding leaves the
// padding uninitialised.
//
// A warp whose registers are all defined pays nothing for it: a load that finds uninitialised bytes draws
// Warp::end nearer, and from there on the runner follows instruction by instruction.
// Source: J. Seward and N. Nethercote, "Using Valgrind to detect undefined value errors with bit-precision",
// USENIX Annual Technical Conference 2005, for the rules of propagation.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "emulator/checks/names.h"

namespace lockstep::emulator::checks {

/// A load that has read what nothing had written.
struct UninitialisedRead {
  const Instruction* load = nullptr;
  bool shared = false;
  Mask lanes = 0;  ///< that read uninitialised bytes
  std::array<std::uint64_t, kLanes>
      accessed{};  ///< by lane, where the access begins; in shared memory an offset
  std::array<std::uint32_t, kLanes> bytes{};  ///< by lane: bit k, nothing has written byte k of the access
};

class UndefinedValues {
 public:
  /// By lane, the bits of a register that are undefined.
  using Bits = std::array<std::uint64_t, kLanes>;

  /// Whether a register holds an undefined value, or a load has just brought one.
  bool any() const { return any_; }
  void clear() {
    rows_.clear();
    found_.load = nullptr;
    found_.lanes = 0;
    any_ = false;
  }

  /// What a load finds for one lane, whose access begins at `address`: bit k of `bytes` (never 0) says that
  /// nothing has written byte k of it.
  void find(const Instruction& load, bool shared, unsigned lane, std::uint32_t bytes, std::uint64_t address);

  /// Before an instruction runs in the current frame, for `active` of the split's `lanes`: reports what
  /// matters now, and says which registers will hold undefined values.
  void before(Warp& warp, const Function& function, const Instruction& instruction, Mask lanes, Mask active);
  /// After it: a load's registers get what it found, and the padding that a store copied is uninitialised
  /// again.
  void after(Warp& warp, const Function& function, const Instruction& instruction);
  /// Reports an undefined value that decides where the lanes go from a block's end.
  void at_end(Warp& warp, const Function& function, const BasicBlock& block, Mask lanes);
  /// The lanes are about to run `block` of the current frame: forgets what they will not read any more.
  void enter(const Warp& warp, const Function& function, const BasicBlock& block, Mask lanes);

 private:
  /// A register with undefined bits.
  struct Row {
    const Function* function = nullptr;
    std::uint32_t name = 0;   ///< index of ptx::Function::registers
    std::uint32_t place = 0;  ///< byte offset in Warp::row_storage, or index of Warp::predicate_storage
    bool predicate = false;
    Mask lanes = 0;     ///< in which bits are undefined
    Mask padding = 0;   ///< where a load brought them along with others that are defined
    Mask in_place = 0;  ///< where they stand as the load put them
    Bits undefined{};
    UninitialisedRead origin;
  };
  /// An operand, or a result.
  struct Value {
    Bits undefined{};
    Mask padding = kAllLanes, in_place = kAllLanes;
    UninitialisedRead origin;  ///< where anything is undefined
  };
  class Step;

  void drop(const Instruction* load);
  /// Forgets what the lanes will not read any more, from instruction `at` of the current frame's function on.
  void forget_dead(const Warp& warp, const Function& function, std::uint32_t at, Mask lanes);

  bool any_ = false;  ///< asked before and after every block
  std::vector<Row> rows_;
  UninitialisedRead found_;
  std::array<std::uint32_t, kLanes> uninitialised_bytes_{};  ///< by lane, that the store under way leaves so
  bool leaves_uninitialised_ = false;                        ///< whether there are any
};

}  // namespace lockstep::emulator::checks
