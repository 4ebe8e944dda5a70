#include "emulator/cudart/runtime.h"

namespace lockstep::cudart {

Runtime& runtime() {
  static Runtime& program = *new Runtime;
  return program;
}

}  // namespace lockstep::cudart
