// The order in which queued work is done, without a device.
#include "emulator/cudart/streams/work_queues.h"

#include <gtest/gtest.h>

#include <string>
#include <thread>
#include <vector>

namespace lockstep::emulator::cudart {
namespace {

using Kind = WorkQueues::Kind;

class WorkQueuesTest : public testing::Test {
 protected:
  WorkQueuesTest() : lock_(mutex_) {}

  WorkQueues::Place add(const WorkQueues::QueuePointer& queue, char name,
                        std::vector<WorkQueues::Place> after = {}, std::size_t bytes = 0) {
    return queues_.add(
        queue, [this, name] { done_ += name; }, std::move(after), bytes);
  }

  std::recursive_mutex mutex_;
  std::unique_lock<std::recursive_mutex> lock_;
  WorkQueues queues_{mutex_};
  std::string done_;
};

TEST_F(WorkQueuesTest, NothingIsDoneBeforeItMustBe) {
  const auto queue = queues_.make_queue(Kind::blocking, 0);
  const auto first = add(queue, 'a');
  const auto second = add(queue, 'b');
  EXPECT_EQ(done_, "");
  EXPECT_FALSE(queues_.reached(first));
  queues_.run_to(first);
  EXPECT_EQ(done_, "a");
  EXPECT_TRUE(queues_.reached(first));
  EXPECT_FALSE(queues_.reached(second));
  queues_.run_to(second);
  EXPECT_EQ(done_, "ab");
  EXPECT_TRUE(queues_.empty());
}

TEST_F(WorkQueuesTest, OtherQueuesStayAsTheyAreUnlessAPlaceIsWaitedFor) {
  const auto one = queues_.make_queue(Kind::blocking, 0), two = queues_.make_queue(Kind::blocking, 0);
  add(one, 'a');
  const auto place = add(one, 'b');
  add(one, 'c');
  queues_.run_to(add(two, 'd'));
  EXPECT_EQ(done_, "d");
  queues_.run_to(add(two, 'e', {place}));
  EXPECT_EQ(done_, "dabe");
}

TEST_F(WorkQueuesTest, AnotherDevicesQueuesAreDoneOnlyAsFarAsNeeded) {
  const auto here = queues_.make_queue(Kind::blocking, 0), there = queues_.make_queue(Kind::blocking, 1);
  const auto place = add(there, 'a');
  add(there, 'b');
  add(here, 'c', {place});
  queues_.run_all_of(0);
  EXPECT_EQ(done_, "ac");
  queues_.run_all_of(1);
  EXPECT_EQ(done_, "acb");
}

TEST_F(WorkQueuesTest, WhatWasAddedLastIsDoneFirstWhereNothingOrders) {
  const auto one = queues_.make_queue(Kind::blocking, 0), two = queues_.make_queue(Kind::blocking, 0);
  add(two, 'a');
  add(one, 'b');
  add(one, 'c');
  queues_.run_all();
  EXPECT_EQ(done_, "bca");
}

TEST_F(WorkQueuesTest, TheLegacyQueueAndBlockingOnesWaitForEachOther) {
  const auto legacy = queues_.make_queue(Kind::legacy, 0), one = queues_.make_queue(Kind::blocking, 0),
             aside = queues_.make_queue(Kind::non_blocking, 0),
             elsewhere = queues_.make_queue(Kind::blocking, 1);
  add(one, 'a');
  add(aside, 'x');
  add(elsewhere, 'y');
  const auto place = add(legacy, 'b');
  const auto last = add(one, 'c');
  queues_.run_to(last);
  EXPECT_EQ(done_, "abc");
  EXPECT_TRUE(queues_.reached(place));
  EXPECT_FALSE(queues_.empty());
}

TEST_F(WorkQueuesTest, TheEndOfTheLegacyQueueIncludesTheBlockingOnes) {
  const auto legacy = queues_.make_queue(Kind::legacy, 0), one = queues_.make_queue(Kind::blocking, 0),
             aside = queues_.make_queue(Kind::non_blocking, 0);
  add(one, 'a');
  add(aside, 'x');
  const auto end = queues_.end_of(legacy);
  add(one, 'b');
  EXPECT_FALSE(queues_.reached(end));
  queues_.run_to(end);
  EXPECT_EQ(done_, "a");
  EXPECT_TRUE(queues_.reached(end));
}

TEST_F(WorkQueuesTest, AStepDoesOnePieceOfWork) {
  const auto one = queues_.make_queue(Kind::blocking, 0), two = queues_.make_queue(Kind::blocking, 0);
  add(one, 'a');
  const auto place = add(two, 'c', {add(one, 'b')});
  for (const char* expected : {"a", "ab", "abc", "abc"}) {
    queues_.step_to(place);
    EXPECT_EQ(done_, expected);
  }
}

TEST_F(WorkQueuesTest, LongQueuesAreWorkedOffFromTheirBeginning) {
  const auto one = queues_.make_queue(Kind::non_blocking, 0), two = queues_.make_queue(Kind::non_blocking, 0);
  int done = 0;
  WorkQueues::Place last;
  for (int i = 0; i < 10'000; ++i) {
    const auto expected_next = [&done, i] {
      EXPECT_EQ(done, i);
      ++done;
    };
    last = queues_.add(i % 2 == 0 ? one : two, expected_next, {last.queue ? last : queues_.end_of(one)});
    EXPECT_GE(done, i - 1024);
  }
  queues_.run_to(last);
  EXPECT_EQ(done, 10'000);
}

TEST_F(WorkQueuesTest, MuchMemoryIsNotHeld) {
  const auto queue = queues_.make_queue(Kind::blocking, 0);
  constexpr std::size_t kMuch = std::size_t{48} << 20;
  add(queue, 'a', {}, kMuch);
  EXPECT_EQ(done_, "");
  add(queue, 'b', {}, kMuch);
  EXPECT_EQ(done_, "a");
  add(queue, 'c', {}, 2 * kMuch);
  EXPECT_EQ(done_, "abc");
}

TEST_F(WorkQueuesTest, WorkMayReleaseTheMutexAndAnotherThreadWaitsForIt) {
  const auto queue = queues_.make_queue(Kind::blocking, 0);
  std::string order;
  std::thread other;
  const auto place = queues_.add(queue, [&] {
    other = std::thread([&] {
      const std::lock_guard lock(mutex_);
      order += "waiting,";
      queues_.run_to(queues_.end_of(queue));
      order += "waited";
    });
    mutex_.unlock();
    while (true) {
      const std::lock_guard lock(mutex_);
      if (!order.empty()) break;
    }
    mutex_.lock();
    EXPECT_TRUE(queues_.busy());
    order += "done,";
  });
  queues_.run_to(place);
  EXPECT_FALSE(queues_.busy());
  lock_.unlock();
  other.join();
  EXPECT_EQ(order, "waiting,done,waited");
}

TEST_F(WorkQueuesTest, QueuesAlternateWhereNothingOrdersThem) {
  const auto one = queues_.make_queue(Kind::blocking, 0), two = queues_.make_queue(Kind::non_blocking, 0);
  const auto three = queues_.make_queue(Kind::blocking, 0);
  queues_.alternate(true);
  for (const char name : {'a', 'b', 'c'}) add(one, name);
  for (const char name : {'1', '2', '3'}) add(two, name);
  const auto last = queues_.end_of(one);
  add(three, 'x', {last});
  queues_.run_to(last);
  EXPECT_EQ(done_, "a1b2c3x") << "x is ordered behind c";
  done_.clear();
  queues_.alternate(false);
  add(two, '4');
  queues_.run_to(add(one, 'd'));
  EXPECT_EQ(done_, "d");
}

/// Copies of 1 MB, or of none, as they are added.
class CopyChainsTest : public WorkQueuesTest {
 protected:
  static constexpr std::uint64_t kMegabyte = 1'000'000;

  WorkQueues::Place copy(const WorkQueues::QueuePointer& queue, bool to_host,
                         std::vector<WorkQueues::Place> after = {}) {
    return queues_.add(queue, [] {}, std::move(after), 0, {kMegabyte, to_host});
  }
  /// Megabytes of the longest chain, after a check of all.
  std::uint64_t chain_of(std::uint64_t all) {
    const WorkQueues::Copies copies = queues_.take_copies();
    EXPECT_EQ(copies.bytes, all * kMegabyte);
    return copies.longest_chain / kMegabyte;
  }
};

TEST_F(CopyChainsTest, CopiesOfOneQueueAreInOneChain) {
  const auto queue = queues_.make_queue(Kind::blocking, 0);
  for (int i = 0; i < 4; ++i) copy(queue, i % 2 == 1);
  EXPECT_EQ(chain_of(4), 4U);
  copy(queue, false);
  EXPECT_EQ(chain_of(1), 1U) << "of what came after the last call";
}

TEST_F(CopyChainsTest, CopiesOfTwoQueuesOverlapWhereTheyGoBothWays) {
  for (const Kind kind : {Kind::blocking, Kind::non_blocking}) {
    const auto one = queues_.make_queue(kind, 0), two = queues_.make_queue(kind, 0);
    for (int i = 0; i < 3; ++i) {
      copy(one, false);
      copy(two, true);
    }
    EXPECT_EQ(chain_of(6), 3U);
    copy(one, true);
    copy(two, true);
    EXPECT_EQ(chain_of(2), 2U) << "the same way";
  }
}

TEST_F(CopyChainsTest, APlaceOrdersTheCopiesBehindIt) {
  const auto one = queues_.make_queue(Kind::blocking, 0), two = queues_.make_queue(Kind::blocking, 0);
  copy(two, true, {copy(one, false)});
  EXPECT_EQ(chain_of(2), 2U);
}

TEST_F(CopyChainsTest, WorkOfTheLegacyQueueOrdersBlockingQueuesAlone) {
  const auto legacy = queues_.make_queue(Kind::legacy, 0);
  for (const auto& [kind, expected] : {std::pair{Kind::blocking, 2U}, std::pair{Kind::non_blocking, 1U}}) {
    const auto one = queues_.make_queue(kind, 0), two = queues_.make_queue(kind, 0);
    copy(one, false);
    add(legacy, 'k');
    copy(two, true);
    EXPECT_EQ(chain_of(2), expected);
  }
}

TEST_F(CopyChainsTest, WhatTheHostHasWaitedForComesBeforeWhatItAddsThen) {
  const auto one = queues_.make_queue(Kind::non_blocking, 0), two = queues_.make_queue(Kind::non_blocking, 0);
  const auto place = copy(one, false);
  queues_.run_to(place);
  queues_.host_waited(place);
  copy(two, true);
  EXPECT_EQ(chain_of(2), 2U);
  queues_.host_copied({kMegabyte, false});
  copy(one, true);
  EXPECT_EQ(chain_of(2), 2U) << "a copy by the host itself";
}

}  // namespace
}  // namespace lockstep::emulator::cudart
