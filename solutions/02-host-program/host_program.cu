// The arrays go through in parts, which two streams take in turns. Lecture: 02-first-kernels.
// Bound: the link between host and device, which carries copies both ways at once.
#include "host_program.h"

#include "lockstep/divide_up.h"

constexpr int kThreads = 256;
constexpr int kPart = 1 << 16;  // elements: long enough for a copy to be at full rate
constexpr int kStreams = 2;

/// A stream and the device memory of the part that it is at; released on every way out, behind a wait.
class Lane {
 public:
  Lane() = default;
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;
  ~Lane() {
    cudaFree(in_);
    cudaFree(out_);
    if (stream_ != nullptr) cudaStreamDestroy(stream_);
  }

  cudaError_t make(int elements) {
    cudaError_t error = cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaMalloc(&in_, elements * sizeof *in_);
    if (error == cudaSuccess) error = cudaMalloc(&out_, elements * sizeof *out_);
    return error;
  }

  /// Enqueues all that one part needs, behind what the stream holds already.
  cudaError_t enqueue(const std::uint32_t* in, std::uint32_t* out, int elements) {
    const std::size_t bytes = elements * sizeof *in;
    cudaError_t error = cudaMemcpyAsync(in_, in, bytes, cudaMemcpyHostToDevice, stream_);
    if (error != cudaSuccess) return error;
    mix_kernel<<<lockstep::divide_up(elements, kThreads), kThreads, 0, stream_>>>(in_, out_, elements);
    error = cudaGetLastError();
    if (error != cudaSuccess) return error;
    return cudaMemcpyAsync(out, out_, bytes, cudaMemcpyDeviceToHost, stream_);
  }

  cudaError_t wait() { return stream_ == nullptr ? cudaSuccess : cudaStreamSynchronize(stream_); }

 private:
  cudaStream_t stream_ = nullptr;
  std::uint32_t* in_ = nullptr;
  std::uint32_t* out_ = nullptr;
};

cudaError_t host_program(const std::uint32_t* in, std::uint32_t* out, int n) {
  if (n == 0) return cudaSuccess;
  Lane lanes[kStreams];
  cudaError_t error = cudaSuccess;
  for (Lane& lane : lanes)
    if (error == cudaSuccess) error = lane.make(min(n, kPart));
  for (int first = 0; first < n && error == cudaSuccess; first += kPart)
    error = lanes[first / kPart % kStreams].enqueue(in + first, out + first, min(kPart, n - first));
  // Also after an error: what is in flight uses the memory.
  for (Lane& lane : lanes) {
    const cudaError_t waited = lane.wait();
    if (error == cudaSuccess) error = waited;
  }
  return error;
}
