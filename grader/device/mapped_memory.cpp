#include "device/mapped_memory.h"

#include <algorithm>
#include <string>
#include <utility>

#include "device/device.h"

namespace lockstep::device {
namespace {

CUmemAllocationProp shareable_memory(CUdevice gpu) {
  CUmemAllocationProp properties{};
  properties.type = CU_MEM_ALLOCATION_TYPE_PINNED;
  properties.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
  properties.location = {CU_MEM_LOCATION_TYPE_DEVICE, gpu};
  return properties;
}

std::size_t granularity(CUdevice gpu) {
  const CudaDriver& driver = CudaDriver::get();
  const CUmemAllocationProp properties = shareable_memory(gpu);
  std::size_t bytes = 0;
  driver.check(driver.cuMemGetAllocationGranularity(&bytes, &properties, CU_MEM_ALLOC_GRANULARITY_MINIMUM),
               "cuMemGetAllocationGranularity");
  return bytes;
}

}  // namespace

MappedMemory::MappedMemory(CUdevice gpu, std::size_t bytes, CUmemGenericAllocationHandle handle)
    : handle_(handle), bytes_(bytes) {
  const CudaDriver& driver = CudaDriver::get();
  try {
    const std::size_t reserved = bytes + granularity(gpu);
    driver.check(driver.cuMemAddressReserve(&address_, reserved, 0, 0, 0), "cuMemAddressReserve");
    reserved_bytes_ = reserved;
    driver.check(driver.cuMemMap(address_, bytes_, 0, handle_, 0), "cuMemMap");
    CUmemAccessDesc access{};
    access.location = {CU_MEM_LOCATION_TYPE_DEVICE, gpu};
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    const CUresult result = driver.cuMemSetAccess(address_, bytes_, &access, 1);
    if (result != CUDA_SUCCESS) driver.cuMemUnmap(address_, bytes_);
    driver.check(result, "cuMemSetAccess");
  } catch (...) {
    if (reserved_bytes_ != 0) driver.cuMemAddressFree(address_, reserved_bytes_);
    driver.cuMemRelease(handle_);
    throw;
  }
}

MappedMemory MappedMemory::create(CUdevice gpu, std::size_t bytes) {
  const CudaDriver& driver = CudaDriver::get();
  const std::size_t unit = granularity(gpu);
  const std::size_t whole = (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
  const CUmemAllocationProp properties = shareable_memory(gpu);
  CUmemGenericAllocationHandle handle = 0;
  const CUresult result = driver.cuMemCreate(&handle, whole, &properties, 0);
  if (result == CUDA_ERROR_OUT_OF_MEMORY)
    throw OutOfMemory("the GPU has no " + std::to_string(whole) + " bytes left");
  driver.check(result, "cuMemCreate");
  return {gpu, whole, handle};
}

MappedMemory MappedMemory::import(CUdevice gpu, std::size_t bytes, int descriptor) {
  const CudaDriver& driver = CudaDriver::get();
  CUmemGenericAllocationHandle handle = 0;
  driver.check(driver.cuMemImportFromShareableHandle(
                   &handle, reinterpret_cast<void*>(static_cast<std::intptr_t>(descriptor)),
                   CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR),
               "cuMemImportFromShareableHandle");
  return {gpu, bytes, handle};
}

MappedMemory::MappedMemory(MappedMemory&& other) noexcept
    : handle_(std::exchange(other.handle_, 0)),
      bytes_(other.bytes_),
      reserved_bytes_(std::exchange(other.reserved_bytes_, 0)),
      address_(other.address_) {}

MappedMemory::~MappedMemory() {
  if (reserved_bytes_ == 0) return;
  const CudaDriver& driver = CudaDriver::get();
  driver.cuMemUnmap(address_, bytes_);
  driver.cuMemAddressFree(address_, reserved_bytes_);
  driver.cuMemRelease(handle_);
}

int MappedMemory::share() const {
  const CudaDriver& driver = CudaDriver::get();
  int descriptor = -1;
  driver.check(
      driver.cuMemExportToShareableHandle(&descriptor, handle_, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0),
      "cuMemExportToShareableHandle");
  return descriptor;
}

}  // namespace lockstep::device
