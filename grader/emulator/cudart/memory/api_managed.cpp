// Managed memory: allocation, and what the program may say and ask of its place.
//
// The emulated device has concurrentManagedAccess, as GPUs under Linux have. So advice and prefetches are
// accepted, and the program may use managed memory while a kernel runs. It then sees what was there before.
#include "emulator/cudart/memory/addresses.h"
#include "emulator/cudart/runtime.h"
#include "emulator/cudart/streams/submission.h"

using lockstep::emulator::cudart::address_of;
using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::PageAdvice;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::Runtime;
using lockstep::emulator::cudart::Stream;

namespace {

/// Fails unless `place` is a device or the host.
void check_place(Runtime& r, int place) { r.device.check_number(place == cudaCpuDeviceId ? 0 : place); }

void advise(Runtime& r, const void* pointer, size_t bytes, cudaMemoryAdvise advice, int place) {
  const bool names_place = advice != cudaMemAdviseSetReadMostly && advice != cudaMemAdviseUnsetReadMostly &&
                           advice != cudaMemAdviseUnsetPreferredLocation;
  if (names_place) check_place(r, place);
  r.unified.managed.advise(address_of(pointer), bytes,
                           [&](PageAdvice& page) { lockstep::emulator::cudart::apply(page, advice, place); });
}

void prefetch(Runtime& r, const void* pointer, size_t bytes, int place, cudaStream_t stream) {
  const Stream& where = r.streams.find(stream);
  check_place(r, place);
  r.captures.refuse_in(where);
  r.unified.managed.advise(address_of(pointer), bytes, [&](PageAdvice& page) { page.prefetched_to = place; });
  if (place != cudaCpuDeviceId) return;
  enqueue(r, where, [&r, pointer, bytes] { r.unified.managed.bring_in(address_of(pointer), bytes); });
}

[[maybe_unused]] int place_of(const cudaMemLocation& location) {
  switch (location.type) {
    case cudaMemLocationTypeDevice:
      return location.id;
    case cudaMemLocationTypeInvalid:
      throw Failure{cudaErrorInvalidValue};
    default:  // the host, or one of its NUMA nodes
      return cudaCpuDeviceId;
  }
}

}  // namespace

cudaError_t cudaMallocManaged(void** pointer, size_t bytes, unsigned flags) {
  return call([&](Runtime& r) {
    require(pointer != nullptr && bytes != 0);
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost);
    *pointer = r.unified.managed.allocate(bytes);
  });
}

#if CUDART_VERSION >= 13000
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice,
                          cudaMemLocation location) {
  return call([&](Runtime& r) {
    const bool ignored = advice == cudaMemAdviseSetReadMostly || advice == cudaMemAdviseUnsetReadMostly ||
                         advice == cudaMemAdviseUnsetPreferredLocation;
    advise(r, pointer, bytes, advice, ignored ? cudaCpuDeviceId : place_of(location));
  });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  return call([&](Runtime& r) {
    require(flags == 0);
    prefetch(r, pointer, bytes, place_of(location), stream);
  });
}
#else
cudaError_t cudaMemAdvise(const void* pointer, size_t bytes, cudaMemoryAdvise advice, int place) {
  return call([&](Runtime& r) { advise(r, pointer, bytes, advice, place); });
}

cudaError_t cudaMemPrefetchAsync(const void* pointer, size_t bytes, int place, cudaStream_t stream) {
  return call([&](Runtime& r) { prefetch(r, pointer, bytes, place, stream); });
}
#endif

cudaError_t cudaMemRangeGetAttribute(void* data, size_t data_bytes, cudaMemRangeAttribute attribute,
                                     const void* pointer, size_t bytes) {
  return call([&](Runtime& r) {
    lockstep::emulator::cudart::answer(r.unified.managed.advice(address_of(pointer), bytes), attribute, data,
                                       data_bytes);
  });
}

cudaError_t cudaMemRangeGetAttributes(void** data, size_t* data_bytes, cudaMemRangeAttribute* attributes,
                                      size_t count, const void* pointer, size_t bytes) {
  return call([&](Runtime& r) {
    require(data != nullptr && data_bytes != nullptr && attributes != nullptr && count != 0);
    const PageAdvice common = r.unified.managed.advice(address_of(pointer), bytes);
    for (size_t i = 0; i < count; ++i) {
      lockstep::emulator::cudart::answer(common, attributes[i], data[i], data_bytes[i]);
    }
  });
}

/// Which stream may use the memory: all may here, as every exchange is of all managed memory.
cudaError_t cudaStreamAttachMemAsync(cudaStream_t stream, void* pointer, size_t, unsigned flags) {
  return call([&](Runtime& r) {
    r.captures.refuse_in(r.streams.find(stream));
    require(flags == cudaMemAttachGlobal || flags == cudaMemAttachHost || flags == cudaMemAttachSingle);
    require(r.unified.managed.contains(address_of(pointer)));
  });
}
