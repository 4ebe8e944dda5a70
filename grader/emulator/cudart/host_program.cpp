#include "emulator/cudart/host_program.h"

#include <algorithm>
#include <array>

#include "emulator/cudart/runtime.h"
#include "emulator/cudart/streams/submission.h"
#include "emulator/server/message.h"

namespace lockstep::emulator::cudart {

namespace {

bool may_fail(std::string_view name) {
  constexpr std::array kReleasing = {"Free", "Destroy", "Unregister"};
  return name.starts_with("cuda") && std::ranges::none_of(kReleasing, [name](std::string_view word) {
           return name.find(word) != std::string_view::npos;
         });
}

cudaError_t error_of(std::string_view name) {
  if (name.find("alloc") != std::string_view::npos || name.find("Alloc") != std::string_view::npos)
    return cudaErrorMemoryAllocation;
  return name.starts_with("cudaLaunch") ? cudaErrorLaunchOutOfResources : cudaErrorUnknown;
}

}  // namespace

void HostProgramWatch::begin(Runtime& r, unsigned failing_call, bool streams_alternate) {
  last_failure() = {};
  r.queues.alternate(streams_alternate);
  failing_call_ = failing_call;
  calls_ = 0;
  failed_ = {};
  // What the judge gave may be asked for its address, which is no allocation of the program's.
  r.unified.pinned.locate_registered();
  note(r, false);
}

void HostProgramWatch::called(std::string_view name) {
  if (failing_call_ == 0 || !may_fail(name) || ++calls_ != failing_call_) return;
  failed_ = name;
  throw Failure{error_of(name)};
}

void HostProgramWatch::end(Runtime& r) {
  r.queues.alternate(false);
  failing_call_ = 0;
  note(r, true);
}

void HostProgramWatch::note(Runtime& r, bool ends) const {
  const WorkQueues::Copies copies = r.queues.take_copies();
  const server::NoteHostProgramRequest note{.ends = ends ? 1U : 0U,
                                            .streams = r.streams.stream_count(),
                                            .events = r.streams.event_count(),
                                            .registrations = r.unified.pinned.registered_count(),
                                            .copied_bytes = copies.bytes,
                                            .chained_bytes = copies.longest_chain};
  r.device.request(server::RequestKind::note_host_program,
                   {server::bytes_of(note), server::bytes_of(failed_)});
}

}  // namespace lockstep::emulator::cudart

using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::Runtime;

void lockstep_begin_host_program(unsigned failing_call, int streams_alternate) {
  call([&](Runtime& r) { r.host_program_watch.begin(r, failing_call, streams_alternate != 0); });
}

void lockstep_end_host_program() {
  call([](Runtime& r) { r.host_program_watch.end(r); });
}
