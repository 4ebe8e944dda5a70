// The runtime of one program: its parts, and the frame around every API call.
#pragma once

#include <exception>
#include <map>
#include <mutex>
#include <new>

#include "emulator/cudart/arrays/arrays.h"
#include "emulator/cudart/arrays/image_objects.h"
#include "emulator/cudart/device/device_connection.h"
#include "emulator/cudart/device/peers.h"
#include "emulator/cudart/errors/failure.h"
#include "emulator/cudart/errors/refusal.h"
#include "emulator/cudart/graphs/captures.h"
#include "emulator/cudart/graphs/graphs.h"
#include "emulator/cudart/host_program.h"
#include "emulator/cudart/kernels/launcher.h"
#include "emulator/cudart/kernels/modules.h"
#include "emulator/cudart/memory/device_memory.h"
#include "emulator/cudart/memory/pools.h"
#include "emulator/cudart/memory/unified_memory.h"
#include "emulator/cudart/streams/default_stream.h"
#include "emulator/cudart/streams/host_function.h"
#include "emulator/cudart/streams/idle_progress.h"
#include "emulator/cudart/streams/streams.h"

namespace lockstep::emulator::cudart {

struct Runtime {
  std::recursive_mutex mutex;  ///< released while a host function runs
  DeviceConnection device;
  Peers peers;
  UnifiedMemory unified{device};
  Modules modules{device};
  Launcher launcher{device, modules, unified, peers};
  DeviceMemory memory{device, unified};
  Pools pools{memory};
  GraphMemory graph_memory{memory};
  WorkQueues queues{mutex};
  Streams streams{queues};
  Arrays arrays{memory};
  ImageObjects images{device, arrays};
  IdleProgress idle_progress{mutex, queues};
  Captures captures;
  Graphs graphs;
  HostProgramWatch host_program_watch;
  std::map<cudaLimit, std::size_t> limits = {{cudaLimitStackSize, 1024},
                                             {cudaLimitPrintfFifoSize, std::size_t{1} << 20},
                                             {cudaLimitMallocHeapSize, kDefaultHeapBytes}};
  unsigned device_flags = 0;
  bool ending = false;  ///< the program ends: what waits is done, but its functions are called no more
};

/// Made at first use, as constructors of the program come before the statics of this library, and never
/// destroyed, as they unregister after them.
Runtime& runtime();

/// Has the work that waits when the program ends done then, for the device's checks to see it. Called with
/// the first work, so that what the program made before is still there.
void finish_at_exit();

/// Runs one API call: exclusively, with its failure as the result and as the thread's last error. `name` is
/// the calling function's, unless a helper of several passes theirs on.
template <class Function>
cudaError_t call(Function&& function, const char* name = __builtin_FUNCTION()) {
  begin_call();
  try {
    if (in_host_function()) throw Failure{cudaErrorNotPermitted};
    Runtime& program = runtime();
    const std::lock_guard lock(program.mutex);
    program.idle_progress.called();
    program.host_program_watch.called(name);
    function(program);
    return cudaSuccess;
  } catch (const Failure& failure) {
    note_refusal(name, failure);
    return (last_failure() = failure).code;
  } catch (const std::bad_alloc&) {
    return (last_failure() = {cudaErrorMemoryAllocation}).code;
  } catch (const std::exception&) {
    return (last_failure() = {cudaErrorUnknown}).code;
  }
}

}  // namespace lockstep::emulator::cudart
