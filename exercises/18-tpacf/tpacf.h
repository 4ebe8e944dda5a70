// Interface of the exercise "tpacf". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// The most bins that a call asks for.
constexpr int kMostBins = 64;

/// How many bytes of device memory `tpacf` needs as its workspace. The grader asks before each call and
/// grants at most 128 bytes for each point, 8 KiB for each set, the data included, and 4 MiB.
std::size_t tpacf_workspace_bytes(int n, int m, int sets, int bins);

/// Two-point angular correlation of n points on the sphere, the data, with `sets` sets of m random points
/// each.
///
/// A point of right ascension α and declination δ is x = (cos δ cos α, cos δ sin α, sin δ). The separation θ
/// of two points is the angle between them: |x − y|² = 4 sin²(θ/2). Bin k, of `bins`, holds the pairs with
///
///     θ_k ≤ θ < θ_{k+1},        θ_k = first · 10^(k / per_decade) degrees
///
/// and pairs closer than θ_0, or θ_bins or more apart, are in no bin. Counted are
///
///     DD[k]   pairs of two points of the data, each pair once
///     DR[k]   pairs of a point of the data and one of a random set, over all sets
///     RR[k]   pairs of two points of the same random set, each pair once, over all sets
///
/// No pair has an |x − y|² within 10^-13 of 4 sin²(θ_k/2): double precision decides on which side it is, by
/// whatever formula. Points may coincide.
///
/// With dd = DD / (n(n−1)/2), dr = DR / (n · m · sets) and rr = RR / (sets · m(m−1)/2), where a share of no
/// pairs is 0, the two estimators of the correlation are
///
///     correlation[k]        = (dd − 2 dr + rr) / rr               Landy and Szalay
///     correlation[bins + k] = (sets · DD − DR) / RR + 1           of the source, which has m = n
///
/// and both are 0 where RR[k] is 0.
///
/// @param data        device memory, α and δ in degrees of each of n points; must not be changed
/// @param randoms     device memory, likewise for m points of the first set, m of the second, …; must not be
///                    changed
/// @param n           0 or more
/// @param m           0 or more
/// @param sets        0 or more; n + m · sets is at most 2^27
/// @param first       θ_0 in degrees, at least 0.001; θ_bins is below 180
/// @param per_decade  bins in a factor of ten, 1 to 20
/// @param bins        1 to kMostBins
/// @param counts      device memory, 3 · bins numbers: DD, then DR, then RR, holding anything
/// @param correlation device memory, 2 · bins numbers, holding anything
/// @param workspace   device memory, as many bytes as tpacf_workspace_bytes says, holding anything
/// @param stream      on which all the work is enqueued
///
/// 0 ≤ α < 360 and −90 ≤ δ ≤ 90. All buffers start at a multiple of 256 bytes and do not overlap.
void tpacf(const double* data, const double* randoms, int n, int m, int sets, double first, int per_decade,
           int bins, unsigned long long* counts, double* correlation, void* workspace, cudaStream_t stream);
