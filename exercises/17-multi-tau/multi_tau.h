// Interface of the exercise "multi-tau". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// Positions of a group: so many sums it has, each of one delay.
constexpr int kPositions = 32;
/// Words of state that a sensor keeps for each group: kPositions + 1 bins and the zero-delay register.
constexpr int kStateWords = kPositions + 2;
/// The most groups that a call asks for.
constexpr int kMostGroups = 10;

/// How many bytes of device memory `multi_tau` needs as its workspace. The grader asks before each call and
/// grants at most 16 · sensors · (instants + 2048) bytes.
std::size_t multi_tau_workspace_bytes(int sensors, int instants, int groups);

/// Correlates a packet of counts with all counts before it, at 32 delays for each of `groups` resolutions.
///
/// Let y(t) be a sensor's count at instant t, for t = 1, 2, …; y(t) = 0 for t ≤ 0. The packet holds the
/// instants elapsed < t ≤ elapsed + instants. A bin of group g is a sum of 2^g counts:
///
///     Y_g(e) = y(e) + y(e − 1) + … + y(e − 2^g + 1)
///     D_g(M, p) = Y_g(M − 32·(2^g − 1) − p·2^g)          what group g holds at position p at instant M
///
///     sums[g][p] = sums_before[g][p] + Σ Y_g(M) · D_g(M, p)    over all multiples M of 2^g in the packet
///
/// The state after instant t, from which the next packet goes on, is for each group, with M the last multiple
/// of 2^g up to t: D_g(M, 0) … D_g(M, 32), and the zero-delay register y(M + 1) + … + y(t), which is 0 for
/// t = M. `state_before` is the state after instant `elapsed`, `state` after the last instant of the packet.
///
/// @param counts       device memory, a frame of `sensors` counts for each instant: the count of instant
///                     elapsed + 1 + i at sensor s is counts[i · sensors + s]; must not be changed
/// @param sensors      a multiple of 32, at least 32
/// @param instants     0 or more
/// @param elapsed      instants before the packet, 0 or more; may exceed 2^31
/// @param groups       1 to kMostGroups
/// @param state_before device memory, word w of group g of sensor s is [(s · groups + g) · kStateWords + w];
///                     must not be changed
/// @param sums_before  device memory, sum p of group g of sensor s is [(s · groups + g) · kPositions + p];
///                     must not be changed
/// @param state        device memory, like state_before, holding anything
/// @param sums         device memory, like sums_before, holding anything
/// @param workspace    device memory, as many bytes as multi_tau_workspace_bytes says, holding anything
/// @param stream       on which all the work is enqueued, or which waits for it
///
/// All buffers start at a multiple of 256 bytes and do not overlap. All sums are below 2^64.
void multi_tau(const unsigned char* counts, int sensors, int instants, long long elapsed, int groups,
               const unsigned* state_before, const unsigned long long* sums_before, unsigned* state,
               unsigned long long* sums, void* workspace, cudaStream_t stream);
