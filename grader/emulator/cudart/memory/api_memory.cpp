// Memory: allocation, copies, fills and queries. What a stream orders goes into its queue; blocking calls
// wait and print what kernels have printed so far, as on hardware.
#include <cstddef>

#include "emulator/cudart/runtime.h"
#include "emulator/cudart/streams/submission.h"

using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::copy_blocking;
using lockstep::emulator::cudart::CopyWork;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::fill_blocking;
using lockstep::emulator::cudart::FillWork;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::Runtime;
using lockstep::emulator::cudart::submit_copy;
using lockstep::emulator::cudart::submit_fill;
using lockstep::emulator::cudart::wait_for_all;

namespace {

/// Memory of a graph goes back to the graph, other memory to the device.
void free_waiting(Runtime& r, void* pointer) {
  r.captures.check_unsafe_call();
  if (pointer == nullptr) return;
  wait_for_all(r);
  const auto of_graph = r.graph_memory.find(pointer);
  if (!of_graph) return r.pools.free(pointer);
  require(of_graph->in_use);
  of_graph->in_use = false;
}

cudaError_t allocate_pinned(void** pointer, size_t bytes, unsigned flags,
                            const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& r) {
        require(pointer != nullptr);
        r.captures.check_unsafe_call();
        *pointer = r.unified.pinned.allocate(bytes, flags);
      },
      name);
}

FillWork bytes_to_fill(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  if (width > pitch) throw Failure{cudaErrorInvalidPitchValue};
  return {pointer, pitch, static_cast<unsigned>(value), 1, width, height};
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return call([&](Runtime& r) {
    require(pointer != nullptr);
    r.captures.check_unsafe_call();
    *pointer = r.memory.allocate(bytes);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return call([&](Runtime& r) {
    require(pointer != nullptr);
    r.captures.check_unsafe_call();
    *pointer = r.memory.allocate_pitched(pitch, width, height);
  });
}

cudaError_t cudaFree(void* pointer) {
  return call([&](Runtime& r) { free_waiting(r, pointer); });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return allocate_pinned(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return allocate_pinned(pointer, bytes, flags);
}

cudaError_t cudaFreeHost(void* pointer) {
  return call([&](Runtime& r) {
    r.captures.check_unsafe_call();
    r.queues.run_all();
    r.unified.pinned.free(pointer);
  });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return call([&](Runtime& r) { r.unified.pinned.add(pointer, bytes, flags); });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call([&](Runtime& r) {
    r.queues.run_all();
    r.unified.pinned.remove(pointer);
  });
}

cudaError_t cudaHostGetFlags(unsigned* flags, void* pointer) {
  return call([&](Runtime& r) { *flags = r.unified.pinned.flags(pointer); });
}

cudaError_t cudaHostGetDevicePointer(void** device_pointer, void* host_pointer, unsigned flags) {
  return call([&](Runtime& r) {
    require(device_pointer != nullptr && flags == 0);
    *device_pointer = reinterpret_cast<void*>(r.unified.pinned.device_address(host_pointer));
  });
}

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  return call([&](Runtime& r) { copy_blocking(r, CopyWork::linear(to, from, bytes, kind)); });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call([&](Runtime& r) { submit_copy(r, stream, CopyWork::linear(to, from, bytes, kind)); });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    copy_blocking(r, CopyWork::rows(to, to_pitch, from, from_pitch, width, height, kind));
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& r) {
    submit_copy(r, stream, CopyWork::rows(to, to_pitch, from, from_pitch, width, height, kind));
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    copy_blocking(r, CopyWork::linear(r.modules.place_in_symbol(symbol, offset, bytes), from, bytes, kind));
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& r) {
    submit_copy(r, stream,
                CopyWork::linear(r.modules.place_in_symbol(symbol, offset, bytes), from, bytes, kind));
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    copy_blocking(r, CopyWork::linear(to, r.modules.place_in_symbol(symbol, offset, bytes), bytes, kind));
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& r) {
    submit_copy(r, stream,
                CopyWork::linear(to, r.modules.place_in_symbol(symbol, offset, bytes), bytes, kind));
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return call([&](Runtime& r) { fill_blocking(r, bytes_to_fill(pointer, bytes, value, bytes, 1)); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return call([&](Runtime& r) { submit_fill(r, stream, bytes_to_fill(pointer, bytes, value, bytes, 1)); });
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return call([&](Runtime& r) { fill_blocking(r, bytes_to_fill(pointer, pitch, value, width, height)); });
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return call(
      [&](Runtime& r) { submit_fill(r, stream, bytes_to_fill(pointer, pitch, value, width, height)); });
}

cudaError_t cudaMemGetInfo(size_t* free_bytes, size_t* total_bytes) {
  return call([&](Runtime& r) { r.memory.information(free_bytes, total_bytes); });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* pointer) {
  return call([&](Runtime& r) {
    require(attributes != nullptr);
    *attributes = r.memory.attributes(pointer);
  });
}

cudaError_t cudaGetSymbolAddress(void** address, const void* symbol) {
  return call([&](Runtime& r) { *address = r.modules.place_in_symbol(symbol, 0, 0); });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return call([&](Runtime& r) { *bytes = r.modules.symbol(symbol).bytes; });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
