#include "emulator/cudart/errors/refusal.h"

#include <exception>
#include <mutex>
#include <string_view>

#include "emulator/cudart/runtime.h"
#include "emulator/server/message.h"

namespace lockstep::emulator::cudart {

namespace {

bool is_mistake(cudaError_t error) {
  switch (error) {
    case cudaErrorInvalidValue:
    case cudaErrorMemoryAllocation:
    case cudaErrorInvalidPitchValue:
    case cudaErrorInvalidSymbol:
    case cudaErrorInvalidDevicePointer:
    case cudaErrorInvalidMemcpyDirection:
    case cudaErrorInvalidResourceHandle:
    case cudaErrorInvalidDeviceFunction:
    case cudaErrorNotPermitted:
    case cudaErrorStreamCaptureUnsupported:
    case cudaErrorStreamCaptureInvalidated:
    case cudaErrorStreamCaptureUnjoined:
    case cudaErrorStreamCaptureImplicit:
      return true;
    default:
      return false;
  }
}

}  // namespace

void note_refusal(std::string_view name, const Failure& failure) noexcept {
  if (failure.of_kernel || !is_mistake(failure.code)) return;
  try {
    if (name.starts_with("cudaLaunch")) return;  // a finding of the launch
    const server::NoteRefusalRequest note{failure.code, failure.reason, failure.range};
    Runtime& program = runtime();
    const std::lock_guard lock(program.mutex);
    program.device.request(server::RequestKind::note_refusal,
                           {server::bytes_of(note), server::bytes_of(name)});
  } catch (const Failure&) {
    // The device is gone, or a kernel has failed: that is what the program hears of.
  } catch (const std::exception&) {
  }
}

}  // namespace lockstep::emulator::cudart
