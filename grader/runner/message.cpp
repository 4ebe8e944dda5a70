#include "runner/message.h"

#include <utility>

namespace lockstep::runner {
namespace {

enum class RequestKind : std::uint32_t { load, call, map, settle, context };

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
  const auto calls = reader.number<std::uint32_t>();
  const auto timed = reader.flag(), by_events = reader.flag(), whole_device = reader.flag();
  const auto host_program = reader.flag(), streams_alternate = reader.flag();
  const auto failing_call = reader.number<std::uint32_t>();
  const auto kinds = reader.number<std::uint32_t>();
  if (!function || !result || !calls || !timed || !by_events || !whole_device || !host_program ||
      !streams_alternate || !failing_call || !kinds)
    return std::nullopt;
  request.function = *function;
  request.result = *result;
  request.calls = *calls;
  request.timed = *timed;
  request.by_events = *by_events;
  request.whole_device = *whole_device;
  request.host_program = *host_program;
  request.mode = {*failing_call, *streams_alternate};
  for (std::uint32_t i = 0; i < *kinds; ++i) {
    const auto kind = reader.number<course::ValueKind>();
    if (!kind) return std::nullopt;
    request.kinds.push_back(*kind);
  }
  const auto words = reader.number<std::uint32_t>();
  if (!words) return std::nullopt;
  for (std::uint32_t i = 0; i < *words; ++i) {
    const auto word = reader.number<std::uint64_t>();
    if (!word) return std::nullopt;
    request.words.push_back(*word);
  }
  return request;
}

std::optional<MapRequest> decode_map(PacketReader& reader) {
  const auto on_host = reader.flag();
  const auto address = reader.number<std::uint64_t>();
  const auto bytes = reader.number<std::uint64_t>();
  const auto offset = reader.number<std::uint64_t>();
  if (!on_host || !address || !bytes || !offset) return std::nullopt;
  return MapRequest{*on_host, *address, *bytes, *offset};
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
  writer.number(request.calls);
  writer.number(request.timed);
  writer.number(request.by_events);
  writer.number(request.whole_device);
  writer.number(request.host_program);
  writer.number(request.mode.streams_alternate);
  writer.number(request.mode.failing_call);
  writer.number(static_cast<std::uint32_t>(request.kinds.size()));
  for (const course::ValueKind kind : request.kinds) writer.number(kind);
  writer.number(static_cast<std::uint32_t>(request.words.size()));
  for (const std::uint64_t word : request.words) writer.number(word);
  return writer.packet();
}

Packet encode(std::uint32_t sequence, const MapRequest& request) {
  PacketWriter writer;
  writer.number(sequence);
  writer.number(RequestKind::map);
  writer.number(request.on_host);
  writer.number(request.address);
  writer.number(request.mapped_bytes);
  writer.number(request.offset);
  return writer.packet();
}

Packet encode(std::uint32_t sequence, const SettleRequest&) {
  PacketWriter writer;
  writer.number(sequence);
  writer.number(RequestKind::settle);
  return writer.packet();
}

Packet encode(std::uint32_t sequence, const ContextRequest&) {
  PacketWriter writer;
  writer.number(sequence);
  writer.number(RequestKind::context);
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
  Request request{.sequence = *sequence};
  if (*kind == RequestKind::load) request.load = decode_load(reader);
  if (*kind == RequestKind::call) request.call = decode_call(reader);
  if (*kind == RequestKind::map) request.map = decode_map(reader);
  if (*kind == RequestKind::settle) request.settle.emplace();
  if (*kind == RequestKind::context) request.context.emplace();
  const bool is_any = request.load || request.call || request.map || request.settle || request.context;
  if (!is_any || !reader.at_end()) return std::nullopt;
  return request;
}

std::optional<Reply> decode_reply(std::string_view packet, std::uint32_t sequence) {
  PacketReader reader(packet);
  const auto answered = reader.number<std::uint32_t>();
  const auto kind = reader.number<std::uint32_t>();
  const auto value = reader.number<std::uint64_t>();
  auto text = reader.text();
  if (!answered || !kind || !value || !text || !reader.at_end()) return std::nullopt;
  if (*answered != sequence || *kind > static_cast<std::uint32_t>(Reply::Kind::device_error))
    return std::nullopt;
  if (text->size() > kReplyTextBytes) return std::nullopt;
  return Reply{static_cast<Reply::Kind>(*kind), *value, std::move(*text)};
}

}  // namespace lockstep::runner
