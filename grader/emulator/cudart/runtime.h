// The runtime of one program: its parts, and the frame around every API call.
#pragma once

#include <map>
#include <mutex>
#include <new>

#include "emulator/cudart/arrays.h"
#include "emulator/cudart/device_connection.h"
#include "emulator/cudart/failure.h"
#include "emulator/cudart/image_objects.h"
#include "emulator/cudart/launcher.h"
#include "emulator/cudart/memory.h"
#include "emulator/cudart/modules.h"
#include "emulator/cudart/peers.h"
#include "emulator/cudart/streams.h"
#include "emulator/cudart/unified_memory.h"

namespace lockstep::cudart {

struct Runtime {
  DeviceConnection device;
  Peers peers;
  UnifiedMemory unified{device};
  Modules modules{device};
  Launcher launcher{device, modules, unified, peers};
  Memory memory{device, unified};
  Streams streams;
  Arrays arrays{memory};
  ImageObjects images{device, arrays};
  std::map<cudaLimit, std::size_t> limits = {{cudaLimitStackSize, 1024},
                                             {cudaLimitPrintfFifoSize, std::size_t{1} << 20},
                                             {cudaLimitMallocHeapSize, emulator::kDefaultHeapBytes}};
  unsigned device_flags = 0;
  std::recursive_mutex mutex;  ///< recursive: a host function that a stream runs may call the API
};

/// Made at first use, as constructors of the program come before the statics of this library, and never
/// destroyed, as they unregister after them.
Runtime& runtime();

/// Runs one API call: exclusively, with its failure as the result and as the thread's last error.
template <class Function>
cudaError_t call(Function&& function) {
  Runtime& program = runtime();
  const std::lock_guard lock(program.mutex);
  try {
    function(program);
    return cudaSuccess;
  } catch (const Failure& failure) {
    return (last_failure() = failure).code;
  } catch (const std::bad_alloc&) {
    return (last_failure() = {cudaErrorMemoryAllocation}).code;
  } catch (const std::exception&) {
    return (last_failure() = {cudaErrorUnknown}).code;
  }
}

}  // namespace lockstep::cudart
