#include "runner/judge_buffers.h"

namespace lockstep::runner {

void JudgeBuffers::make_context() {
  if (has_context_) return;
  const device::CudaDriver& driver = device::CudaDriver::get();
  CUcontext context = nullptr;
  driver.check(driver.cuDeviceGet(&gpu_, 0), "cuDeviceGet");
  driver.check(driver.cuDevicePrimaryCtxRetain(&context, gpu_), "cuDevicePrimaryCtxRetain");
  driver.check(driver.cuCtxSetCurrent(context), "cuCtxSetCurrent");
  has_context_ = true;
}

void JudgeBuffers::update(const MapRequest& request, int descriptor) {
  if (request.mapped_bytes == 0) {
    buffers_.erase(request.address);
    return;
  }
  make_context();
  any_mapped_ = true;
  buffers_.emplace(
      request.address,
      Buffer{device::MappedMemory::import(gpu_, request.mapped_bytes, descriptor), request.offset});
}

const HostArray& JudgeBuffers::add_host_array(const MapRequest& request, int descriptor) {
  return host_arrays_.emplace(request.address, HostArray(descriptor, request.mapped_bytes, request.offset))
      .first->second;
}

const HostArray* JudgeBuffers::host_array(std::uint64_t address) const {
  const auto array = host_arrays_.find(address);
  return array == host_arrays_.end() ? nullptr : &array->second;
}

std::uint64_t JudgeBuffers::translated(std::uint64_t word) const {
  if (const HostArray* array = host_array(word)) return array->address();
  const auto buffer = buffers_.find(word);
  return buffer == buffers_.end() ? word : buffer->second.memory.address() + buffer->second.offset;
}

}  // namespace lockstep::runner
