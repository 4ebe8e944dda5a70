// What a judge asks of the runtime about host code: to fail one of its calls, as hardware and other programs
// may make any of them fail, and what the code has left behind.
//
// lockstep-runner calls the two functions below by name around a call of a submission's function. The answer
// goes to the device, which adds the memory that the program holds.
#pragma once

#include <string_view>

extern "C" {
/// What follows is judged. Of its calls of the runtime the one of number `failing_call`, counted from 1, does
/// nothing and fails; 0: none does. Calls that release something, and those that the compiler inserts, are
/// not counted. `streams_alternate`, as WorkQueues::alternate, where it is not 0.
__attribute__((visibility("default"))) void lockstep_begin_host_program(unsigned failing_call,
                                                                        int streams_alternate);
/// The end of that, reported to the device.
__attribute__((visibility("default"))) void lockstep_end_host_program();
}

namespace lockstep::emulator::cudart {

struct Runtime;

class HostProgramWatch {
 public:
  void begin(Runtime& runtime, unsigned failing_call, bool streams_alternate);
  void end(Runtime& runtime);
  /// Throws Failure where the call of the runtime's function `name` is the one to fail.
  void called(std::string_view name);

 private:
  void note(Runtime& runtime, bool ends) const;

  unsigned failing_call_ = 0, calls_ = 0;
  std::string_view failed_;  ///< name of the function whose call failed; empty: none
};

}  // namespace lockstep::emulator::cudart
