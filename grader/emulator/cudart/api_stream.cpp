// Streams and events.
#include "emulator/cudart/runtime.h"

using lockstep::cudart::call;
using lockstep::cudart::kGreatestPriority;
using lockstep::cudart::kLeastPriority;
using lockstep::cudart::require;
using lockstep::cudart::Runtime;

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return cudaStreamCreateWithPriority(stream, flags, kLeastPriority);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return call([&](Runtime& r) {
    require(stream != nullptr);
    r.device.properties();  // fails where there is no device
    *stream = r.streams.create(flags, priority);
  });
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&](Runtime& r) { r.streams.destroy(stream); });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.launcher.synchronise();
  });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) { return cudaStreamSynchronize(stream); }

cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.streams.check(event);
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t callback, void* data, unsigned) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.launcher.synchronise();
    callback(stream, cudaSuccess, data);
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return call([&](Runtime& r) { *flags = r.streams.find(stream).flags; });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return call([&](Runtime& r) { *priority = r.streams.find(stream).priority; });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return call([&](Runtime& r) { *id = r.streams.find(stream).id; });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    *status = cudaStreamCaptureStatusNone;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&](Runtime&) {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
  });
}

cudaError_t cudaEventCreate(cudaEvent_t* event) { return cudaEventCreateWithFlags(event, cudaEventDefault); }

cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return call([&](Runtime& r) {
    require(event != nullptr);
    r.device.properties();
    *event = r.streams.create_event(flags);
  });
}

cudaError_t cudaEventDestroy(cudaEvent_t event) {
  return call([&](Runtime& r) { r.streams.destroy(event); });
}

cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  return call([&](Runtime& r) { r.streams.record(event, stream); });
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream, unsigned) {
  return cudaEventRecord(event, stream);
}

cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return call([&](Runtime& r) {
    r.streams.check(event);
    r.launcher.synchronise();
  });
}

cudaError_t cudaEventQuery(cudaEvent_t event) { return cudaEventSynchronize(event); }

cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t start, cudaEvent_t end) {
  return call([&](Runtime& r) {
    require(milliseconds != nullptr);
    *milliseconds = r.streams.milliseconds(start, end);
  });
}
