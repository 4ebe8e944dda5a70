// How long a submission may run and how much it may hold.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace lockstep::judge {

#ifdef __SANITIZE_ADDRESS__
inline constexpr int kSlowdown = 6;  ///< of the emulated device under the sanitizers, at most
#else
inline constexpr int kSlowdown = 1;
#endif

/// One call, at first. Emulation of the largest case takes less than half a second on one core; a student
/// whose kernel never ends shall know within ten.
inline constexpr std::chrono::milliseconds kCallTime{kSlowdown * 5'000};
/// One call of a profile, which is to count all of its work on a busy machine too.
inline constexpr std::chrono::milliseconds kProfiledCallTime{kSlowdown * 20'000};
/// One call whose kernels a GPU counts: repeated for every group of counters, the first after CUPTI has
/// started.
inline constexpr std::chrono::milliseconds kCountedCallTime{30'000};
/// One call, after a first one was too slow: what loops in one case loops in most.
inline constexpr std::chrono::milliseconds kShortCallTime{kSlowdown * 1'000};
/// All cases of one exercise together.
inline constexpr std::chrono::milliseconds kJudgementTime{kSlowdown * 120'000};
/// The device stops a kernel at the limit and says where it was; only then does the judge end the program.
inline constexpr std::chrono::milliseconds kGrace{1'000};
/// Loading the object: dynamic linking and constructors.
inline constexpr std::chrono::milliseconds kLoadTime{10'000};
/// Memory of the process that holds the submission, besides what the device's runtime holds there: little
/// enough to be filled well within a call's time. A virtual machine may need 4 s for 1 GiB of new pages.
inline constexpr std::size_t kHostMemory = std::size_t{256} << 20;
/// Device memory that a submission may hold besides the judge's buffers, on the emulated device. On a GPU it
/// may hold what the judge does not need.
inline constexpr std::size_t kDeviceMemory = std::size_t{1} << 30;
/// Bytes that one call may bring from the device to the host, for a check of its own or a count that it
/// needs.
inline constexpr std::uint64_t kFreeHostReads = 4096;
/// Bytes that it may bring to the device, such as a table: as many as constant memory has.
inline constexpr std::uint64_t kFreeHostWrites = 65536;
/// Attempts that a submission may lose before the remaining cases are not run.
inline constexpr int kMaxLostAttempts = 3;

}  // namespace lockstep::judge
