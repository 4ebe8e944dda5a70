// The caller's end of a connection to the device process: one request, one reply.
//
// Used by the replacement CUDA runtime, which waits as long as a kernel runs, and by DeviceProcess, which
// gives up after a while. Not for several threads at once.
#pragma once

#include <chrono>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <stdexcept>

#include "emulator/server/message.h"
#include "emulator/server/protocol.h"

namespace lockstep::emulator::server {

/// The other end has gone, or speaks nonsense. The channel is of no use afterwards.
class ConnectionLost : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

struct Reply {
  Status status{};
  Bytes payload;
};

class Channel {
 public:
  using Deadline = std::optional<std::chrono::steady_clock::time_point>;

  /// Takes the descriptor over and closes it at the end.
  explicit Channel(int descriptor);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  /// Sends a request whose payload is `parts` one after the other and waits for its reply. Throws
  /// ConnectionLost, also when `deadline` passes.
  Reply call(RequestKind kind, std::initializer_list<std::span<const std::byte>> parts,
             Deadline deadline = {});

  /// As call, but nothing when no part of a reply has come by `deadline`; the channel stays usable, and the
  /// reply is passed over when it comes.
  std::optional<Reply> try_call(RequestKind kind, std::initializer_list<std::span<const std::byte>> parts,
                                Deadline deadline);

 private:
  void send(std::span<const std::byte> bytes, const Deadline& deadline);
  void receive(std::span<std::byte> bytes, const Deadline& deadline);
  /// False when `deadline` passes first.
  bool wait_for(short events, const Deadline& deadline);

  int descriptor_;
  std::uint64_t sequence_ = 0;  ///< of the latest request
  std::uint64_t answered_ = 0;  ///< of the latest reply; each answers a later request than the one before
};

}  // namespace lockstep::emulator::server
