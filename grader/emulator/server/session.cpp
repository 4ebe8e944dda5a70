#include "emulator/server/session.h"

#include <ctime>

#include <algorithm>
#include <chrono>
#include <exception>
#include <new>

#include "emulator/core/deadline.h"

namespace lockstep::emulator::server {

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

/// A finding of which no more is known than what an exception says.
Finding quoted(Finding::Cause cause, const char* text) {
  Finding finding = Finding::make(cause);
  finding.detail = text;
  return finding;
}

/// Names and sentences carry what the program chose; real ones are shorter.
constexpr std::size_t kLongestSentence = 4096;

}  // namespace

bool is_copy_or_fill(RequestKind kind) {
  switch (kind) {
    case RequestKind::write:
    case RequestKind::read:
    case RequestKind::fill:
    case RequestKind::copy:
    case RequestKind::write_box:
    case RequestKind::read_box:
    case RequestKind::fill_box:
      return true;
    default:
      return false;
  }
}

void ServedDevice::add_finding(Finding finding) {
  for (std::string* text :
       {&finding.kernel, &finding.name, &finding.detail, &finding.object.name, &finding.line.file}) {
    if (text->size() > kLongestSentence) text->resize(kLongestSentence);
  }
  constexpr std::ptrdiff_t kMaxFindings = 1000;  // a program may be refused without end
  for (Finding& known : findings) {
    finding.count = known.count;
    if (finding == known) {
      ++known.count;
      return;
    }
  }
  // Of each kind so many: refused calls leave room for refused launches.
  if (std::ranges::count(findings, finding.kind, &Finding::kind) == kMaxFindings) return;
  finding.count = 1;
  findings.push_back(std::move(finding));
}

Finding refused_finding(const DeviceError& error, Finding::Cause otherwise) {
  if (const auto* refused = dynamic_cast<const RefusedRequest*>(&error)) return refused->why();
  return quoted(otherwise, error.what());
}

Answer Session::refuse(Status status, Finding why, const char* sentence) {
  refused_ = std::move(why);
  Answer answer{status, {}};
  append(answer.payload, bytes_of(std::string_view(sentence).substr(0, kLongestSentence)));
  return answer;
}

Answer Session::answer(RequestKind kind, std::span<const std::byte> payload) {
  constexpr Finding::Cause kOtherwise = Finding::Cause::refused_otherwise;
  refused_.reset();
  const std::chrono::nanoseconds before = processor_time(CLOCK_PROCESS_CPUTIME_ID);
  try {
    MessageReader request(payload);
    Bytes reply = perform(kind, request);
    request.finish();
    if (kind == RequestKind::launch || is_copy_or_fill(kind))
      served_.work_time += processor_time(CLOCK_PROCESS_CPUTIME_ID) - before;
    return {Status::ok, std::move(reply)};
  } catch (const DeviceError& error) {
    return refuse(status_of(error.code()), refused_finding(error, kOtherwise), error.what());
  } catch (const MalformedMessage& error) {
    return refuse(Status::malformed, quoted(kOtherwise, error.what()), error.what());
  } catch (const std::bad_alloc&) {
    constexpr const char* kNoMemory = "the machine has no memory left for the emulated device";
    return refuse(Status::out_of_memory, quoted(kOtherwise, kNoMemory), kNoMemory);
  } catch (const std::exception& error) {
    // Such as no thread to be had: one request fails, and not the device with all that its owner holds.
    return refuse(Status::out_of_resources, quoted(kOtherwise, error.what()), error.what());
  }
}

void Session::check_whole(DeviceAddress address, std::uint64_t whole_bytes) const {
  const auto range = served_.device.allocation(address);
  if (range && whole_bytes > range->bytes - (address - range->address)) {
    Finding why = Finding::make(Finding::Cause::whole_past_end);
    why.address = address;
    why.width = whole_bytes;
    why.object = {{}, range->address, range->bytes};
    throw RefusedRequest(DeviceError::Code::invalid_address, std::move(why),
                         "a copy past an allocation's end");
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

}  // namespace lockstep::emulator::server
