// Interface of the exercise "tpacf-jackknife". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// The most bins and the most regions that a call asks for.
constexpr int kMaxAngularBins = 64, kMaxRegions = 64;

/// How many bytes of device memory `tpacf_jackknife` needs as its workspace. The grader asks before each call
/// and grants at most 128 bytes for each point and 4 MiB.
std::size_t tpacf_jackknife_workspace_bytes(int n, int regions, int bins);

/// Pairs of n points on the sphere by their distance, all of them and those that are left when the points of
/// one region are left out, for each region.
///
/// Positions, the separation θ of two points and the bins are those of `tpacf`. A point of right ascension α
/// and declination δ is x = (cos δ cos α, cos δ sin α, sin δ), |x − y|² = 4 sin²(θ/2), and bin k, of `bins`,
/// holds the pairs with
///
///     θ_k ≤ θ < θ_{k+1},        θ_k = first · 10^(k / per_decade) degrees
///
/// Pairs closer than θ_0, or θ_bins or more apart, are in no bin. A pair has two different points i < j, and
/// counts once. Points may coincide.
///
///     counts[k]                       pairs of bin k
///     counts[(1 + r) · bins + k]      pairs of bin k without any point of region r
///
/// So a pair of points in regions a and b is missing in the rows of a and of b. Where both points lie in one
/// region, it is missing in that row once: the row has one pair less, not two. A region without points leaves
/// nothing out, and its row is the first one again.
///
/// No pair has an |x − y|² within 10^-13 of 4 sin²(θ_k/2): double precision decides on which side it is, by
/// whatever formula.
///
/// @param points      device memory, α and δ in degrees of each of n points; must not be changed
/// @param region_of   device memory, at least n numbers, of which the first n are the regions of the points,
///                    each from 0 to regions − 1, in any order; what lies behind them may be anything; must
///                    not be changed
/// @param n           0 to 2^20
/// @param regions     1 to kMaxRegions; may be more than n
/// @param first       θ_0 in degrees, at least 0.001; θ_bins is below 180
/// @param per_decade  bins in a factor of ten, 1 to 20
/// @param bins        1 to kMaxAngularBins
/// @param counts      device memory, (1 + regions) · bins numbers, holding anything
/// @param workspace   device memory, as many bytes as tpacf_jackknife_workspace_bytes says, holding anything
/// @param stream      on which all the work is enqueued
///
/// 0 ≤ α < 360 and −90 ≤ δ ≤ 90. All buffers start at a multiple of 256 bytes and do not overlap.
void tpacf_jackknife(const double* points, const int* region_of, int n, int regions, double first,
                     int per_decade, int bins, unsigned long long* counts, void* workspace,
                     cudaStream_t stream);
