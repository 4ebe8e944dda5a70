#include "emulator/cudart/failure.h"

#include <algorithm>
#include <iterator>

namespace lockstep::cudart {

namespace {

struct ErrorText {
  int code;
  const char* name;
  const char* sentence;
};

// Read out of the toolkit's own runtime while building; ascending codes.
constexpr ErrorText kErrorTexts[] = {
#include "error_table.inc"
};

constexpr ErrorText kUnknown = {0, "unrecognized error code", "unrecognized error code"};

const ErrorText& text_of(cudaError_t error) {
  const auto* found = std::ranges::lower_bound(kErrorTexts, static_cast<int>(error), {}, &ErrorText::code);
  return found != std::end(kErrorTexts) && found->code == static_cast<int>(error) ? *found : kUnknown;
}

}  // namespace

cudaError_t code_of(emulator::Status status) {
  using emulator::Status;
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

const char* name_of(cudaError_t error) { return text_of(error).name; }
const char* sentence_of(cudaError_t error) { return text_of(error).sentence; }

}  // namespace lockstep::cudart
