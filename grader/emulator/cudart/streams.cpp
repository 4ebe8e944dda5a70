#include "emulator/cudart/streams.h"

#include <algorithm>

namespace lockstep::cudart {

cudaStream_t Streams::create(unsigned flags, int priority) {
  require((flags & ~static_cast<unsigned>(cudaStreamNonBlocking)) == 0);
  auto stream = std::make_unique<Stream>();
  stream->flags = flags;
  stream->priority = std::clamp(priority, kGreatestPriority, kLeastPriority);
  stream->id = next_id_++;
  const auto handle = reinterpret_cast<cudaStream_t>(stream.get());
  streams_[handle] = std::move(stream);
  return handle;
}

void Streams::destroy(cudaStream_t stream) {
  if (streams_.erase(stream) == 0) throw Failure{cudaErrorInvalidResourceHandle};
}

const Stream& Streams::find(cudaStream_t stream) const {
  static const Stream kDefaultStream;
  if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread) return kDefaultStream;
  const auto found = streams_.find(stream);
  if (found == streams_.end()) throw Failure{cudaErrorInvalidResourceHandle};
  return *found->second;
}

cudaEvent_t Streams::create_event(unsigned flags) {
  constexpr unsigned kKnown = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
  require((flags & ~kKnown) == 0);
  auto event = std::make_unique<Event>();
  event->flags = flags;
  const auto handle = reinterpret_cast<cudaEvent_t>(event.get());
  events_[handle] = std::move(event);
  return handle;
}

void Streams::destroy(cudaEvent_t event) {
  if (events_.erase(event) == 0) throw Failure{cudaErrorInvalidResourceHandle};
}

void Streams::record(cudaEvent_t event, cudaStream_t stream) {
  find(stream);
  check(event);
  events_[event]->recorded = std::chrono::steady_clock::now();
}

void Streams::check(cudaEvent_t event) const { find(event); }

float Streams::milliseconds(cudaEvent_t start, cudaEvent_t end) const {
  const Event& first = find(start);
  const Event& second = find(end);
  const bool timed = ((first.flags | second.flags) & cudaEventDisableTiming) == 0;
  if (!timed || !first.recorded || !second.recorded) throw Failure{cudaErrorInvalidResourceHandle};
  return std::chrono::duration<float, std::milli>(*second.recorded - *first.recorded).count();
}

const Streams::Event& Streams::find(cudaEvent_t event) const {
  const auto found = events_.find(event);
  if (found == events_.end()) throw Failure{cudaErrorInvalidResourceHandle};
  return *found->second;
}

}  // namespace lockstep::cudart
