#include "runner/message.h"

namespace lockstep::runner {
namespace {

enum class RequestKind : std::uint32_t { load, call };

std::optional<LoadRequest> decode_load(PacketReader& reader) {
  LoadRequest request;
  const auto object = reader.text();
  const auto count = reader.number<std::uint32_t>();
  if (!object || !count) return std::nullopt;
  request.object = *object;
  for (std::uint32_t i = 0; i < *count; ++i) {
    auto name = reader.text();
    if (!name) return std::nullopt;
    request.linker_names.push_back(std::move(*name));
  }
  return request;
}

std::optional<CallRequest> decode_call(PacketReader& reader) {
  CallRequest request;
  const auto function = reader.number<std::uint32_t>();
  const auto result = reader.number<course::ValueKind>();
  const auto count = reader.number<std::uint32_t>();
  if (!function || !result || !count) return std::nullopt;
  request.function = *function;
  request.result = *result;
  for (std::uint32_t i = 0; i < *count; ++i) {
    const auto kind = reader.number<course::ValueKind>();
    const auto word = reader.number<std::uint64_t>();
    if (!kind || !word) return std::nullopt;
    request.kinds.push_back(*kind);
    request.words.push_back(*word);
  }
  return request;
}

}  // namespace

Packet encode(std::uint32_t sequence, const LoadRequest& request) {
  PacketWriter writer;
  writer.number(sequence);
  writer.number(RequestKind::load);
  writer.text(request.object);
  writer.number(static_cast<std::uint32_t>(request.linker_names.size()));
  for (const std::string& name : request.linker_names) writer.text(name);
  return writer.packet();
}

Packet encode(std::uint32_t sequence, const CallRequest& request) {
  PacketWriter writer;
  writer.number(sequence);
  writer.number(RequestKind::call);
  writer.number(request.function);
  writer.number(request.result);
  writer.number(static_cast<std::uint32_t>(request.kinds.size()));
  for (std::size_t i = 0; i < request.kinds.size(); ++i) {
    writer.number(request.kinds[i]);
    writer.number(request.words[i]);
  }
  return writer.packet();
}

Packet encode(std::uint32_t sequence, const Reply& reply) {
  PacketWriter writer;
  writer.number(sequence);
  writer.number(reply.kind);
  writer.number(reply.value);
  writer.text(std::string_view(reply.text).substr(0, kReplyTextBytes));
  return writer.packet();
}

std::optional<Request> decode_request(std::string_view packet) {
  PacketReader reader(packet);
  const auto sequence = reader.number<std::uint32_t>();
  const auto kind = reader.number<RequestKind>();
  if (!sequence || !kind) return std::nullopt;
  Request request{*sequence, std::nullopt, std::nullopt};
  if (*kind == RequestKind::load) request.load = decode_load(reader);
  if (*kind == RequestKind::call) request.call = decode_call(reader);
  if ((!request.load && !request.call) || !reader.at_end()) return std::nullopt;
  return request;
}

std::optional<Reply> decode_reply(std::string_view packet, std::uint32_t sequence) {
  PacketReader reader(packet);
  const auto answered = reader.number<std::uint32_t>();
  const auto kind = reader.number<std::uint32_t>();
  const auto value = reader.number<std::uint64_t>();
  auto text = reader.text();
  if (!answered || !kind || !value || !text || !reader.at_end()) return std::nullopt;
  if (*answered != sequence || *kind > static_cast<std::uint32_t>(Reply::Kind::threw)) return std::nullopt;
  if (text->size() > kReplyTextBytes) return std::nullopt;
  return Reply{static_cast<Reply::Kind>(*kind), *value, std::move(*text)};
}

}  // namespace lockstep::runner
