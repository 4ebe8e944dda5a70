// What the device process gives up before it reads a word of the program under test: it runs outside the
// sandbox, and a fault in it must not reach further than itself.
#pragma once

namespace lockstep::emulator {

/// Where memory runs out, this process is the one to end, not its owner. It leaves no core file, gains no
/// rights from what it executes, and no other process of its user may look into it. What the system refuses
/// is done without.
void protect_process();

}  // namespace lockstep::emulator
