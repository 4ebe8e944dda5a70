// Interface of the exercise "drmsd-matrix". The grader calls this function; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

/// How much the distances between the atoms differ, for every two frames of a trajectory: that of frames f <
/// g,
///
///     √( 2 / (n (n − 1)) · Σ_{i<j} (|x_i − x_j| − |y_i − y_j|)² )
///
/// with x_i the position of atom i in frame f and y_i its position in frame g. Fewer than two atoms have no
/// distance: then it is 0. Written is the condensed matrix, the part above the diagonal row by row: first
/// those of frame 0 with frames 1, 2, …, then of frame 1 with frames 2, 3, …, as SciPy's pdist orders them.
///
/// Positions are exact, distances are not: one in float is off by up to 2⁻²¹ of itself, whichever way it is
/// made. So a result may be off by 10⁻⁵ of itself, as sums are, and by 2⁻²⁰ of the diagonal of the box along
/// the axes that holds the atoms of the one frame, or of the other, whichever is longer, and by 10⁻¹⁵; the
/// grader allows every result of a matrix what it allows one. Two frames that are equal, or mirror images
/// along an axis, have exactly 0.
///
/// @param trajectory device memory, 3 n floats for each frame: x, y, z of atom 0, then of atom 1, …; must not
///                   be changed
/// @param out        device memory, frames (frames − 1) / 2 floats, which hold anything
/// @param n          number of atoms, 0 to 65 535
/// @param frames     number of frames, 0 to 65 535; of fewer than two there is nothing to write
/// @param stream     on which all the work is enqueued
///
/// Both buffers start at a multiple of 256 bytes; a frame starts wherever the one before ends. Positions are
/// finite and at most 10 000 from the origin. Different atoms may have the same position.
void drmsd_matrix(const float* trajectory, float* out, int n, int frames, cudaStream_t stream);
