#include "device/staging.h"

#include <algorithm>
#include <span>

namespace lockstep::device {
namespace {

constexpr std::size_t kPieces = 16;  // as many as a server has threads that keep the bus busy
constexpr std::size_t kHalfBytes = course::kDrawnTogether;

}  // namespace

class Staging::Borrowed {
 public:
  explicit Borrowed(Staging& staging) : staging_(staging) {
    std::unique_lock lock(staging_.mutex_);
    staging_.returned_.wait(lock, [this] { return !staging_.unused_.empty(); });
    piece_ = staging_.unused_.back();
    staging_.unused_.pop_back();
  }
  ~Borrowed() {
    {
      const std::lock_guard lock(staging_.mutex_);
      staging_.unused_.push_back(piece_);
    }
    staging_.returned_.notify_one();
  }
  Borrowed(const Borrowed&) = delete;
  Borrowed& operator=(const Borrowed&) = delete;

  const Piece* operator->() const { return &piece_; }

 private:
  Staging& staging_;
  Piece piece_;
};

Staging::Staging() {
  const CudaDriver& driver = CudaDriver::get();
  driver.check(driver.cuCtxGetCurrent(&context_), "cuCtxGetCurrent");
  while (pieces_.size() < kPieces) {
    Piece& piece = pieces_.emplace_back();
    void* memory = nullptr;
    driver.check(driver.cuMemAllocHost(&memory, 2 * kHalfBytes), "cuMemAllocHost");
    piece.memory = static_cast<std::byte*>(memory);
    driver.check(driver.cuStreamCreate(&piece.stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
    for (CUevent& sent : piece.sent) {
      // Whoever waits leaves its processor to the threads that make inputs.
      driver.check(driver.cuEventCreate(&sent, CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING),
                   "cuEventCreate");
    }
  }
  unused_ = pieces_;
}

Staging::~Staging() {
  const CudaDriver& driver = CudaDriver::get();
  for (const Piece& piece : pieces_) {
    for (const CUevent sent : piece.sent) driver.cuEventDestroy(sent);
    driver.cuStreamDestroy(piece.stream);
    driver.cuMemFreeHost(piece.memory);
  }
}

void Staging::bring(std::uint64_t to, std::size_t bytes, const course::Draw& draw) {
  const CudaDriver& driver = CudaDriver::get();
  driver.check(driver.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
  const Borrowed piece(*this);
  for (std::size_t half = 0; bytes != 0; half ^= 1) {
    const std::span part(piece->memory + half * kHalfBytes, std::min(bytes, kHalfBytes));
    driver.check(driver.cuEventSynchronize(piece->sent[half]), "cuEventSynchronize");
    draw(part);
    driver.check(driver.cuMemcpyHtoDAsync(to, part.data(), part.size(), piece->stream), "cuMemcpyHtoDAsync");
    driver.check(driver.cuEventRecord(piece->sent[half], piece->stream), "cuEventRecord");
    to += part.size();
    bytes -= part.size();
  }
  for (const CUevent sent : piece->sent) driver.check(driver.cuEventSynchronize(sent), "cuEventSynchronize");
}

}  // namespace lockstep::device
