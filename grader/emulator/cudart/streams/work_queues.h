// Queues of work, one for each stream, and what has to be done before what.
//
// Nothing is done when it is added. It is done when it must be: because the caller waits for it, because
// other work that must be done comes after it, or because the queues have grown long. Work that nothing
// orders stays undone, so that a program which forgot to wait finds what was there before, every time. Where
// several orders are allowed, what was added last is done first: a program that relies on an order for which
// it never asked shows it. Knows nothing of CUDA's calls or of a device.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::emulator::cudart {

/// The caller of every function holds the mutex. A task may release it while it runs, for one level only.
class WorkQueues {
 public:
  /// How a queue stands to the legacy default stream's queue of its device: it is that one; work in it waits
  /// for what was added there before, and the other way round; or neither.
  enum class Kind { legacy, blocking, non_blocking };

  /// Must not throw.
  using Task = std::function<void()>;

  struct Queue;
  using QueuePointer = std::shared_ptr<Queue>;

  /// A point in a queue. It is reached when everything up to it has been done; in the legacy queue that
  /// includes what the blocking queues hold from before.
  struct Place {
    QueuePointer queue;
    std::uint64_t sequence = 0;
  };

  explicit WorkQueues(std::recursive_mutex& mutex) : mutex_(mutex) {}

  QueuePointer make_queue(Kind kind, int device);

  /// Adds work that comes after everything in its queue and after the places `after`. `bytes` is what it
  /// holds of memory.
  Place add(const QueuePointer& queue, Task task, std::vector<Place> after = {}, std::size_t bytes = 0);
  /// Reached when everything that is in the queue now has been done.
  Place end_of(const QueuePointer& queue) const { return {queue, last_sequence_}; }
  bool reached(const Place& place) const;

  void run_to(const Place& place);
  /// Does one piece of work on the way to the place, unless it is reached or another thread is at it.
  void step_to(const Place& place);
  void run_all();
  /// Does what the queues of one device hold, and what has to be done before.
  void run_all_of(int device);

  bool empty() const { return pending_.empty(); }
  /// Whether some thread is within a task.
  bool busy() const;

 private:
  /// The queue whose first piece of work comes next on the way to the place; null when it is reached.
  Queue* next(Queue& queue, std::uint64_t sequence) const;
  /// The queue whose first piece of work comes next so that the first of `queue` can be done.
  Queue* next_for_first_of(Queue& queue) const;
  /// Of the blocking queues that hold work up to `sequence`, the one to which work was added last.
  Queue* blocking_queue_before(const Queue& legacy, std::uint64_t sequence) const;
  Queue* legacy_queue_before(const Queue& blocking, std::uint64_t sequence) const;
  void run_all_where(const std::function<bool(const Queue&)>& wanted);
  void run_first_of(Queue& queue);
  void run_oldest();

  std::recursive_mutex& mutex_;
  std::condition_variable_any task_done_;
  std::vector<QueuePointer> pending_;  ///< that hold work
  std::uint64_t last_sequence_ = 0;
  std::size_t count_ = 0, bytes_ = 0;  ///< of all work that is held
};

}  // namespace lockstep::emulator::cudart
