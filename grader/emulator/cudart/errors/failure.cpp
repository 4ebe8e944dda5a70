#include "emulator/cudart/errors/failure.h"

#include "emulator/cudart/library/runtime_names.h"

namespace lockstep::emulator::cudart {

namespace {

constexpr const char* kUnknown = "unrecognized error code";

}  // namespace

cudaError_t code_of(server::Status status) {
  using server::Status;
  switch (status) {
    case Status::ok:
      return cudaSuccess;
    case Status::out_of_memory:
      return cudaErrorMemoryAllocation;
    case Status::invalid_value:
      return cudaErrorInvalidValue;
    case Status::invalid_address:
      return cudaErrorInvalidValue;
    case Status::invalid_image:
      return cudaErrorInvalidKernelImage;
    case Status::no_ptx:
      return cudaErrorNoKernelImageForDevice;
    case Status::unknown_symbol:
      return cudaErrorInvalidSymbol;
    case Status::invalid_configuration:
      return cudaErrorInvalidConfiguration;
    case Status::out_of_resources:
      return cudaErrorLaunchOutOfResources;
    case Status::unsupported:
      return cudaErrorNotSupported;
    case Status::malformed:
      return cudaErrorUnknown;
    case Status::illegal_address:
      return cudaErrorIllegalAddress;
    case Status::misaligned_address:
      return cudaErrorMisalignedAddress;
    case Status::illegal_instruction:
      return cudaErrorIllegalInstruction;
    case Status::assertion:
      return cudaErrorAssert;
    case Status::launch_timeout:
      return cudaErrorLaunchTimeout;
    case Status::launch_failure:
      return cudaErrorLaunchFailure;
    case Status::unsupported_instruction:
      return cudaErrorNotSupported;
  }
  return cudaErrorUnknown;
}

Failure& last_failure() {
  thread_local Failure failure;
  return failure;
}

const char* name_of(cudaError_t error) {
  const library::ErrorText* text = library::error_text(error);
  return text == nullptr ? kUnknown : text->name;
}
const char* sentence_of(cudaError_t error) {
  const library::ErrorText* text = library::error_text(error);
  return text == nullptr ? kUnknown : text->sentence;
}

}  // namespace lockstep::emulator::cudart
