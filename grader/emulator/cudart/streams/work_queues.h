// Queues of work, one for each stream, and what has to be done before what.
//
// Nothing is done when it is added. It is done when it must be: because the caller waits for it, because
// other work that must be done comes after it, or because the queues have grown long. Work that nothing
// orders stays undone, so that a program which forgot to wait finds what was there before, every time. Where
// several orders are allowed, what was added last is done first: a program that relies on an order for which
// it never asked shows it. Knows nothing of CUDA's calls or of a device.
#pragma once

#include <algorithm>
#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

namespace lockstep::emulator::cudart {

/// What a piece of work copies between host and device.
struct Transfer {
  std::uint64_t bytes = 0;
  bool to_host = false;  ///< else to the device
};

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
    std::uint64_t chain = 0;  ///< of the longest chain of copies that ends here: Copies
  };

  /// Bytes copied between host and device. Two copies are in a chain where one cannot begin before the other
  /// has ended: both go the same way, both are in one queue, a place orders them, or the host waited between.
  struct Copies {
    std::uint64_t bytes = 0;
    std::uint64_t longest_chain = 0;
  };

  explicit WorkQueues(std::recursive_mutex& mutex) : mutex_(mutex) {}

  QueuePointer make_queue(Kind kind, int device);

  /// Adds work that comes after everything in its queue and after the places `after`. `bytes` is what it
  /// holds of memory.
  Place add(const QueuePointer& queue, Task task, std::vector<Place> after = {}, std::size_t bytes = 0,
            const Transfer& transfer = {});
  /// Reached when everything that is in the queue now has been done.
  Place end_of(const QueuePointer& queue) const;
  bool reached(const Place& place) const;

  void run_to(const Place& place);
  /// Does one piece of work on the way to the place, unless it is reached or another thread is at it.
  void step_to(const Place& place);
  void run_all();
  /// Does what the queues of one device hold, and what has to be done before.
  void run_all_of(int device);

  /// While the caller waits for one queue, others go on alternately, where nothing orders them behind it: a
  /// program whose queues share what they should not shows it. Else they stay as they are.
  void alternate(bool alternates) { alternates_ = alternates; }

  /// The host has waited for that place, or for everything: what it adds later comes after it.
  void host_waited(const Place& place) { host_chain_ = std::max(host_chain_, place.chain); }
  void host_waited() { host_chain_ = longest_chain_; }
  /// The host has copied, and waited for that.
  void host_copied(const Transfer& transfer);
  /// Those of one device since the last call, at which the host has waited for everything.
  Copies take_copies();

  bool empty() const { return pending_.empty(); }
  /// Whether some thread is within a task.
  bool busy() const;

 private:
  /// The length of a chain that goes on with a copy, by which it is the longer.
  std::uint64_t after_transfer(std::uint64_t chain, const Transfer& transfer);
  /// The queue whose first piece of work comes next on the way to the place; null when it is reached.
  Queue* next(Queue& queue, std::uint64_t sequence) const;
  /// The queue whose first piece of work comes next so that the first of `queue` can be done.
  Queue* next_for_first_of(Queue& queue) const;
  /// Of the blocking queues that hold work up to `sequence`, the one to which work was added last.
  Queue* blocking_queue_before(const Queue& legacy, std::uint64_t sequence) const;
  Queue* legacy_queue_before(const Queue& blocking, std::uint64_t sequence) const;
  void run_all_where(const std::function<bool(const Queue&)>& wanted);
  void run_first_of(Queue& queue);
  /// The first piece of every queue but `last` for which nothing has to be done before.
  void run_first_of_others(const Queue* last);
  void run_oldest();

  std::recursive_mutex& mutex_;
  std::condition_variable_any task_done_;
  std::vector<QueuePointer> pending_;  ///< that hold work
  std::uint64_t last_sequence_ = 0;
  bool alternates_ = false;
  std::size_t count_ = 0, bytes_ = 0;  ///< of all work that is held
  /// Lengths of chains since the program began, in bytes: before what the host adds next, before what is
  /// added to the legacy queue or to blocking ones, and the longest of all.
  std::uint64_t host_chain_ = 0, legacy_chain_ = 0, blocking_chain_ = 0, longest_chain_ = 0;
  std::array<std::uint64_t, 2>
      transfer_chains_{};  ///< likewise before the next copy to the device, or to the host
  std::uint64_t copied_ = 0, chain_taken_ = 0;  ///< since and at the last call of take_copies
};

}  // namespace lockstep::emulator::cudart
