// The words for what the emulated device found: every cause has its sentence, with its numbers in it.
#include "report/finding_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "emulator/core/image.h"

namespace lockstep::report {
namespace {

using emulator::Finding;
using result::Verdict;
using testing::HasSubstr;
using Cause = Finding::Cause;
using Kind = Finding::Kind;
using Space = Finding::Space;
using Scope = Finding::Scope;
using Access = Finding::Access;
using Other = Finding::Other;
using Awaited = Finding::Awaited;
using Shape = emulator::Image::Shape;

constexpr std::uint64_t kBegin = 0x2000'0000'0100;

std::string told(const Finding& finding) { return sentence_of(finding, Reader::developer); }

/// A finding of a read of 4 bytes beside or inside of 'in', which has 100 bytes.
Finding made(Cause cause, std::vector<std::int64_t> numbers = {}) {
  Finding finding = Finding::make(cause);
  finding.access = Access::read;
  finding.width = 4;
  finding.address = kBegin + 104;
  finding.object = {"in", kBegin, 100};
  finding.numbers = std::move(numbers);
  finding.other_line = {"/build/scan.cu", 12};
  return finding;
}

Finding changed(Finding finding, const auto& change) {
  change(finding);
  return finding;
}

std::vector<Cause> all_causes() {
  std::vector<Cause> causes;
  for (int k = 0; k <= static_cast<int>(Finding::kLastCause); ++k) causes.push_back(static_cast<Cause>(k));
  return causes;
}

TEST(FindingWords, EveryCauseHasASentenceWhateverItsFactsAre) {
  Finding hostile;
  hostile.numbers = std::vector<std::int64_t>(1000, INT64_MIN);
  hostile.address = hostile.width = hostile.object.bytes = hostile.object.begin = UINT64_MAX;
  hostile.other = Other::thread;
  hostile.other_number = UINT32_MAX;
  hostile.block_shape = {0, 0, 0};
  hostile.name = hostile.detail = hostile.object.name = hostile.line.file = "{0} {} {name}";
  for (const Cause cause : all_causes()) {
    const Finding plain = Finding::make(cause);
    EXPECT_NO_THROW(text_of(plain)) << static_cast<int>(cause);
    EXPECT_STRNE(question_of(plain), "");
    for (const Cause reason : all_causes()) {
      hostile.cause = cause;
      hostile.kind = emulator::kind_of(cause);
      hostile.reason = reason;
      EXPECT_NO_THROW(text_of(hostile)) << static_cast<int>(cause);
      if (cause != Cause::refused_range) break;
    }
  }
}

TEST(FindingWords, ALaneOutsideItsMaskIsAskedAboutTheMask) {
  EXPECT_THAT(question_of(Finding::make(Cause::outside_mask)),
              HasSubstr("bit l of the mask stands for lane l"));
  EXPECT_THAT(question_of(Finding::make(Cause::lanes_elsewhere)), HasSubstr("which condition"));
}

TEST(FindingWords, TellTheFacts) {
  const auto launch = [](Cause cause, std::vector<std::int64_t> numbers) {
    return told(made(cause, std::move(numbers)));
  };
  const auto at = [](Cause cause, std::uint64_t address, auto... change) {
    Finding finding = made(cause);
    finding.address = address;
    (change(finding), ...);
    return told(finding);
  };
  const auto nameless = [](Finding& finding) { finding.object.name.clear(); };
  const auto heap = [](Finding& finding) {
    finding.space = Space::heap;
    finding.object.name.clear();
  };
  const auto virtual_call = [](Finding& finding) { finding.of_virtual_call = true; };
  EXPECT_EQ(at(Cause::null_pointer, 4), "read of 4 bytes at address 0x4: a null pointer");
  EXPECT_EQ(at(Cause::null_pointer, 0, virtual_call),
            "read of 4 bytes at address 0x0: a null pointer, in place of the virtual functions of an object "
            "that no kernel has constructed");
  EXPECT_EQ(at(Cause::host_pointer, 0x7fff0000),
            "read of 4 bytes at address 0x7fff0000, which is in no allocation of the device: it looks like a "
            "pointer of the host");
  EXPECT_THAT(at(Cause::host_pointer, 0x7fff0000, virtual_call),
              testing::EndsWith("a pointer of the host, to the virtual functions of an object that was "
                                "constructed on the host; a kernel must construct it"));
  EXPECT_EQ(at(Cause::in_no_allocation, 0x1000),
            "read of 4 bytes at address 0x1000, which is in no allocation");
  EXPECT_EQ(at(Cause::reaches_past_end, kBegin + 98),
            "read of 4 bytes that reaches 2 bytes past the end of 'in' (100 bytes)");
  EXPECT_EQ(at(Cause::just_past_end, kBegin + 100), "read of 4 bytes just past the end of 'in' (100 bytes)");
  EXPECT_EQ(at(Cause::past_end, kBegin + 104, nameless),
            "read of 4 bytes that begin 4 bytes past the end of an allocation (100 bytes)");
  EXPECT_EQ(at(Cause::past_end, kBegin + 104, heap),
            "read of 4 bytes that begin 4 bytes past the end of a block of the device's heap (100 bytes)");
  EXPECT_EQ(at(Cause::far_past_end, kBegin + 900),
            "read of 4 bytes that begin 800 bytes past the end of 'in' (100 bytes), the nearest allocation");
  EXPECT_EQ(at(Cause::before_start, kBegin - 8),
            "read of 4 bytes that begin 8 bytes before the start of 'in' (100 bytes)");
  EXPECT_EQ(
      at(Cause::far_before_start, kBegin - 8),
      "read of 4 bytes that begin 8 bytes before the start of 'in' (100 bytes), the nearest allocation");
  EXPECT_EQ(at(Cause::freed_memory, kBegin), "read of 4 bytes of 'in' (100 bytes) after it was freed");
  EXPECT_EQ(at(Cause::constant_written, kBegin),
            "read of 4 bytes to constant memory, 'in', which only the host may write");
  EXPECT_EQ(at(Cause::constant_elsewhere, kBegin, nameless),
            "load of 4 bytes as constant memory, where there is global memory, which is no __constant__");
  EXPECT_EQ(at(Cause::freed_inside, kBegin + 8, heap),
            "free of an address 8 bytes into a block (100 bytes), not of its start");
  EXPECT_EQ(at(Cause::misaligned_access, 0x1002),
            "read of 4 bytes at address 0x1002, which is no multiple of 4");
  const auto window = [](Space space) {
    return [space](Finding& finding) {
      finding.space = space;
      finding.object = {{}, 0, 64};
    };
  };
  EXPECT_EQ(at(Cause::outside_window, 0xFFFF'FFFC, window(Space::shared)),
            "read of 4 bytes at offset -4 of the block's shared memory, which has 64 bytes");
  EXPECT_EQ(at(Cause::outside_window, 64, window(Space::local)),
            "read of 4 bytes at offset 64 of the thread's local memory, which has 64 bytes");
  EXPECT_EQ(at(Cause::uninitialised_global, kBegin + 8), "read of byte 8 of 'in', which nothing has written");
  EXPECT_EQ(at(Cause::uninitialised_global, kBegin + 8, nameless,
               [](Finding& finding) {
                 finding.used_at = {"/build/scan.cu", 9};
               }),
            "read of byte 8 of global memory, which nothing has written, and is used at scan.cu:9");
  EXPECT_EQ(at(Cause::uninitialised_shared, 12, window(Space::shared)),
            "read of byte 12 of the block's shared memory, which no thread of the block has written");
  EXPECT_EQ(launch(Cause::uninitialised_texel, {2, 1, 0, static_cast<std::int64_t>(Shape::plane)}),
            "read of element (2, 1, 0) of a 2D array, which nothing has written");
  EXPECT_EQ(
      launch(Cause::lanes_elsewhere, {0xFFFF, 0xFFFF0000, 7}),
      "lanes 0 to 15 wait for lanes 16 to 31, which must take part and are elsewhere, the first of them "
      "at line 7");
  EXPECT_EQ(launch(Cause::lanes_elsewhere, {1, 2, 0}),
            "lane 0 waits for lane 1, which must take part and is elsewhere");
  EXPECT_EQ(launch(Cause::lanes_elsewhere, {0x5, 0x5550, 0}),
            "lanes 0, 2 wait for lanes 4, 6, 8, 10, …, which must take part and are elsewhere");
  EXPECT_EQ(launch(Cause::outside_mask, {0xFFFF}), "the lane is not in the mask 0x0000ffff that it passes");
  EXPECT_EQ(launch(Cause::mbarrier_arrivals, {1, 2}),
            "1 more arrival at an mbarrier whose phase waits for 2");
  EXPECT_EQ(launch(Cause::different_barriers, {}),
            "threads of the block wait at different barriers: some here, others at line 12");
  EXPECT_EQ(launch(Cause::block_never_meets, {0, 3, 1}),
            "3 of the block's warps wait at barrier 1, and no other thread of the block is left to reach it");
  EXPECT_EQ(launch(Cause::threads_never_meet, {2, 1, 128, 64}),
            "barrier 1 waits for 128 threads, and 64 have come, and the block's other 2 warps wait at other "
            "barriers");
  EXPECT_EQ(launch(Cause::empty_launch, {0, 1, 1, 256, 1, 1}),
            "a grid of 0 × 1 × 1 blocks of 256 × 1 × 1 threads; there must be at least one of each");
  EXPECT_EQ(launch(Cause::shared_too_large, {300'000, 232'448}),
            "300000 bytes of shared memory; a block has at most 232448");
  EXPECT_EQ(launch(Cause::never_freed, {1, 4096, 3, 2}),
            "1 allocation of 4096 bytes was never freed: in order of allocation 2 of the program's 3");
  EXPECT_EQ(launch(Cause::never_freed, {12, 400, 30, 1, 2, 3}),
            "12 allocations of 400 bytes were never freed: in order of allocation 1, 2, 3 and 9 more of the "
            "program's 30");
}

TEST(FindingWords, TellBothAccessesOfARace) {
  Finding race = made(Cause::unordered_accesses);
  race.space = Space::shared;
  race.object = {};
  race.address = 80;
  race.scope = Scope::warp;
  race.other = Other::thread;
  race.other_number = 37;
  race.block_shape = {8, 4, 2};
  race.other_access = Access::write;
  EXPECT_EQ(
      told(race),
      "read of byte 80 of shared memory, which thread (5, 0, 1) wrote at scan.cu:12 with no __syncwarp() "
      "between");
  EXPECT_THAT(sentence_of(race, Reader::student),
              testing::EndsWith("with no barrier between these threads of one warp"));
  race.block_shape = {64, 1, 1};
  race.scope = Scope::block;
  race.is_volatile = true;
  EXPECT_EQ(told(race),
            "read of byte 80 of shared memory, which thread 37 wrote at scan.cu:12 with no __syncthreads() "
            "between; a volatile access waits for no other thread");
  race.changed_atomically = true;
  EXPECT_THAT(told(race), testing::EndsWith("between; atomic operations change it too"));
  race = made(Cause::unordered_accesses);
  race.address = kBegin + 4;
  race.access = Access::atomic;
  race.scope = Scope::grid;
  race.other_access = Access::read;
  const auto by = [&](Other other) {
    race.other = other;
    return told(race);
  };
  EXPECT_EQ(
      by(Other::block),
      "atomic operation of byte 4 of 'in', which block 0 read at scan.cu:12 in the same launch, with no "
      "fence followed by an atomic operation or the store of a flag between the two blocks");
  EXPECT_THAT(by(Other::other_blocks), HasSubstr("which other blocks read"));
  EXPECT_THAT(by(Other::warp), HasSubstr("which warp 0 read"));
  EXPECT_THAT(by(Other::another_warp), HasSubstr("which another warp read"));
  EXPECT_THAT(by(Other::threads_of_warp), HasSubstr("which other threads of the warp read"));
  race.object = {};
  EXPECT_THAT(told(race), HasSubstr("atomic operation of address 0x200000000104, which"));
  Finding copy = made(Cause::copy_not_awaited);
  copy.space = Space::shared;
  copy.object = {};
  copy.address = 16;
  copy.other = Other::same_thread;
  EXPECT_EQ(
      told(copy),
      "read of byte 16 of shared memory, which the asynchronous copy at scan.cu:12 writes: the thread has "
      "not waited for it (cp.async.wait_group, or the copy's mbarrier or pipeline)");
}

TEST(FindingWords, TellOfARefusedCallWhatIsWrong) {
  Finding call = made(Cause::refused_call, {1});  // cudaErrorInvalidValue
  call.access = Access::none;
  call.name = "cudaMemcpy";
  const std::string refused = "cudaMemcpy returned cudaErrorInvalidValue (invalid argument)";
  EXPECT_EQ(told(call), refused);
  call.cause = Cause::refused_null;
  EXPECT_EQ(told(call), refused + ": one of its pointers is null");
  call.cause = Cause::refused_range;
  call.reason = Cause::whole_past_end;
  call.object = {{}, 0, 100};
  call.address = 0;
  call.width = 104;
  EXPECT_EQ(told(call),
            refused + ": 104 bytes, which reach 4 bytes past the end of an allocation (100 bytes)");
  call.reason = Cause::just_past_end;
  call.object.name = "in";
  EXPECT_EQ(told(call), refused + ": 104 bytes just past the end of 'in' (100 bytes)");
  call.cause = Cause::refused_otherwise;
  call.detail = "why";
  EXPECT_EQ(told(call), refused + ": why");
  call.cause = Cause::refused_call;
  call.numbers = {std::int64_t{1} << 40};
  EXPECT_EQ(told(call), "cudaMemcpy returned error 1099511627776");
}

TEST(FindingWords, TellWhatALoopWithoutProgressWaitsFor) {
  Finding loop = made(Cause::endless_loop, {0, 20});
  loop.object = {};
  const std::string still = "livelock: nothing changes any more while the thread repeats this loop";
  EXPECT_EQ(told(loop), still);
  loop.numbers = {12, 20};
  EXPECT_EQ(told(loop), still + "; 12 of the 20 blocks have not begun, as those before them do not end");
  loop.numbers = {0, 20};
  loop.awaited = Awaited::barrier;
  loop.awaited_line = 6;
  EXPECT_EQ(told(loop), still + "; others of its block wait at the barrier at line 6");
  loop.awaited = Awaited::nothing;
  loop.object = {"flag", kBegin, 16};
  loop.address = kBegin + 8;
  EXPECT_EQ(told(loop), still + ", and looks at byte 8 of 'flag' (16 bytes)");
  loop.sees_no_host_writes = true;
  EXPECT_THAT(told(loop), testing::EndsWith(", where it sees nothing of what the host writes before the "
                                            "kernel has ended"));
}

TEST(FindingWords, AnUnsupportedInstructionIsToldWithItsPlace) {
  Finding unsupported = Finding::make(Cause::unsupported_instruction);
  unsupported.name = "foo.b32";
  unsupported.detail = "helper";
  const std::string sentence = "the emulated device does not support the instruction foo.b32 yet";
  EXPECT_EQ(told(unsupported), "helper: " + sentence) << "the function, where no line is known";
  unsupported.line = {"/build/scan.cu", 3};
  EXPECT_EQ(told(unsupported), "/build/scan.cu:3: " + sentence);
  EXPECT_EQ(sentence_of(unsupported, Reader::student), sentence) << "the line is shown below";
  EXPECT_EQ(text_of(unsupported), "unsupported\n  /build/scan.cu:3: " + sentence + "\n");
}

TEST(FindingWords, EveryKindHasItsVerdict) {
  EXPECT_EQ(row_of(Kind::out_of_bounds).verdict, Verdict::out_of_bounds);
  EXPECT_EQ(row_of(Kind::misaligned).verdict, Verdict::out_of_bounds);
  EXPECT_EQ(row_of(Kind::deadlock).verdict, Verdict::bad_sync);
  EXPECT_EQ(row_of(Kind::time_limit).verdict, Verdict::time_limit);
  EXPECT_EQ(row_of(Kind::no_progress).verdict, Verdict::time_limit);
  EXPECT_EQ(row_of(Kind::assertion).verdict, Verdict::crashed);
  EXPECT_EQ(row_of(Kind::stack_overflow).verdict, Verdict::crashed);
  EXPECT_EQ(row_of(Kind::bad_image).verdict, Verdict::launch_failed);
  EXPECT_EQ(row_of(Kind::unsupported).verdict, Verdict::grader_error);
  for (const auto& [cause, kind] : emulator::kFirstCauses) EXPECT_EQ(row_of(kind).kind, kind);
}

TEST(FindingWords, OnlyThreadsAreToldOfWhereOneIsAtFault) {
  for (const Kind kind : {Kind::bad_launch, Kind::bad_image, Kind::unsupported, Kind::bad_call, Kind::leak}) {
    EXPECT_FALSE(row_of(kind).has_thread);
  }
  EXPECT_THAT(text_of(made(Cause::past_end)), HasSubstr("block (0, 0, 0), thread (0, 0, 0)"));
  EXPECT_THAT(text_of(made(Cause::never_freed)), testing::Not(HasSubstr("thread")));
}

}  // namespace
}  // namespace lockstep::report
