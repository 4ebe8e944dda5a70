#include "emulator/server/connection.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace lockstep::emulator::server {

namespace {

/// Longest payload that a request of this kind can have.
std::uint64_t longest_payload(RequestKind kind) {
  if (kind == RequestKind::load_image) return kMaxRequest;
  constexpr std::uint64_t kStructs = 4096;
  return kStructs + std::max(kPieceBytes, kMaxName);
}

bool would_block() { return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR; }

}  // namespace

Connection::Connection(int descriptor, Session& session) : descriptor_(descriptor), session_(session) {
  ::fcntl(descriptor_, F_SETFL, ::fcntl(descriptor_, F_GETFL) | O_NONBLOCK);
}

Connection::~Connection() { close(); }

pollfd Connection::interest() const {
  // While a reply is under way nothing else is taken, so that an unread reply bounds what a sender can pile
  // up.
  return {descriptor_, static_cast<short>(reply_.empty() ? POLLIN : POLLOUT), 0};
}

void Connection::serve() {
  if (open() && reply_.empty()) receive();
  if (open() && !reply_.empty()) send();
}

void Connection::receive() {
  constexpr std::size_t kStep = std::size_t{256} << 10;
  while (true) {
    const std::size_t wanted = header_complete_ ? request_.bytes : sizeof(RequestHeader);
    if (received_.size() == wanted) {
      if (header_complete_) return answer();
      std::memcpy(&request_, received_.data(), sizeof(request_));
      received_.clear();
      header_complete_ = true;
      if (request_.magic != kMagic || request_.bytes > longest_payload(request_.kind)) return close();
      continue;
    }
    const std::size_t have = received_.size();
    received_.resize(have + std::min(wanted - have, kStep));
    const ssize_t n = ::recv(descriptor_, received_.data() + have, received_.size() - have, 0);
    received_.resize(have + static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    if (n > 0) continue;
    if (n < 0 && would_block()) return;
    return close();
  }
}

void Connection::answer() {
  const Answer answer = session_.answer(request_.kind, received_);
  const ReplyHeader header{kMagic, answer.status, request_.sequence, answer.payload.size()};
  append(reply_, bytes_of(header));
  append(reply_, answer.payload);
  received_.clear();
  if (received_.capacity() > 4 * kPieceBytes) received_.shrink_to_fit();
  header_complete_ = false;
}

void Connection::send() {
  while (sent_ < reply_.size()) {
    const ssize_t n = ::send(descriptor_, reply_.data() + sent_, reply_.size() - sent_, MSG_NOSIGNAL);
    if (n < 0 && would_block()) return;
    if (n <= 0) return close();
    sent_ += static_cast<std::size_t>(n);
  }
  reply_.clear();
  sent_ = 0;
}

void Connection::close() {
  if (!open()) return;
  ::close(descriptor_);
  descriptor_ = -1;
  session_.end();
}

}  // namespace lockstep::emulator::server
