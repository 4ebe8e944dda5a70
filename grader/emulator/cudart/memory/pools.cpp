#include "emulator/cudart/memory/pools.h"

#include <algorithm>

#include "emulator/cudart/errors/unsupported.h"

namespace lockstep::emulator::cudart {

namespace {

constexpr cudaMemPoolAttr kReuse[] = {cudaMemPoolReuseFollowEventDependencies,
                                      cudaMemPoolReuseAllowOpportunistic,
                                      cudaMemPoolReuseAllowInternalDependencies};

std::shared_ptr<Pool> make_pool(const cudaMemPoolProps& properties) {
  auto pool = std::make_shared<Pool>();
  pool->properties = properties;
  for (const cudaMemPoolAttr attribute : kReuse) pool->settings[attribute] = 1;
  pool->settings[cudaMemPoolAttrReleaseThreshold] = 0;
  return pool;
}

cudaMemPoolProps properties_of_default(int device) {
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location.type = cudaMemLocationTypeDevice;
  properties.location.id = device;
  return properties;
}

}  // namespace

Pools::OfDevice& Pools::of(int device) {
  OfDevice& pools = devices_[device];
  if (!pools.standard) {
    pools.standard = pools.current = make_pool(properties_of_default(device));
    pools_[handle_of(pools.standard)] = pools.standard;
  }
  return pools;
}

cudaMemPool_t Pools::create(const cudaMemPoolProps& properties) {
  require(properties.allocType == cudaMemAllocationTypePinned);
  if (properties.location.type != cudaMemLocationTypeDevice) refuse("memory pools of the host's memory");
  if (properties.handleTypes != cudaMemHandleTypeNone) refuse("memory pools for several processes");
  auto pool = make_pool(properties);
  const cudaMemPool_t handle = handle_of(pool);
  pools_[handle] = std::move(pool);
  return handle;
}

void Pools::destroy(cudaMemPool_t pool) {
  OfDevice& pools = of(find(pool).device());
  require(held(pool) != pools.standard);
  if (pools.current == held(pool)) pools.current = pools.standard;
  pools_.erase(pool);
}

Pool& Pools::find(cudaMemPool_t pool) const { return *held(pool); }

void Pools::set_current(int device, cudaMemPool_t pool) {
  require(find(pool).device() == device);
  of(device).current = held(pool);
}

std::uint64_t Pools::attribute(cudaMemPool_t handle, cudaMemPoolAttr attribute) const {
  const Pool& pool = find(handle);
  switch (attribute) {
    case cudaMemPoolAttrReservedMemCurrent:
    case cudaMemPoolAttrUsedMemCurrent:
      return pool.used;
    case cudaMemPoolAttrReservedMemHigh:
      return pool.reserved_high;
    case cudaMemPoolAttrUsedMemHigh:
      return pool.used_high;
    default:
      break;
  }
  const auto found = pool.settings.find(attribute);
  require(found != pool.settings.end());
  return found->second;
}

void Pools::set_attribute(cudaMemPool_t handle, cudaMemPoolAttr attribute, std::uint64_t value) {
  Pool& pool = find(handle);
  if (attribute == cudaMemPoolAttrReservedMemHigh || attribute == cudaMemPoolAttrUsedMemHigh) {
    require(value == 0);
    (attribute == cudaMemPoolAttrUsedMemHigh ? pool.used_high : pool.reserved_high) = pool.used;
    return;
  }
  const auto found = pool.settings.find(attribute);
  require(found != pool.settings.end());
  found->second = value;
}

void* Pools::allocate(cudaMemPool_t handle, std::size_t bytes) {
  const std::shared_ptr<Pool> pool = held(handle);
  const SelectedDevice selected(pool->device());
  void* const address = memory_.allocate(bytes);
  if (address == nullptr) return nullptr;
  allocations_[address] = {pool, bytes, pool->device()};
  pool->used += bytes;
  pool->used_high = std::max(pool->used_high, pool->used);
  pool->reserved_high = std::max(pool->reserved_high, pool->used);
  return address;
}

void Pools::expect_free(void* address) { require(waiting_frees_.insert(address).second); }

void Pools::free(void* address) {
  waiting_frees_.erase(address);
  memory_.free(address);
  const auto found = allocations_.find(address);
  if (found == allocations_.end()) return;
  if (const auto pool = found->second.pool.lock()) pool->used -= found->second.bytes;
  allocations_.erase(found);
}

void Pools::forget_allocations(int device) {
  std::erase_if(allocations_, [device](const auto& entry) { return entry.second.device == device; });
  for (const auto& [handle, pool] : pools_) {
    if (pool->device() == device) pool->used = 0;
  }
}

const std::shared_ptr<Pool>& Pools::held(cudaMemPool_t pool) const {
  const auto found = pools_.find(pool);
  require(found != pools_.end());
  return found->second;
}

}  // namespace lockstep::emulator::cudart
