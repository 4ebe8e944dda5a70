#include "device/staging.h"

#include <algorithm>
#include <cstring>

namespace lockstep::device {
namespace {

/// One piece is filled while others are on the bus: enough for the threads of a server to keep it busy.
constexpr std::size_t kPieces = 16;
constexpr std::size_t kPieceBytes = std::size_t{4} << 20;

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
    driver.check(driver.cuMemAllocHost(&piece.memory, kPieceBytes), "cuMemAllocHost");
    driver.check(driver.cuStreamCreate(&piece.stream, CU_STREAM_NON_BLOCKING), "cuStreamCreate");
  }
  unused_ = pieces_;
}

Staging::~Staging() {
  const CudaDriver& driver = CudaDriver::get();
  for (const Piece& piece : pieces_) {
    driver.cuStreamDestroy(piece.stream);
    driver.cuMemFreeHost(piece.memory);
  }
}

void Staging::copy(std::uint64_t to, std::span<const std::byte> bytes) {
  const CudaDriver& driver = CudaDriver::get();
  driver.check(driver.cuCtxSetCurrent(context_), "cuCtxSetCurrent");
  while (!bytes.empty()) {
    const std::span<const std::byte> part = bytes.first(std::min(bytes.size(), kPieceBytes));
    const Borrowed piece(*this);
    std::memcpy(piece->memory, part.data(), part.size());
    driver.check(driver.cuMemcpyHtoDAsync(to, piece->memory, part.size(), piece->stream),
                 "cuMemcpyHtoDAsync");
    driver.check(driver.cuStreamSynchronize(piece->stream), "cuStreamSynchronize");
    to += part.size();
    bytes = bytes.subspan(part.size());
  }
}

}  // namespace lockstep::device
