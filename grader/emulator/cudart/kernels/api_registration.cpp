// Entry points of nvcc's generated code: registration of fat binaries, and launches by <<<…>>>.
#include "emulator/cudart/runtime.h"

using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::FatBinary;
using lockstep::emulator::cudart::pushed_configurations;
using lockstep::emulator::cudart::Runtime;

namespace {

FatBinary* binary_of(void** handle) { return reinterpret_cast<FatBinary*>(handle); }

}  // namespace

void** __cudaRegisterFatBinary(void* wrapper) {
  FatBinary* binary = nullptr;
  call([&](Runtime& r) { binary = r.modules.add_fat_binary(wrapper); });
  return reinterpret_cast<void**>(binary);
}

void __cudaRegisterFatBinaryEnd(void**) {}

void __cudaUnregisterFatBinary(void** handle) {
  call([&](Runtime& r) {
    r.queues.run_all();  // its kernels may wait there
    r.modules.remove_fat_binary(binary_of(handle));
  });
}

/// Called before the program's first use of a managed variable. Without a device the variables stay null.
char __cudaInitModule(void** handle) {
  call([&](Runtime& r) { r.modules.place_managed_variables(binary_of(handle), r.unified.managed); });
  return 1;
}

void __cudaRegisterFunction(void** handle, const char* host_function, char*, const char* device_name, int,
                            uint3*, uint3*, dim3*, dim3*, int*) {
  call([&](Runtime& r) { r.modules.add_kernel(binary_of(handle), host_function, device_name); });
}

void __cudaRegisterVar(void** handle, char* host_variable, char*, const char* device_name, int, size_t, int,
                       int) {
  call([&](Runtime& r) { r.modules.add_variable(binary_of(handle), host_variable, device_name); });
}

void __cudaRegisterManagedVar(void** handle, void** host_variable, char*, const char* device_name, int,
                              size_t, int, int) {
  call([&](Runtime& r) { r.modules.add_managed_variable(binary_of(handle), host_variable, device_name); });
}

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared_bytes, cudaStream_t stream) {
  pushed_configurations().push_back({grid, block, shared_bytes, stream});
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared_bytes, void* stream) {
  return call([&](Runtime&) {
    auto& pushed = pushed_configurations();
    if (pushed.empty()) throw Failure{cudaErrorMissingConfiguration};
    *grid = pushed.back().grid;
    *block = pushed.back().block;
    *shared_bytes = pushed.back().shared_bytes;
    *static_cast<cudaStream_t*>(stream) = pushed.back().stream;
    pushed.pop_back();
  });
}

cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  return call([&](Runtime& r) { *kernel = reinterpret_cast<cudaKernel_t>(&r.modules.find(host_function)); });
}

cudaError_t cudaGetKernel(cudaKernel_t* kernel, const void* host_function) {
  return __cudaGetKernel(kernel, host_function);
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t* function, const void* host_function) {
  return call(
      [&](Runtime& r) { *function = reinterpret_cast<cudaFunction_t>(&r.modules.find(host_function)); });
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void** arguments,
                               size_t shared_bytes, cudaStream_t stream) {
  return cudaLaunchKernel(kernel, grid, block, arguments, shared_bytes, stream);
}
