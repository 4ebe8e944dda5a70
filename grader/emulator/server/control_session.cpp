// What the owner of the device process may ask.
#include <chrono>
#include <utility>

#include "emulator/core/deadline.h"
#include "emulator/server/observations_codec.h"
#include "emulator/server/session.h"

namespace lockstep::emulator::server {

Bytes ControlSession::perform(RequestKind kind, MessageReader& request) {
  Device& device = served_.device;
  switch (kind) {
    case RequestKind::allocate:
      return allocate(request);
    case RequestKind::free: {
      const auto range = request.take<RangeRequest>();
      if (served_.control_allocations.erase(range.address) == 0) {
        throw DeviceError(DeviceError::Code::invalid_address,
                          "free of an address that was not allocated here");
      }
      device.free(range.address);
      return {};
    }
    case RequestKind::mark_uninitialised: {
      const auto range = request.take<RangeRequest>();
      device.mark_uninitialised(range.address, range.bytes);
      return {};
    }
    case RequestKind::set_time_limit: {
      const auto limit = request.take<LimitRequest>();
      if (limit.limited != 0) {
        device.set_deadline(Deadline::after(std::chrono::milliseconds(limit.value)));
      } else {
        device.set_deadline({});
      }
      return {};
    }
    case RequestKind::set_client_memory_limit:
      served_.client_memory_limit = request.take<LimitRequest>().value;
      return {};
    case RequestKind::take_observations:
      return take_observations();
    case RequestKind::take_client_statistics: {
      Bytes reply;
      append(reply, bytes_of(served_.statistics));
      const std::uint64_t held = served_.statistics.allocated_bytes;
      served_.statistics = {};
      served_.statistics.allocated_bytes = held;
      return reply;
    }
    case RequestKind::work_time: {
      Bytes reply;
      append(reply, bytes_of(TimeReply{static_cast<std::uint64_t>(served_.work_time.count())}));
      return reply;
    }
    case RequestKind::trace_line: {
      const auto line = request.take<LimitRequest>().value;
      device.trace_line(request.take_name(kMaxName), static_cast<std::uint32_t>(line));
      return {};
    }
    case RequestKind::show_stores_at_once:
      device.show_stores_at_once(request.take<LimitRequest>().value != 0);
      return {};
    case RequestKind::hold_client:
      served_.client_held = true;
      return {};
    case RequestKind::admit_client:
      served_.client_held = false;
      return {};
    default:
      return perform_common(kind, request);
  }
}

Bytes ControlSession::allocate(MessageReader& request) {
  const auto bytes = request.take<AllocateRequest>().bytes;
  AddressReply reply{served_.device.allocate(bytes, request.take_name(kMaxName))};
  served_.control_allocations[reply.address] = bytes;
  Bytes payload;
  append(payload, bytes_of(reply));
  return payload;
}

Bytes ControlSession::take_observations() {
  Observations observations = served_.device.take_observations();
  auto& findings = observations.findings;
  findings.insert(findings.end(), served_.findings.begin(), served_.findings.end());
  served_.findings.clear();
  observations.copied_sectors += std::exchange(served_.copied_sectors, 0);
  observations.copied_to.assign(served_.copied_to.begin(), served_.copied_to.end());
  served_.copied_to.clear();
  return encode(observations);
}

}  // namespace lockstep::emulator::server
