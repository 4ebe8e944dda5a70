// Interface of the exercise "sparse-matrix". The grader calls these functions; never edit this file.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>

/// How many bytes of device memory `sparse_matrix` needs as its workspace. The grader asks before each call
/// and grants at most 12 · (rows + nonzeros) + 65 536 bytes.
std::size_t sparse_matrix_workspace_bytes(int rows, int nonzeros);

/// Multiplies a sparse matrix by a vector: y = A x. The matrix is in compressed sparse rows: those of row r
/// are the nonzeros row_begins[r] to row_begins[r + 1] - 1.
///
/// @param row_begins     device memory, rows + 1 elements that never descend, from 0 to `nonzeros`; must not
///                       be changed
/// @param column_indices device memory, one for each nonzero, 0 to columns - 1, ascending within a row; must
///                       not be changed
/// @param values         device memory, one for each nonzero; must not be changed
/// @param x              device memory, `columns` elements; must not be changed
/// @param y              device memory, `rows` elements, that of a row without nonzeros being 0; overlaps no
///                       input
/// @param rows           0 or more; rows + nonzeros is less than 2^31
/// @param columns        0 or more
/// @param nonzeros       0 or more
/// @param workspace      device memory, as many bytes as sparse_matrix_workspace_bytes(rows, nonzeros) says,
///                       holding anything: what must have a value before it is read gets it from you
/// @param stream         on which all the work is enqueued
///
/// All buffers start at a multiple of 256 bytes. The products of a row may be added in any order.
void sparse_matrix(const int* row_begins, const int* column_indices, const float* values, const float* x,
                   float* y, int rows, int columns, int nonzeros, void* workspace, cudaStream_t stream);
