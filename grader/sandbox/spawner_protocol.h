// What the supervisor hands the spawner: its command line.
#pragma once

namespace lockstep::sandbox {

/// Words of the spawner's command line, after its own name. Descriptors are numbers, -1 where there is none.
enum SpawnerArgument : int {
  kRefusals = 1,  ///< descriptor: a KeeperReport is written there when the program cannot be executed
  kGroupEntry,    ///< descriptor: of the control group that the process enters
  kSpeaks,        ///< descriptor: a byte is written there when the process is in a user namespace of its own,
  kListens,       ///< descriptor: and one is read there when users have been mapped; -1: no namespace is made
  kPlacement,     ///< descriptors and the numbers under which the program gets them, as "5:0,6:1,"
  kFirstOfProgram,
};

}  // namespace lockstep::sandbox
