// Stream-ordered memory: pools, and what was allocated from them.
//
// Memory is the device's at the call that allocates it, and goes back to the device when the stream reaches
// the call that frees it. A pool keeps none, so that a use after the free is found; what it reserves is
// what is in use.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>

#include "emulator/cudart/memory/device_memory.h"

namespace lockstep::emulator::cudart {

struct Pool {
  cudaMemPoolProps properties{};
  int device() const { return properties.location.id; }
  std::map<cudaMemPoolAttr, std::uint64_t> settings;  ///< those that a program sets
  std::uint64_t used = 0, used_high = 0, reserved_high = 0;
};

class Pools {
 public:
  explicit Pools(DeviceMemory& memory) : memory_(memory) {}

  cudaMemPool_t create(const cudaMemPoolProps& properties);
  /// What was allocated from it stays until it is freed.
  void destroy(cudaMemPool_t pool);
  Pool& find(cudaMemPool_t pool) const;
  cudaMemPool_t default_pool(int device) { return handle_of(of(device).standard); }
  cudaMemPool_t current(int device) { return handle_of(of(device).current); }
  void set_current(int device, cudaMemPool_t pool);

  std::uint64_t attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute) const;
  void set_attribute(cudaMemPool_t pool, cudaMemPoolAttr attribute, std::uint64_t value);

  void* allocate(cudaMemPool_t pool, std::size_t bytes);
  /// Notes that a free of the address waits in a stream. Throws Failure when one does already.
  void expect_free(void* address);
  /// Frees memory of any kind.
  void free(void* address);
  /// The device was reset, and all its memory is gone.
  void forget_allocations(int device);

 private:
  struct Allocation {
    std::weak_ptr<Pool> pool;
    std::size_t bytes = 0;
    int device = 0;
  };
  struct OfDevice {
    std::shared_ptr<Pool> standard, current;
  };
  static cudaMemPool_t handle_of(const std::shared_ptr<Pool>& pool) {
    return reinterpret_cast<cudaMemPool_t>(pool.get());
  }
  OfDevice& of(int device);
  const std::shared_ptr<Pool>& held(cudaMemPool_t pool) const;

  DeviceMemory& memory_;
  std::map<int, OfDevice> devices_;
  std::map<cudaMemPool_t, std::shared_ptr<Pool>> pools_;
  std::map<const void*, Allocation> allocations_;
  std::set<const void*> waiting_frees_;
};

}  // namespace lockstep::emulator::cudart
