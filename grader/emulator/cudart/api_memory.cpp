// Memory: allocation, copies, fills and queries. Asynchronous forms do the same work; blocking ones also
// print what kernels have printed so far, as on hardware.
#include <cstddef>

#include "emulator/cudart/runtime.h"

using lockstep::cudart::call;
using lockstep::cudart::require;
using lockstep::cudart::Rows;
using lockstep::cudart::Runtime;

namespace {

/// The place `offset` bytes into a symbol, where `bytes` bytes must fit.
void* inside_symbol(Runtime& r, const void* symbol, size_t offset, size_t bytes) {
  const auto& range = r.modules.symbol(symbol);
  require(offset <= range.bytes && bytes <= range.bytes - offset);
  return reinterpret_cast<void*>(range.address + offset);
}

}  // namespace

cudaError_t cudaMalloc(void** pointer, size_t bytes) {
  return call([&](Runtime& r) {
    require(pointer != nullptr);
    *pointer = r.memory.allocate(bytes);
  });
}

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return call([&](Runtime& r) {
    require(pointer != nullptr);
    r.streams.find(stream);
    *pointer = r.memory.allocate(bytes);
  });
}

cudaError_t cudaMallocPitch(void** pointer, size_t* pitch, size_t width, size_t height) {
  return call([&](Runtime& r) {
    require(pointer != nullptr);
    *pointer = r.memory.allocate_pitched(pitch, width, height);
  });
}

cudaError_t cudaFree(void* pointer) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.memory.free(pointer);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.memory.free(pointer);
  });
}

cudaError_t cudaMallocHost(void** pointer, size_t bytes) {
  return cudaHostAlloc(pointer, bytes, cudaHostAllocDefault);
}

cudaError_t cudaHostAlloc(void** pointer, size_t bytes, unsigned flags) {
  return call([&](Runtime& r) {
    require(pointer != nullptr);
    *pointer = r.unified.pinned.allocate(bytes, flags);
  });
}

cudaError_t cudaFreeHost(void* pointer) {
  return call([&](Runtime& r) { r.unified.pinned.free(pointer); });
}

cudaError_t cudaHostRegister(void* pointer, size_t bytes, unsigned flags) {
  return call([&](Runtime& r) { r.unified.pinned.add(pointer, bytes, flags); });
}

cudaError_t cudaHostUnregister(void* pointer) {
  return call([&](Runtime& r) { r.unified.pinned.remove(pointer); });
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
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.memory.copy(to, from, bytes, kind);
  });
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind,
                            cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.memory.copy(to, from, bytes, kind);
  });
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                         size_t height, cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.memory.copy_rows(to, to_pitch, from, Rows{from_pitch, width, height}, kind);
  });
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.memory.copy_rows(to, to_pitch, from, Rows{from_pitch, width, height}, kind);
  });
}

cudaError_t cudaMemcpyToSymbol(const void* symbol, const void* from, size_t bytes, size_t offset,
                               cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.memory.copy(inside_symbol(r, symbol, offset, bytes), from, bytes, kind);
  });
}

cudaError_t cudaMemcpyToSymbolAsync(const void* symbol, const void* from, size_t bytes, size_t offset,
                                    cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.memory.copy(inside_symbol(r, symbol, offset, bytes), from, bytes, kind);
  });
}

cudaError_t cudaMemcpyFromSymbol(void* to, const void* symbol, size_t bytes, size_t offset,
                                 cudaMemcpyKind kind) {
  return call([&](Runtime& r) {
    r.launcher.synchronise();
    r.memory.copy(to, inside_symbol(r, symbol, offset, bytes), bytes, kind);
  });
}

cudaError_t cudaMemcpyFromSymbolAsync(void* to, const void* symbol, size_t bytes, size_t offset,
                                      cudaMemcpyKind kind, cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.memory.copy(to, inside_symbol(r, symbol, offset, bytes), bytes, kind);
  });
}

cudaError_t cudaMemset(void* pointer, int value, size_t bytes) {
  return call([&](Runtime& r) { r.memory.fill(pointer, value, bytes); });
}

cudaError_t cudaMemsetAsync(void* pointer, int value, size_t bytes, cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.memory.fill(pointer, value, bytes);
  });
}

cudaError_t cudaMemset2D(void* pointer, size_t pitch, int value, size_t width, size_t height) {
  return call([&](Runtime& r) { r.memory.fill_rows(pointer, value, Rows{pitch, width, height}); });
}

cudaError_t cudaMemset2DAsync(void* pointer, size_t pitch, int value, size_t width, size_t height,
                              cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.streams.find(stream);
    r.memory.fill_rows(pointer, value, Rows{pitch, width, height});
  });
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
  return call([&](Runtime& r) { *address = inside_symbol(r, symbol, 0, 0); });
}

cudaError_t cudaGetSymbolSize(size_t* bytes, const void* symbol) {
  return call([&](Runtime& r) { *bytes = r.modules.symbol(symbol).bytes; });
}

cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind) {
  return {x, y, z, w, kind};
}
