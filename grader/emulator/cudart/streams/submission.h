// The way of work from an API call to the device: into a stream's queue or the graph that is being captured,
// and, when its turn comes, to where it is really done.
#pragma once

#include "emulator/cudart/runtime.h"

namespace lockstep::emulator::cudart {

/// Gives work to a stream. Throws Failure for what hardware refuses at the call.
void submit_launch(Runtime& r, cudaStream_t stream, KernelWork work);
/// As the asynchronous copies: memory that is not pinned is read at once, and written before the call ends.
void submit_copy(Runtime& r, cudaStream_t stream, const CopyWork& work);
void submit_fill(Runtime& r, cudaStream_t stream, const FillWork& work);
void submit_host_function(Runtime& r, cudaStream_t stream, const HostWork& work);
void submit_graph(Runtime& r, cudaStream_t stream, ExecutableGraph& executable);

/// As cudaMemcpy: in the default stream, and done when it returns, except for copies within a device's own
/// memory.
void copy_blocking(Runtime& r, const CopyWork& work);
/// As cudaMemset: done when it returns only in memory that the program may touch.
void fill_blocking(Runtime& r, const FillWork& work);

/// Throws Failure when the device or any work that has been done has failed.
void throw_failure(Runtime& r);
/// Waits for a place, prints, and throws as throw_failure does.
void wait_for(Runtime& r, const WorkQueues::Place& place);
/// Waits for all streams of the current device, and for those of every device.
void wait_for_device(Runtime& r);
void wait_for_all(Runtime& r);
/// Waits for the default stream, as blocking calls do: it waits for the streams that block it.
void wait_for_default_stream(Runtime& r);

/// Adds work that is no node of a graph.
WorkQueues::Place enqueue(Runtime& r, const Stream& stream, std::function<void()> task,
                          std::vector<WorkQueues::Place> after = {}, std::size_t bytes = 0,
                          const Transfer& transfer = {});

}  // namespace lockstep::emulator::cudart
