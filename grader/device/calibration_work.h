// How much each kernel of calibration_kernels.cu does in one step: what the host needs to turn its time into
// a rate.
#pragma once

namespace lockstep::device {

inline constexpr unsigned kCalibrationThreads = 256;  ///< a block
/// Chains of work that a thread has under way, and how often each goes on in one step: the loop's own
/// instructions are then one or two in a hundred.
inline constexpr unsigned kChains = 8, kLinks = 16;
/// Random addresses that a thread visits in one step.
inline constexpr unsigned kDraws = 16;
/// Words of shared memory in the kernels that load and that count at random.
inline constexpr unsigned kLoadedWords = kCalibrationThreads * kChains;
inline constexpr unsigned kRandomCounterBits = 12, kRandomCounters = 1 << kRandomCounterBits;

}  // namespace lockstep::device
