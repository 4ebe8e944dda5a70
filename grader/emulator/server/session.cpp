#include "emulator/server/session.h"

#include <algorithm>
#include <exception>
#include <new>

namespace lockstep::emulator {

namespace {

Status status_of(DeviceError::Code code) {
  switch (code) {
    case DeviceError::Code::out_of_memory:
      return Status::out_of_memory;
    case DeviceError::Code::invalid_value:
      return Status::invalid_value;
    case DeviceError::Code::invalid_address:
      return Status::invalid_address;
    case DeviceError::Code::invalid_image:
      return Status::invalid_image;
    case DeviceError::Code::no_ptx:
      return Status::no_ptx;
    case DeviceError::Code::unknown_symbol:
      return Status::unknown_symbol;
    case DeviceError::Code::invalid_configuration:
      return Status::invalid_configuration;
    case DeviceError::Code::out_of_resources:
      return Status::out_of_resources;
    case DeviceError::Code::unsupported:
      return Status::unsupported;
  }
  return Status::invalid_value;
}

/// Names and sentences carry what the program chose; real ones are shorter.
constexpr std::size_t kLongestSentence = 4096;

Answer refusal(Status status, std::string_view sentence) {
  Answer answer{status, {}};
  append(answer.payload, bytes_of(sentence.substr(0, kLongestSentence)));
  return answer;
}

}  // namespace

void ServedDevice::add_finding(Finding::Kind kind, const std::string& whole_kernel,
                               const std::string& whole_message) {
  const std::string kernel = whole_kernel.substr(0, kLongestSentence);
  const std::string message = whole_message.substr(0, kLongestSentence);
  constexpr std::ptrdiff_t kMostFindings = 1000;  // a program may be refused without end
  for (Finding& finding : findings) {
    if (finding.kind == kind && finding.kernel == kernel && finding.message == message) {
      ++finding.count;
      return;
    }
  }
  // Of each kind so many: refused calls leave room for refused launches.
  if (std::ranges::count(findings, kind, &Finding::kind) == kMostFindings) return;
  Finding finding;
  finding.kind = kind;
  finding.kernel = kernel;
  finding.message = message;
  findings.push_back(std::move(finding));
}

Answer Session::answer(RequestKind kind, std::span<const std::byte> payload) {
  try {
    MessageReader request(payload);
    Bytes reply = perform(kind, request);
    request.finish();
    return {Status::ok, std::move(reply)};
  } catch (const DeviceError& error) {
    return refusal(status_of(error.code()), error.what());
  } catch (const MalformedMessage& error) {
    return refusal(Status::malformed, error.what());
  } catch (const std::bad_alloc&) {
    return refusal(Status::out_of_memory, "the machine has no memory left for the emulated device");
  } catch (const std::exception& error) {
    // Such as no thread to be had: one request fails, and not the device with all that its owner holds.
    return refusal(Status::out_of_resources, error.what());
  }
}

void Session::check_whole(DeviceAddress address, std::uint64_t whole_bytes) const {
  const auto range = served_.device.allocation(address);
  if (range && whole_bytes > range->bytes - (address - range->address)) {
    const std::uint64_t past = whole_bytes - (range->bytes - (address - range->address));
    throw DeviceError(DeviceError::Code::invalid_address, std::to_string(whole_bytes) +
                                                              " bytes, which reach " + std::to_string(past) +
                                                              " bytes past the end of an allocation (" +
                                                              std::to_string(range->bytes) + " bytes)");
  }
}

Bytes Session::perform_common(RequestKind kind, MessageReader& request) {
  Device& device = served_.device;
  switch (kind) {
    case RequestKind::hello:
      return hello();
    case RequestKind::synchronise:
      return {};
    case RequestKind::write: {
      const auto write = request.take<WriteRequest>();
      const auto data = request.take_rest();
      check_whole(write.address, write.whole_bytes);
      const std::uint64_t news = news_in(write.address, data);
      device.write(write.address, data);
      after_write(write.address, data.size(), news);
      return {};
    }
    case RequestKind::read: {
      const auto range = request.take<RangeRequest>();
      if (range.bytes > kPieceBytes) throw MalformedMessage("a read is longer than one piece");
      check_whole(range.address, range.whole_bytes);
      Bytes data(range.bytes);
      device.read(range.address, data);
      after_read(range.address, data);
      return data;
    }
    case RequestKind::fill: {
      const auto fill = request.take<FillRequest>();
      device.fill(fill.address, static_cast<std::byte>(fill.value), fill.bytes);
      after_fill(fill);
      return {};
    }
    default:
      throw MalformedMessage("a kind of request that this side does not have");
  }
}

Bytes Session::hello() const {
  const DeviceProperties& properties = served_.device.properties();
  HelloReply reply;
  reply.compute_major = properties.compute_major;
  reply.compute_minor = properties.compute_minor;
  reply.multiprocessors = properties.multiprocessors;
  reply.threads_per_block = properties.threads_per_block;
  reply.threads_per_multiprocessor = properties.threads_per_multiprocessor;
  reply.warp_lanes = properties.warp_lanes;
  reply.shared_bytes_per_block = properties.shared_bytes_per_block;
  reply.shared_bytes_per_block_optin = properties.shared_bytes_per_block_optin;
  reply.shared_bytes_per_multiprocessor = properties.shared_bytes_per_multiprocessor;
  reply.global_bytes = served_.global_bytes;
  reply.constant_bytes = properties.constant_bytes;
  reply.l2_bytes = properties.l2_bytes;
  reply.registers_per_block = properties.registers_per_block;
  reply.devices = static_cast<std::uint64_t>(served_.device_count);
  Bytes payload;
  append(payload, bytes_of(reply));
  append(payload, bytes_of(properties.name));
  return payload;
}

}  // namespace lockstep::emulator
