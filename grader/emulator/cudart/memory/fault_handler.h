// Catches the program's accesses to managed pages that are closed.
//
// Every other fault goes on to the handler that the program had before, or to the system's own action: host
// code that dereferences a device pointer ends as on hardware. A program that installs a handler of its own
// for SIGSEGV after its first managed allocation has to hand faults on to the one it replaces.
#pragma once

namespace lockstep::emulator::cudart {

/// Once; further calls do nothing.
void install_fault_handler();

}  // namespace lockstep::emulator::cudart
