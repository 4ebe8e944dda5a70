// Functions of the program that a stream or a graph calls in its turn.
#pragma once

#include <functional>
#include <mutex>

namespace lockstep::emulator::cudart {

/// Calls `function` with the runtime's mutex released, so that it may wait for other threads that use the
/// API. It may not do so itself.
void call_host_function(std::recursive_mutex& mutex, const std::function<void()>& function);

/// Whether the calling thread is within a host function.
bool in_host_function();

}  // namespace lockstep::emulator::cudart
