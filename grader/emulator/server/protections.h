// What the device process gives up before it reads a word of the program under test. A judge also starts it
// in a sandbox; what is here holds wherever it runs.
#pragma once

namespace lockstep::emulator::server {

/// Where memory runs out, this process is the one to end, not its owner. It leaves no core file, gains no
/// rights from what it executes, and no other process of its user may look into it. What the system refuses
/// is done without.
void protect_process();

/// From now on the process, in all its threads, can use the connections that are open, memory, threads of its
/// own and the clock, and nothing else of the kernel: no file can be opened, no program executed, no process
/// started or signalled. Throws std::system_error where the kernel does not filter system calls.
void limit_system_calls();

}  // namespace lockstep::emulator::server
