// Events.
#include "emulator/cudart/runtime.h"
#include "emulator/cudart/streams/submission.h"

using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::Event;
using lockstep::emulator::cudart::EventRecord;
using lockstep::emulator::cudart::EventRecordNode;
using lockstep::emulator::cudart::EventWaitNode;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::Runtime;
using lockstep::emulator::cudart::Stream;
using lockstep::emulator::cudart::wait_for;

namespace {

void record(Runtime& r, cudaEvent_t handle, cudaStream_t stream_handle, bool external) {
  Event& event = r.streams.find(handle);
  Stream& stream = r.streams.find(stream_handle);
  if (event.device != stream.device) throw Failure{cudaErrorInvalidResourceHandle};
  if (stream.capture) {
    if (external) {
      r.captures.add(stream, EventRecordNode{handle});
    } else {
      r.captures.record(stream, event);
    }
    return;
  }
  event.capture.reset();
  const auto made = std::make_shared<EventRecord>();
  made->place = enqueue(r, stream, [made] { made->time = std::chrono::steady_clock::now(); });
  event.record = made;
}

void wait(Runtime& r, cudaStream_t stream_handle, cudaEvent_t handle, bool external) {
  const Event& event = r.streams.find(handle);
  Stream& stream = r.streams.find(stream_handle);
  if (stream.capture && external) {
    r.captures.add(stream, EventWaitNode{handle});
  } else if (event.capture) {
    r.captures.wait(stream, event);
  } else {
    r.captures.refuse_in(stream, cudaErrorStreamCaptureIsolation);
    if (event.record && !r.queues.reached(event.record->place))
      enqueue(r, stream, [] {}, {event.record->place});
  }
}

cudaError_t create(cudaEvent_t* event, unsigned flags, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& r) {
        require(event != nullptr);
        r.device.properties();  // fails where there is no device
        *event = r.streams.create_event(flags);
      },
      name);
}

/// The event, whose state the caller may ask for. An event of a capture has none.
const Event& asked(Runtime& r, cudaEvent_t handle) {
  const Event& event = r.streams.find(handle);
  if (event.capture) {
    event.capture->invalidated = true;
    throw Failure{cudaErrorCapturedEvent};
  }
  r.captures.check_unsafe_call();
  return event;
}

}  // namespace

cudaError_t cudaEventCreate(cudaEvent_t* event) { return create(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) { return create(event, flags); }

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&](Runtime& r) { r.streams.destroy(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call([&](Runtime& r) { record(r, event, stream, false); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return call([&](Runtime& r) {
    require((flags & ~static_cast<unsigned>(cudaEventRecordExternal)) == 0);
    record(r, event, stream, flags == cudaEventRecordExternal);
  });
}

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return call([&](Runtime& r) {
    require((flags & ~static_cast<unsigned>(cudaEventWaitExternal)) == 0);
    wait(r, stream, event, flags == cudaEventWaitExternal);
  });
}

cudaError_t cudaEventSynchronize(cudaEvent_t handle) {
  return call([&](Runtime& r) {
    if (const auto made = asked(r, handle).record) wait_for(r, made->place);
  });
}

cudaError_t cudaEventQuery(cudaEvent_t handle) {
  return call([&](Runtime& r) {
    const auto made = asked(r, handle).record;
    if (!made || r.queues.reached(made->place)) {
      if (made) r.queues.host_waited(made->place);
      return throw_failure(r);
    }
    r.queues.step_to(made->place);
    throw Failure{cudaErrorNotReady};
  });
}

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call([&](Runtime& r) {
    require(milliseconds != nullptr);
    *milliseconds = r.streams.milliseconds(start, end);
  });
}
