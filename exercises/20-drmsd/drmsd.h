// Interface of the exercise "drmsd". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// How many bytes of device memory `drmsd` needs as its workspace. The grader asks before each call and
/// grants at most 32 bytes for each atom of the reference and of every frame, and 4 MiB.
std::size_t drmsd_workspace_bytes(int n, int frames);

/// How much the distances between the atoms of each frame differ from those of a reference structure:
///
///     out[f] = √( 2 / (n (n − 1)) · Σ_{i<j} (|r_i − r_j| − |x_i − x_j|)² )
///
/// with r_i the position of atom i in the reference and x_i its position in frame f. Fewer than two atoms
/// have no distance: then out[f] = 0. Source: the DRMSD of PLUMED, of all pairs.
///
/// Positions are exact, distances are not: one in float is off by up to 2⁻²¹ of itself, whichever way it is
/// made. So out[f] may be off by 10⁻⁵ of itself, as sums are, and by 2⁻²⁰ of the diagonal of the box along
/// the axes that holds the atoms of the reference, or of the frame, whichever is longer, and by 10⁻¹⁵. A
/// frame equal to the reference, or its mirror image along an axis, has exactly 0.
///
/// @param reference  device memory, 3 n floats: x, y, z of atom 0, then of atom 1, …; must not be changed
/// @param trajectory device memory, 3 n floats for each frame, in the same order; must not be changed
/// @param out        device memory, a float for each frame
/// @param n          number of atoms, 0 or more
/// @param frames     number of frames, 0 or more; for 0 there is nothing to do
/// @param workspace  device memory, as many bytes as drmsd_workspace_bytes(n, frames) says, holding anything
/// @param stream     on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes; the second frame starts wherever the first ends. Positions
/// are finite and at most 10 000 from the origin. Different atoms may have the same position.
void drmsd(const float* reference, const float* trajectory, float* out, int n, int frames, void* workspace,
           cudaStream_t stream);
