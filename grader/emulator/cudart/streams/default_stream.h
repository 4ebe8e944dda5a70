// Which default stream a null handle means: the legacy one, or the calling thread's own in functions whose
// name ends in _ptsz or _ptds (nvcc --default-stream per-thread).
#pragma once

#include <cuda_runtime_api.h>

namespace lockstep::emulator::cudart {

/// Takes note of how the API function was called. At the beginning of every call, which it holds for.
void begin_call();

/// cudaStreamLegacy or cudaStreamPerThread.
cudaStream_t default_stream();

}  // namespace lockstep::emulator::cudart
