// Streams.
#include "emulator/cudart/runtime.h"
#include "emulator/cudart/streams/submission.h"

using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::call_host_function;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::kGreatestPriority;
using lockstep::emulator::cudart::kLeastPriority;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::Runtime;
using lockstep::emulator::cudart::Stream;
using lockstep::emulator::cudart::wait_for;

namespace {

/// The stream, which the caller may ask for its state or wait for.
const Stream& asked(Runtime& r, cudaStream_t handle) {
  const Stream& stream = r.streams.find(handle);
  r.captures.refuse_in(stream);
  r.captures.check_implicit_dependency(stream);
  r.captures.check_unsafe_call();
  return stream;
}

cudaError_t create(cudaStream_t* stream, unsigned flags, int priority,
                   const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& r) {
        require(stream != nullptr);
        r.device.properties();  // fails where there is no device
        *stream = r.streams.create(flags, priority);
      },
      name);
}

/// Calls a callback with what has become of the stream's work; after a failed kernel too.
void run_callback(Runtime& r, cudaStream_t stream, cudaStreamCallback_t callback, void* data) {
  cudaError_t status = cudaSuccess;
  try {
    r.launcher.synchronise();
  } catch (const Failure& failure) {
    status = failure.code;
  }
  if (!r.ending) call_host_function(r.mutex, [=] { callback(stream, status, data); });
}

/// The attributes that a stream keeps; none changes what the emulated device does.
bool is_stream_attribute(cudaStreamAttrID attribute) {
  return attribute == cudaStreamAttributeAccessPolicyWindow ||
         attribute == cudaStreamAttributeSynchronizationPolicy ||
         attribute == cudaStreamAttributeMemSyncDomainMap || attribute == cudaStreamAttributeMemSyncDomain ||
         attribute == cudaStreamAttributePriority;
}

}  // namespace

cudaError_t cudaStreamCreate(cudaStream_t* stream) {
  return create(stream, cudaStreamDefault, kLeastPriority);
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return create(stream, flags, kLeastPriority);
}

cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int priority) {
  return create(stream, flags, priority);
}

cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  return call([&](Runtime& r) {
    // The default streams are not the program's to destroy.
    if (stream == nullptr || stream == cudaStreamLegacy || stream == cudaStreamPerThread)
      throw Failure{cudaErrorInvalidResourceHandle};
    r.captures.leave(r.streams.find(stream));
    r.streams.destroy(stream);
  });
}

cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  return call([&](Runtime& r) { wait_for(r, r.queues.end_of(asked(r, stream).queue)); });
}

cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return call([&](Runtime& r) {
    const auto end = r.queues.end_of(asked(r, stream).queue);
    if (r.queues.reached(end)) {
      r.queues.host_waited(end);
      return throw_failure(r);
    }
    r.queues.step_to(end);
    throw Failure{cudaErrorNotReady};
  });
}

cudaError_t cudaStreamAddCallback(cudaStream_t handle, cudaStreamCallback_t callback, void* data,
                                  unsigned flags) {
  return call([&](Runtime& r) {
    require(callback != nullptr && flags == 0);
    const Stream& stream = r.streams.find(handle);
    r.captures.refuse_in(stream);
    enqueue(r, stream, [&r, handle, callback, data] { run_callback(r, handle, callback, data); });
  });
}

cudaError_t cudaStreamGetFlags(cudaStream_t stream, unsigned* flags) {
  return call([&](Runtime& r) {
    require(flags != nullptr);
    *flags = r.streams.find(stream).flags;
  });
}

cudaError_t cudaStreamGetPriority(cudaStream_t stream, int* priority) {
  return call([&](Runtime& r) {
    require(priority != nullptr);
    *priority = r.streams.find(stream).priority;
  });
}

cudaError_t cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  return call([&](Runtime& r) {
    require(id != nullptr);
    *id = r.streams.find(stream).id;
  });
}

cudaError_t cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return call([&](Runtime& r) {
    require(device != nullptr);
    *device = r.streams.find(stream).device;
  });
}

cudaError_t cudaStreamGetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  return call([&](Runtime& r) {
    require(value != nullptr && is_stream_attribute(attribute));
    const Stream& stream = r.streams.find(handle);
    const auto found = stream.attributes.find(attribute);
    *value = found == stream.attributes.end() ? cudaStreamAttrValue{} : found->second;
    if (attribute == cudaStreamAttributePriority) value->priority = stream.priority;
  });
}

cudaError_t cudaStreamSetAttribute(cudaStream_t handle, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  return call([&](Runtime& r) {
    require(value != nullptr && is_stream_attribute(attribute));
    Stream& stream = r.streams.find(handle);
    if (attribute == cudaStreamAttributePriority) {
      require(value->priority >= kGreatestPriority && value->priority <= kLeastPriority);
      stream.priority = value->priority;
    }
    stream.attributes[attribute] = *value;
  });
}

cudaError_t cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  return call([&](Runtime& r) { r.streams.find(to).attributes = r.streams.find(from).attributes; });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call([&](Runtime&) {
    if (least != nullptr) *least = kLeastPriority;
    if (greatest != nullptr) *greatest = kGreatestPriority;
  });
}
