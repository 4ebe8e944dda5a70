#include "emulator/cudart/streams/work_queues.h"

#include <algorithm>
#include <utility>

namespace lockstep::emulator::cudart {

namespace {

// About as many as hardware takes before a launch waits; memory stays bounded, and so does the depth of what
// waits for what.
constexpr std::size_t kMaxTasks = 1024;
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

}  // namespace

struct WorkQueues::Queue {
  struct Entry {
    std::uint64_t sequence = 0;  ///< in the order of all queues' additions
    Task task;
    std::vector<Place> after;
    std::size_t bytes = 0;
  };

  Kind kind;
  int device;
  std::deque<Entry> entries{};  ///< the first stays until it has been done
  bool busy = false;            ///< the first is being done
  std::uint64_t chain = 0;      ///< of copies, that ends with the last that was added

  bool has_before(std::uint64_t sequence) const {
    return !entries.empty() && entries.front().sequence <= sequence;
  }
};

WorkQueues::QueuePointer WorkQueues::make_queue(Kind kind, int device) {
  return std::make_shared<Queue>(Queue{kind, device});
}

WorkQueues::Place WorkQueues::add(const QueuePointer& queue, Task task, std::vector<Place> after,
                                  std::size_t bytes, const Transfer& transfer) {
  std::uint64_t chain = std::max(host_chain_, end_of(queue).chain);
  if (queue->kind == Kind::blocking) chain = std::max(chain, legacy_chain_);
  for (const Place& place : after) chain = std::max(chain, place.chain);
  chain = after_transfer(chain, transfer);
  queue->chain = chain;
  if (queue->kind == Kind::legacy) legacy_chain_ = chain;
  if (queue->kind == Kind::blocking) blocking_chain_ = std::max(blocking_chain_, chain);
  std::erase_if(after, [this](const Place& place) { return reached(place); });
  if (queue->entries.empty()) pending_.push_back(queue);
  queue->entries.push_back({++last_sequence_, std::move(task), std::move(after), bytes});
  Place place{queue, last_sequence_, chain};
  ++count_;
  bytes_ += bytes;
  while (count_ > kMaxTasks || (bytes_ > kMaxBytes && count_ > 0)) run_oldest();
  return place;
}

WorkQueues::Place WorkQueues::end_of(const QueuePointer& queue) const {
  const bool is_legacy = queue->kind == Kind::legacy;
  return {queue, last_sequence_, is_legacy ? std::max(queue->chain, blocking_chain_) : queue->chain};
}

void WorkQueues::host_copied(const Transfer& transfer) {
  host_chain_ = after_transfer(host_chain_, transfer);
}

std::uint64_t WorkQueues::after_transfer(std::uint64_t chain, const Transfer& transfer) {
  if (transfer.bytes == 0) return chain;
  std::uint64_t& same_way = transfer_chains_[transfer.to_host ? 1 : 0];
  same_way = std::max(same_way, chain) + transfer.bytes;
  longest_chain_ = std::max(longest_chain_, same_way);
  copied_ += transfer.bytes;
  return same_way;
}

WorkQueues::Copies WorkQueues::take_copies() {
  host_waited();
  return {std::exchange(copied_, 0), longest_chain_ - std::exchange(chain_taken_, longest_chain_)};
}

bool WorkQueues::reached(const Place& place) const { return next(*place.queue, place.sequence) == nullptr; }

void WorkQueues::run_to(const Place& place) {
  while (Queue* queue = next(*place.queue, place.sequence)) {
    run_first_of(*queue);
    if (alternates_) run_first_of_others(queue);
  }
}

void WorkQueues::step_to(const Place& place) {
  Queue* queue = next(*place.queue, place.sequence);
  if (queue != nullptr && !queue->busy) run_first_of(*queue);
}

void WorkQueues::run_all() {
  run_all_where([](const Queue&) { return true; });
}

void WorkQueues::run_all_of(int device) {
  run_all_where([device](const Queue& queue) { return queue.device == device; });
}

void WorkQueues::run_all_where(const std::function<bool(const Queue&)>& wanted) {
  // Only what is here now: a host function in another thread's work may add more without end.
  const std::uint64_t end = last_sequence_;
  while (true) {
    QueuePointer latest;
    for (const QueuePointer& queue : pending_) {
      if (!queue->has_before(end) || !wanted(*queue)) continue;
      if (!latest || queue->entries.back().sequence > latest->entries.back().sequence) latest = queue;
    }
    if (!latest) return;
    run_to({latest, end});
  }
}

bool WorkQueues::busy() const {
  return std::ranges::any_of(pending_, [](const QueuePointer& queue) { return queue->busy; });
}

WorkQueues::Queue* WorkQueues::next(Queue& queue, std::uint64_t sequence) const {
  if (queue.has_before(sequence)) return next_for_first_of(queue);
  Queue* other = queue.kind == Kind::legacy ? blocking_queue_before(queue, sequence) : nullptr;
  return other != nullptr ? next_for_first_of(*other) : nullptr;
}

WorkQueues::Queue* WorkQueues::next_for_first_of(Queue& queue) const {
  // Every step goes to work that was added earlier, so this ends.
  const Queue::Entry& first = queue.entries.front();
  for (const Place& place : first.after) {
    if (Queue* other = next(*place.queue, place.sequence)) return other;
  }
  Queue* other = nullptr;
  if (queue.kind == Kind::legacy) other = blocking_queue_before(queue, first.sequence);
  if (queue.kind == Kind::blocking) other = legacy_queue_before(queue, first.sequence);
  return other != nullptr ? next_for_first_of(*other) : &queue;
}

WorkQueues::Queue* WorkQueues::blocking_queue_before(const Queue& legacy, std::uint64_t sequence) const {
  Queue* latest = nullptr;
  for (const QueuePointer& queue : pending_) {
    if (queue->kind != Kind::blocking || queue->device != legacy.device || !queue->has_before(sequence))
      continue;
    if (latest == nullptr || queue->entries.back().sequence > latest->entries.back().sequence)
      latest = queue.get();
  }
  return latest;
}

WorkQueues::Queue* WorkQueues::legacy_queue_before(const Queue& blocking, std::uint64_t sequence) const {
  for (const QueuePointer& queue : pending_) {
    if (queue->kind == Kind::legacy && queue->device == blocking.device && queue->has_before(sequence))
      return queue.get();
  }
  return nullptr;
}

void WorkQueues::run_first_of(Queue& queue) {
  if (queue.busy) {
    // Another thread is within it, and has released the mutex for a host function.
    task_done_.wait(mutex_);
    return;
  }
  const auto held = std::ranges::find(pending_, &queue, &QueuePointer::get);
  const QueuePointer alive = *held;
  queue.busy = true;
  const Task task = std::move(queue.entries.front().task);
  task();
  queue.busy = false;
  --count_;
  bytes_ -= queue.entries.front().bytes;
  queue.entries.pop_front();
  if (queue.entries.empty()) std::erase(pending_, alive);
  task_done_.notify_all();
}

void WorkQueues::run_first_of_others(const Queue* last) {
  for (const QueuePointer& queue : std::vector(pending_)) {
    if (queue.get() == last || queue->entries.empty() || queue->busy) continue;
    if (next_for_first_of(*queue) == queue.get()) run_first_of(*queue);
  }
}

void WorkQueues::run_oldest() {
  const auto oldest = std::ranges::min_element(
      pending_, {}, [](const QueuePointer& queue) { return queue->entries.front().sequence; });
  run_first_of(**oldest);
}

}  // namespace lockstep::emulator::cudart
