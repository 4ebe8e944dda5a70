#include "emulator/cudart/streams/submission.h"

#include <cstdlib>
#include <cstring>
#include <map>
#include <type_traits>
#include <utility>

#include "emulator/cudart/errors/unsupported.h"
#include "emulator/cudart/streams/host_function.h"

namespace lockstep::emulator::cudart {

namespace {

// Where work is really done.
void perform(Runtime& r, const KernelWork& work) { r.launcher.run(work); }
void perform(Runtime& r, const CopyWork& work) { r.memory.copy(work); }
void perform(Runtime& r, const FillWork& work) { r.memory.fill(work); }

void perform(Runtime& r, const HostWork& work) {
  // After a failed kernel no function is called.
  r.launcher.synchronise();
  if (!r.ending) call_host_function(r.mutex, [work] { work.function(work.data); });
}

/// The recordings that one launch of a graph makes, by step.
using Records = std::map<const Step*, std::shared_ptr<EventRecord>>;

/// Collects what a launch has to know of events: the recordings it will make, and those it waits for.
void prepare_events(Runtime& r, const Program& program, Records& records,
                    std::vector<WorkQueues::Place>& after) {
  for (const Step& step : program.steps) {
    if (!step.enabled) continue;
    if (step.child) prepare_events(r, *step.child, records, after);
    if (const auto* node = std::get_if<EventRecordNode>(&step.work)) {
      r.streams.find(node->event);
      records[&step] = std::make_shared<EventRecord>();
    }
    if (const auto* node = std::get_if<EventWaitNode>(&step.work)) {
      if (const auto record = r.streams.find(node->event).record) after.push_back(record->place);
    }
  }
}

/// Marks the memory that a launch allocates and frees, as the calls come.
void note_allocations(const Program& program, bool free_first) {
  for (const Step& step : program.steps) {
    if (const auto* node = std::get_if<AllocationNode>(&step.work)) {
      if (free_first) node->allocation->in_use = false;
      require(!node->allocation->in_use);
    }
  }
  for (const std::size_t i : program.order) {
    const Step& step = program.steps[i];
    if (const auto* node = std::get_if<AllocationNode>(&step.work)) node->allocation->in_use = true;
    if (const auto* node = std::get_if<DeallocationNode>(&step.work)) node->allocation->in_use = false;
  }
}

void run_program(Runtime& r, const Program& program, const Records& records) {
  for (const std::size_t i : program.order) {
    const Step& step = program.steps[i];
    if (!step.enabled) continue;
    std::visit(
        [&]<class Node>(const Node& node) {
          if constexpr (requires { perform(r, node); }) {
            perform(r, node);
          } else if constexpr (std::is_same_v<Node, ChildNode>) {
            run_program(r, *step.child, records);
          } else if constexpr (std::is_same_v<Node, EventRecordNode>) {
            records.at(&step)->time = std::chrono::steady_clock::now();
          }
        },
        step.work);
  }
}

/// A copy of what the rows of `from` hold, without the gaps.
std::shared_ptr<const server::Bytes> staged(const CopyWork& work) {
  const auto bytes = std::make_shared<server::Bytes>();
  bytes->reserve(work.width * work.height * work.depth);
  const auto* from = static_cast<const std::byte*>(work.from);
  for (std::size_t slice = 0; slice < work.depth; ++slice) {
    for (std::size_t row = 0; row < work.height; ++row) {
      const std::byte* begin = from + slice * work.from_slice + row * work.from_pitch;
      bytes->insert(bytes->end(), begin, begin + work.width);
    }
  }
  return bytes;
}

/// Of a copy within the device or the host, nothing.
Transfer transfer_of(Runtime& r, const CopyWork& work) {
  const bool from_device = r.memory.on_device(work.from);
  if (from_device == r.memory.on_device(work.to)) return {};
  return {std::uint64_t{work.width} * work.height * work.depth, from_device};
}

bool may_be_between_devices(Runtime& r, const CopyWork& work) {
  return r.device.device_count() > 1 && r.memory.on_device(work.to) && r.memory.on_device(work.from);
}

/// In a default stream such a copy begins when both devices have done everything, and both wait for it.
void copy_between_devices(Runtime& r, const CopyWork& work) {
  r.memory.check(work);
  wait_for_all(r);
  perform(r, work);
}

/// Whether CUDA_LAUNCH_BLOCKING is set, with which every launch waits for its kernel.
bool launches_block() {
  static const bool block = [] {
    const char* const value = std::getenv("CUDA_LAUNCH_BLOCKING");
    return value != nullptr && std::strcmp(value, "1") == 0;
  }();
  return block;
}

}  // namespace

WorkQueues::Place enqueue(Runtime& r, const Stream& stream, std::function<void()> task,
                          std::vector<WorkQueues::Place> after, std::size_t bytes, const Transfer& transfer) {
  r.device.throw_if_failed();
  r.captures.check_implicit_dependency(stream);
  finish_at_exit();
  WorkQueues::Place place = r.streams.add(stream, std::move(task), std::move(after), bytes, transfer);
  r.idle_progress.work_added();
  return place;
}

void submit_launch(Runtime& r, cudaStream_t handle, KernelWork work) {
  Stream& stream = r.streams.find(handle);
  if (stream.device != work.device) throw Failure{cudaErrorInvalidResourceHandle};
  if (stream.capture) {
    r.captures.add(stream, std::move(work));
    return;
  }
  const auto place = enqueue(r, stream, [&r, work = std::move(work)] { perform(r, work); });
  if (launches_block()) wait_for(r, place);
}

void submit_copy(Runtime& r, cudaStream_t handle, const CopyWork& work) {
  Stream& stream = r.streams.find(handle);
  r.memory.check(work);
  if (stream.capture) {
    r.captures.add(stream, work);
    return;
  }
  if (work.empty()) return;
  if (stream.handle == cudaStreamLegacy && may_be_between_devices(r, work)) {
    r.captures.check_implicit_dependency(stream);
    return copy_between_devices(r, work);
  }
  const auto task = [&r](const CopyWork& copy) { return [&r, copy] { perform(r, copy); }; };
  const bool from_device = r.memory.on_device(work.from), to_device = r.memory.on_device(work.to);
  const Transfer transfer = transfer_of(r, work);
  if (from_device && (to_device || r.memory.pinned(work.to))) {
    enqueue(r, stream, task(work), {}, 0, transfer);
  } else if (to_device && r.memory.pinned(work.from)) {
    enqueue(r, stream, task(work), {}, 0, transfer);
  } else if (to_device) {
    CopyWork copy = work;
    const auto bytes = staged(work);
    copy.from = bytes->data();
    copy.from_pitch = work.width;
    copy.from_slice = work.width * work.height;
    const auto place = enqueue(
        r, stream, [bytes, doing = task(copy)] { doing(); }, {}, bytes->size(), transfer);
    // The host has waited for its part, and a GPU's driver for nearly all of it.
    r.queues.host_waited(place);
  } else {
    // To memory that is not pinned, and within the host's: the call waits.
    wait_for(r, enqueue(r, stream, task(work), {}, 0, transfer));
  }
}

void copy_blocking(Runtime& r, const CopyWork& work) {
  r.captures.check_unsafe_call();
  const bool within_device =
      r.memory.on_device(work.to) && r.memory.on_device(work.from) && !may_be_between_devices(r, work);
  if (within_device && !r.memory.managed(work.to) && !r.memory.managed(work.from)) {
    r.memory.check(work);
    r.launcher.print();
    if (!work.empty()) enqueue(r, r.streams.find(cudaStream_t{}), [&r, work] { perform(r, work); });
    return;
  }
  if (may_be_between_devices(r, work)) {
    copy_between_devices(r, work);
  } else {
    wait_for_default_stream(r);
    perform(r, work);
    r.queues.host_copied(transfer_of(r, work));
  }
}

void submit_fill(Runtime& r, cudaStream_t handle, const FillWork& work) {
  Stream& stream = r.streams.find(handle);
  r.memory.check(work);
  if (stream.capture) {
    r.captures.add(stream, work);
    return;
  }
  if (!work.empty()) enqueue(r, stream, [&r, work] { perform(r, work); });
}

void fill_blocking(Runtime& r, const FillWork& work) {
  submit_fill(r, cudaStream_t{}, work);
  if (r.memory.managed(work.to) || r.memory.pinned(work.to)) wait_for_default_stream(r);
}

void submit_host_function(Runtime& r, cudaStream_t handle, const HostWork& work) {
  require(work.function != nullptr);
  Stream& stream = r.streams.find(handle);
  if (stream.capture) {
    r.captures.add(stream, work);
    return;
  }
  enqueue(r, stream, [&r, work] { perform(r, work); });
}

void submit_graph(Runtime& r, cudaStream_t handle, ExecutableGraph& executable) {
  const Stream& stream = r.streams.find(handle);
  if (stream.capture) {
    stream.capture->invalidated = true;
    refuse("cudaGraphLaunch in a stream that is being captured");
  }
  const std::shared_ptr<const Program> program = executable.program;
  Records records;
  std::vector<WorkQueues::Place> after;
  prepare_events(r, *program, records, after);
  if (executable.last_launch.queue) after.push_back(executable.last_launch);
  note_allocations(*program, (executable.flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0);
  r.graph_memory.note_use();
  executable.last_launch = enqueue(
      r, stream, [&r, program, records] { run_program(r, *program, records); }, std::move(after));
  for (const auto& [step, record] : records) {
    record->place = executable.last_launch;
    Event& event = r.streams.find(std::get<EventRecordNode>(step->work).event);
    event.record = record;
    event.capture.reset();
  }
}

void throw_failure(Runtime& r) {
  r.device.request(server::RequestKind::synchronise, {});
  r.streams.throw_kept_failure();
}

void wait_for(Runtime& r, const WorkQueues::Place& place) {
  r.queues.run_to(place);
  r.queues.host_waited(place);
  r.launcher.print();
  throw_failure(r);
  r.unified.after_synchronisation();
}

void wait_for_default_stream(Runtime& r) {
  wait_for(r, enqueue(r, r.streams.find(cudaStream_t{}), [] {}));
}

void wait_for_device(Runtime& r) {
  r.queues.run_all_of(current_device());
  r.queues.host_waited();
  r.launcher.print();
  throw_failure(r);
  r.unified.after_synchronisation();
}

void wait_for_all(Runtime& r) {
  r.queues.run_all();
  r.queues.host_waited();
  r.launcher.print();
  throw_failure(r);
  r.unified.after_synchronisation();
}

}  // namespace lockstep::emulator::cudart
