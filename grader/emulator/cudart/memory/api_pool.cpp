// Stream-ordered memory and its pools.
#include <cstring>

#include "emulator/cudart/errors/unsupported.h"
#include "emulator/cudart/runtime.h"
#include "emulator/cudart/streams/submission.h"

using lockstep::emulator::cudart::AllocationNode;
using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::DeallocationNode;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::refuse;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::Runtime;
using lockstep::emulator::cudart::SelectedDevice;
using lockstep::emulator::cudart::Stream;

namespace {

void* allocate(Runtime& r, cudaMemPool_t pool, size_t bytes, cudaStream_t handle) {
  Stream& stream = r.streams.find(handle);
  if (stream.capture) {
    const SelectedDevice selected(stream.device);
    const auto allocation = r.graph_memory.allocate(bytes);
    r.captures.add(stream, AllocationNode{allocation});
    return allocation->address;
  }
  r.captures.check_implicit_dependency(stream);
  try {
    return r.pools.allocate(pool, bytes);
  } catch (const Failure& failure) {
    if (failure.code != cudaErrorMemoryAllocation) throw;
    // What waits to be freed is free by the time that the stream would use this.
    r.queues.run_all();
    return r.pools.allocate(pool, bytes);
  }
}

void free_in_stream(Runtime& r, void* address, cudaStream_t handle) {
  Stream& stream = r.streams.find(handle);
  require(address != nullptr);
  const auto of_graph = r.graph_memory.find(address);
  if (stream.capture) {
    require(of_graph != nullptr);
    r.captures.add(stream, DeallocationNode{of_graph});
    return;
  }
  if (of_graph) {
    require(of_graph->in_use);
    of_graph->in_use = false;
    return;
  }
  require(r.memory.attributes(address).type == cudaMemoryTypeDevice);
  r.pools.expect_free(address);
  enqueue(r, stream, [&r, address] { r.pools.free(address); });
}

/// Settings are int or std::uint64_t by attribute.
bool is_int(cudaMemPoolAttr attribute) {
  return attribute == cudaMemPoolReuseFollowEventDependencies ||
         attribute == cudaMemPoolReuseAllowOpportunistic ||
         attribute == cudaMemPoolReuseAllowInternalDependencies;
}

}  // namespace

cudaError_t cudaMallocAsync(void** pointer, size_t bytes, cudaStream_t stream) {
  return call([&](Runtime& r) {
    require(pointer != nullptr);
    *pointer = allocate(r, r.pools.current(r.streams.find(stream).device), bytes, stream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** pointer, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return call([&](Runtime& r) {
    require(pointer != nullptr);
    *pointer = allocate(r, pool, bytes, stream);
  });
}

cudaError_t cudaFreeAsync(void* pointer, cudaStream_t stream) {
  return call([&](Runtime& r) { free_in_stream(r, pointer, stream); });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return call([&](Runtime& r) {
    require(pool != nullptr && properties != nullptr);
    if (properties->location.type == cudaMemLocationTypeDevice)
      r.device.check_number(properties->location.id);
    *pool = r.pools.create(*properties);
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call([&](Runtime& r) { r.pools.destroy(pool); });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call([&](Runtime& r) {
    require(value != nullptr);
    const std::uint64_t found = r.pools.attribute(pool, attribute);
    const int narrow = static_cast<int>(found);
    if (is_int(attribute)) {
      std::memcpy(value, &narrow, sizeof narrow);
    } else {
      std::memcpy(value, &found, sizeof found);
    }
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, void* value) {
  return call([&](Runtime& r) {
    require(value != nullptr);
    std::uint64_t wanted = 0;
    std::memcpy(&wanted, value, is_int(attribute) ? sizeof(int) : sizeof wanted);
    r.pools.set_attribute(pool, attribute, wanted);
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t) {
  // A pool keeps nothing that it could give back.
  return call([&](Runtime& r) { r.pools.find(pool); });
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const cudaMemAccessDesc* descriptions, size_t count) {
  return call([&](Runtime& r) {
    const int device = r.pools.find(pool).device();
    require(count == 0 || descriptions != nullptr);
    for (size_t i = 0; i < count; ++i) {
      require(descriptions[i].location.type == cudaMemLocationTypeDevice);
      r.device.check_number(descriptions[i].location.id);
      if (descriptions[i].location.id != device) refuse("memory pools that another device reaches");
      // Its own memory a device always reads and writes.
      require(descriptions[i].flags == cudaMemAccessFlagsProtReadWrite);
    }
  });
}

cudaError_t cudaMemPoolGetAccess(cudaMemAccessFlags* flags, cudaMemPool_t pool, cudaMemLocation* location) {
  return call([&](Runtime& r) {
    const int device = r.pools.find(pool).device();
    require(flags != nullptr && location != nullptr && location->type == cudaMemLocationTypeDevice);
    r.device.check_number(location->id);
    *flags = location->id == device ? cudaMemAccessFlagsProtReadWrite : cudaMemAccessFlagsProtNone;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return call([&](Runtime& r) {
    require(pool != nullptr);
    r.device.check_number(device);
    *pool = r.pools.default_pool(device);
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return call([&](Runtime& r) {
    require(pool != nullptr);
    r.device.check_number(device);
    *pool = r.pools.current(device);
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call([&](Runtime& r) {
    r.device.check_number(device);
    r.pools.set_current(device, pool);
  });
}

cudaError_t cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return call([&](Runtime& r) {
    require(value != nullptr);
    r.device.check_number(device);
    std::uint64_t found = 0;
    switch (attribute) {
      case cudaGraphMemAttrUsedMemCurrent:
        found = r.graph_memory.used(device);
        break;
      case cudaGraphMemAttrUsedMemHigh:
        found = r.graph_memory.used_high(device);
        break;
      case cudaGraphMemAttrReservedMemCurrent:
        found = r.graph_memory.reserved(device);
        break;
      case cudaGraphMemAttrReservedMemHigh:
        found = r.graph_memory.reserved_high(device);
        break;
      default:
        throw Failure{cudaErrorInvalidValue};
    }
    std::memcpy(value, &found, sizeof found);
  });
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  return call([&](Runtime& r) {
    require(value != nullptr && *static_cast<const std::uint64_t*>(value) == 0);
    r.device.check_number(device);
    if (attribute == cudaGraphMemAttrUsedMemHigh) {
      r.graph_memory.forget_used_high(device);
    } else {
      require(attribute == cudaGraphMemAttrReservedMemHigh);
      r.graph_memory.forget_reserved_high(device);
    }
  });
}

cudaError_t cudaDeviceGraphMemTrim(int device) {
  // A graph's memory goes back with the graph.
  return call([&](Runtime& r) { r.device.check_number(device); });
}
