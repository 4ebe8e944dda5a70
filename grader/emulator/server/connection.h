// The server's end of a connection: takes requests apart without ever waiting for the sender.
//
// A sender may stop half-way through a message or never read its replies; then only its own connection stands
// still. Memory grows with the bytes that have arrived, not with the size a header claims.
#pragma once

#include <poll.h>

#include <cstddef>

#include "emulator/server/message.h"
#include "emulator/server/protocol.h"
#include "emulator/server/session.h"

namespace lockstep::emulator::server {

class Connection {
 public:
  /// Takes the descriptor over and makes it non-blocking.
  Connection(int descriptor, Session& session);
  ~Connection();
  Connection(const Connection&) = delete;
  Connection& operator=(const Connection&) = delete;

  bool open() const { return descriptor_ >= 0; }
  /// What poll is to wait for; a closed connection waits for nothing.
  pollfd interest() const;
  /// Receives and sends what it can, and answers at most one request.
  void serve();

 private:
  void receive();
  void answer();
  void send();
  void close();

  int descriptor_;
  Session& session_;
  RequestHeader request_;
  Bytes received_;  ///< header first, then payload in its place
  bool header_complete_ = false;
  Bytes reply_;
  std::size_t sent_ = 0;
};

}  // namespace lockstep::emulator::server
