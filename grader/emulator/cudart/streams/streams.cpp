#include "emulator/cudart/streams/streams.h"

#include <algorithm>
#include <exception>
#include <new>

#include "emulator/cudart/device/device_connection.h"
#include "emulator/cudart/errors/unsupported.h"
#include "emulator/cudart/streams/default_stream.h"

namespace lockstep::emulator::cudart {

namespace {

constexpr unsigned long long kLegacyId = 1, kPerThreadId = 2;

}  // namespace

cudaStream_t Streams::create(unsigned flags, int priority) {
  require((flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) == 0);
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  stream->id = next_id_++;
  stream->device = current_device();
  stream->queue = queues_.make_queue(
      flags == cudaStreamNonBlocking ? WorkQueues::Kind::non_blocking : WorkQueues::Kind::blocking,
      stream->device);
  const auto handle = reinterpret_cast<cudaStream_t>(stream.get());
  stream->handle = handle;
  streams_[handle] = std::move(stream);
  return handle;
}

void Streams::destroy(cudaStream_t stream) {
  if (streams_.erase(stream) == 0) throw Failure{cudaErrorInvalidResourceHandle};
}

Stream& Streams::find(cudaStream_t stream) {
  if (stream == nullptr) stream = default_stream();
  if (stream == cudaStreamLegacy) return legacy();
  if (stream == cudaStreamPerThread) return per_thread();
  const auto found = streams_.find(stream);
  if (found == streams_.end()) throw Failure{cudaErrorInvalidResourceHandle};
  return *found->second;
}

Stream& Streams::legacy() {
  Stream& stream = legacy_[current_device()];
  if (!stream.queue) {
    stream.handle = cudaStreamLegacy;
    stream.id = kLegacyId;
    stream.device = current_device();
    stream.queue = queues_.make_queue(WorkQueues::Kind::legacy, stream.device);
  }
  return stream;
}

Stream& Streams::per_thread() {
  Stream& stream = per_thread_[{std::this_thread::get_id(), current_device()}];
  if (!stream.queue) {
    stream.handle = cudaStreamPerThread;
    stream.id = kPerThreadId;
    stream.device = current_device();
    stream.queue = queues_.make_queue(WorkQueues::Kind::blocking, stream.device);
  }
  return stream;
}

cudaEvent_t Streams::create_event(unsigned flags) {
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  require((flags & ~kKnown) == 0);
  if ((flags & cudaEventInterprocess) != 0) {
    require((flags & cudaEventDisableTiming) != 0);  // it may not have a time
    refuse("events for several processes");
  }
  auto event = std::make_unique<Event>();
  event->flags = flags;
  event->device = current_device();
  const auto handle = reinterpret_cast<cudaEvent_t>(event.get());
  events_[handle] = std::move(event);
  return handle;
}

void Streams::destroy(cudaEvent_t event) {
  if (events_.erase(event) == 0) throw Failure{cudaErrorInvalidResourceHandle};
}

Event& Streams::find(cudaEvent_t event) {
  const auto found = events_.find(event);
  if (found == events_.end()) throw Failure{cudaErrorInvalidResourceHandle};
  return *found->second;
}

WorkQueues::Place Streams::add(const Stream& stream, std::function<void()> task,
                               std::vector<WorkQueues::Place> after, std::size_t bytes,
                               const Transfer& transfer) {
  const auto guarded = [this, device = stream.device, task = std::move(task)] {
    const SelectedDevice selected(device);
    Failure failure;
    try {
      task();
    } catch (const Failure& caught) {
      failure = caught;
    } catch (const std::bad_alloc&) {
      failure.code = cudaErrorMemoryAllocation;
    } catch (const std::exception&) {
      failure.code = cudaErrorUnknown;
    }
    // That of a kernel answers whoever asks the device next.
    if (failure.code != cudaSuccess && !failure.of_kernel && !kept_failure_) kept_failure_ = failure;
  };
  return queues_.add(stream.queue, guarded, std::move(after), bytes, transfer);
}

float Streams::milliseconds(cudaEvent_t start, cudaEvent_t end) {
  const Event& first = find(start);
  const Event& second = find(end);
  const bool timed = ((first.flags | second.flags) & cudaEventDisableTiming) == 0;
  if (!timed || !first.record || !second.record || first.device != second.device)
    throw Failure{cudaErrorInvalidResourceHandle};
  if (!first.record->time || !second.record->time) throw Failure{cudaErrorNotReady};
  return std::chrono::duration<float, std::milli>(*second.record->time - *first.record->time).count();
}

void Streams::throw_kept_failure() {
  if (!kept_failure_) return;
  const Failure failure = *kept_failure_;
  kept_failure_.reset();
  throw Failure{failure};
}

}  // namespace lockstep::emulator::cudart
