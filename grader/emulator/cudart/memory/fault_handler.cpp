#include "emulator/cudart/memory/fault_handler.h"

#include <signal.h>
#include <ucontext.h>

#include <cerrno>
#include <cstdint>
#include <exception>
#include <mutex>

#include "emulator/cudart/runtime.h"

namespace lockstep::emulator::cudart {

namespace {

struct sigaction replaced_action;  // NOLINT: written once, before the handler is installed

/// Whether the access may be tried again. The thread that faults was in code of the program's own, so it
/// holds no lock of the allocator's; and the runtime's lock, if it has it, it may take again.
bool open_page(std::uint64_t address, bool to_write) {
  Runtime& program = runtime();
  const std::lock_guard lock(program.mutex);
  try {
    return program.unified.managed.open(address, to_write);
  } catch (const std::exception&) {
    return false;
  } catch (const Failure&) {
    // A kernel has failed, and the device answers nothing any more: the program sees zeros, and its error.
    return program.unified.managed.open_empty(address);
  }
}

void hand_on(int signal, siginfo_t* information, void* context) {
  if ((replaced_action.sa_flags & SA_SIGINFO) != 0) {
    replaced_action.sa_sigaction(signal, information, context);
  } else if (replaced_action.sa_handler != SIG_DFL && replaced_action.sa_handler != SIG_IGN) {
    replaced_action.sa_handler(signal);
  } else {
    // The access happens again, and ends the program as it would have done without us.
    ::signal(signal, SIG_DFL);
  }
}

void handle(int signal, siginfo_t* information, void* context) {
  const int error = errno;
  const auto address = reinterpret_cast<std::uint64_t>(information->si_addr);
  const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
  constexpr std::int64_t kWriteAccess = 2, kInstructionFetch = 16;  // bits of a page fault's error code
  const bool to_write = (registers[REG_ERR] & kWriteAccess) != 0;
  const bool of_data = information->si_code == SEGV_ACCERR && (registers[REG_ERR] & kInstructionFetch) == 0;
  if (!of_data || !open_page(address, to_write)) hand_on(signal, information, context);
  errno = error;
}

}  // namespace

void install_fault_handler() {
  static const bool installed = [] {
    struct sigaction action {};
    action.sa_sigaction = handle;
    // On the alternate stack where the thread has one: a stack that is full is the program's own fault to
    // tell.
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGSEGV, nullptr, &replaced_action);
    return ::sigaction(SIGSEGV, &action, nullptr) == 0;
  }();
  static_cast<void>(installed);
}

}  // namespace lockstep::emulator::cudart
