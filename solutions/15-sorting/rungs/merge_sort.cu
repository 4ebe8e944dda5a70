// fails: bytes-per-element
// at: tile.keys[i] = keys[from];
// Sort tiles in shared memory, then merge sorted lists two by two, with a block for each tile of the result.
// Lecture: 15-sorting. Bound: a pass over keys and values for each doubling of the sorted length.
// Source: Satish, Harris and Garland, "Designing Efficient Sorting Algorithms for Manycore GPUs", 2009;
// Green, McColl and Bader, "GPU Merge Path", 2012, and Odeh, Green, Mwassi, Shmueli and Birk, "Merge Path",
// 2012.
#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"
#include "sorting.h"

constexpr int kTile = 1024;  // elements of a block, one per thread

// [bounds]
/// How many of `count` ascending keys are less than `key`; with `or_equal` also those that are equal to it.
__device__ int number_before(const std::uint32_t* sorted, int count, std::uint32_t key, bool or_equal) {
  int low = 0, high = count;
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (sorted[middle] < key || (or_equal && sorted[middle] == key)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
// [bounds]

/// What a block merges, and the result.
struct Tile {
  std::uint32_t keys[kTile], values[kTile], merged_keys[kTile], merged_values[kTile];
};

// [merge-by-search]
/// Merges tile.keys[first, middle) and [middle, end). An element's place is its index in its own list, and
/// the number of elements of the other list that come before it. Of equal keys the left list's come first.
__device__ void merge_element(Tile& tile, int i, int first, int middle, int end) {
  const std::uint32_t key = tile.keys[i];
  const bool is_left = i < middle;
  const int others = is_left ? number_before(tile.keys + middle, end - middle, key, false)
                             : number_before(tile.keys + first, middle - first, key, true);
  const int place = is_left ? i + others : first + (i - middle) + others;
  tile.merged_keys[place] = key;
  tile.merged_values[place] = tile.values[i];
}
// [merge-by-search]

/// Sorts each tile by itself: lists of 1 element are merged to lists of 2, these to lists of 4, and so on.
__global__ void sort_tiles_kernel(const std::uint32_t* keys, const std::uint32_t* values,
                                  std::uint32_t* keys_out, std::uint32_t* values_out, int n, int has_values) {
  __shared__ Tile tile;
  const int i = threadIdx.x, start = blockIdx.x * kTile, count = min(n - start, kTile);
  if (i < count) {
    tile.keys[i] = keys[start + i];
    tile.values[i] = has_values != 0 ? values[start + i] : 0;
  }
  for (int width = 1; width < count; width *= 2) {
    const int first = i - i % (2 * width);
    __syncthreads();  // the lists are complete
    if (i < count) merge_element(tile, i, first, min(first + width, count), min(first + 2 * width, count));
    __syncthreads();  // all are merged
    if (i < count) {
      tile.keys[i] = tile.merged_keys[i];
      tile.values[i] = tile.merged_values[i];
    }
  }
  if (i < count) {
    keys_out[start + i] = tile.keys[i];
    if (has_values != 0) values_out[start + i] = tile.values[i];
  }
}

// [merge-path]
/// How many of the first `taken` elements of the merged list come from the left one: a binary search for the
/// place where all that is taken on one side comes before all that is left on the other.
__device__ int left_part(const std::uint32_t* left, int left_count, const std::uint32_t* right,
                         int right_count, int taken) {
  int low = max(0, taken - right_count), high = min(taken, left_count);
  while (low < high) {
    const int middle = low + (high - low) / 2;
    if (left[middle] <= right[taken - 1 - middle]) {  // so left[middle] is taken, too
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}
// [merge-path]

/// Merges lists of `width` elements two by two. A block makes a tile of the merged list.
__global__ void merge_kernel(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
                             std::uint32_t* values_out, int n, int has_values, int width) {
  __shared__ Tile tile;
  __shared__ int shared_parts[2];
  const int i = threadIdx.x, start = blockIdx.x * kTile, count = min(n - start, kTile);
  // A list pair begins at a multiple of 2 · width. Where the rest is short there is no right list.
  const int first = start / width / 2 * 2 * width;
  const int middle = n - first < width ? n : first + width, end = n - middle < width ? n : middle + width;
  // [tile-ranges]
  if (i < 2) {  // what lies before the tile, and before the next
    const int taken = start - first + (i == 0 ? 0 : count);
    shared_parts[i] = left_part(keys + first, middle - first, keys + middle, end - middle, taken);
  }
  __syncthreads();  // the tile's ranges in both lists
  const int left_first = first + shared_parts[0], left_count = shared_parts[1] - shared_parts[0];
  const int right_first = middle + (start - first) - shared_parts[0];
  const int from = i < left_count ? left_first + i : right_first + (i - left_count);
  // [tile-ranges]
  if (i < count) {
    tile.keys[i] = keys[from];
    tile.values[i] = has_values != 0 ? values[from] : 0;
  }
  __syncthreads();  // both ranges
  if (i < count) merge_element(tile, i, 0, left_count, count);
  __syncthreads();  // the tile is merged
  if (i < count) {
    keys_out[start + i] = tile.merged_keys[i];
    if (has_values != 0) values_out[start + i] = tile.merged_values[i];
  }
}

std::size_t sorting_workspace_bytes(int n) {
  return 2 * std::size_t{kTile} * lockstep::divide_up(n, kTile) * sizeof(std::uint32_t);
}

void sorting(const std::uint32_t* keys, const std::uint32_t* values, std::uint32_t* keys_out,
             std::uint32_t* values_out, int n, int has_values, void* workspace, cudaStream_t stream) {
  if (n == 0) return;  // a grid without blocks is an error
  const int tiles = lockstep::divide_up(n, kTile);
  std::uint32_t* const other_keys = static_cast<std::uint32_t*>(workspace);
  std::uint32_t* const other_values = other_keys + std::size_t{kTile} * tiles;
  int passes = 0;
  while (std::size_t{kTile} << passes < n) ++passes;
  bool is_in_output = passes % 2 == 0;  // so that the last pass ends there
  sort_tiles_kernel<<<tiles, kTile, 0, stream>>>(keys, values, is_in_output ? keys_out : other_keys,
                                                 is_in_output ? values_out : other_values, n, has_values);
  CHECK_CUDA(cudaGetLastError());
  for (int pass = 0; pass < passes; ++pass) {
    merge_kernel<<<tiles, kTile, 0, stream>>>(
        is_in_output ? keys_out : other_keys, is_in_output ? values_out : other_values,
        is_in_output ? other_keys : keys_out, is_in_output ? other_values : values_out, n, has_values,
        kTile << pass);
    CHECK_CUDA(cudaGetLastError());
    is_in_output = !is_in_output;
  }
}
