// Transpose of a matrix of any shape, the reference. Lecture: 05-transpose.
// Bound: memory bandwidth. Every sector is written once and whole, also where rows start anywhere; four
// kernels, since what makes vectors, whole sectors and full tiles differs: rows aligned or not, few columns,
// few rows.
#include "transpose.h"

#include "lockstep/check_cuda.h"
#include "lockstep/divide_up.h"

constexpr int kLanes = 32;
constexpr int kSector = 8;               // elements of a sector of 32 bytes
constexpr int kWideTile = 64;            // elements along a side of a block's tile
constexpr int kVectors = kWideTile / 4;  // the same in vectors; also threads along a side of the block
constexpr int kTileRows = 64;            // of `in`, for rows that start anywhere
constexpr int kStripColumns = 256;       // of a strip, which is worked down tile row by tile row
constexpr int kMany = 640;  // rows or columns; with fewer, what is empty in the last tiles would weigh

__device__ float4 load_vector(const float* from) { return *reinterpret_cast<const float4*>(from); }

__global__ void transpose_wide_kernel(const float* in, float* out, int rows, int columns) {
  // Row c of the tile is column c of `in`. Its vector v lies at place v ^ (c / 4): the eight lanes that share
  // a wavefront then meet all 32 banks, whether they write down the tile or read along its rows.
  __shared__ float4 tile[kWideTile][kVectors];
  const int x = threadIdx.x, y = threadIdx.y;
  // [wide-load]
  const int first_row = blockIdx.y * kWideTile;
  const int first_column = (blockIdx.z * gridDim.x + blockIdx.x) * kWideTile;
  const int row = first_row + 4 * y, column = first_column + 4 * x;
  if (row < rows && column < columns) {  // both are multiples of 4, so all 4 x 4 elements are inside
    const float* const corner = in + row * columns + column;
    const float4 a = load_vector(corner), b = load_vector(corner + columns);
    const float4 c = load_vector(corner + 2 * columns), d = load_vector(corner + 3 * columns);
    tile[4 * x + 0][y ^ x] = make_float4(a.x, b.x, c.x, d.x);
    tile[4 * x + 1][y ^ x] = make_float4(a.y, b.y, c.y, d.y);
    tile[4 * x + 2][y ^ x] = make_float4(a.z, b.z, c.z, d.z);
    tile[4 * x + 3][y ^ x] = make_float4(a.w, b.w, c.w, d.w);
  }
  // [wide-load]
  __syncthreads();  // a row of the tile comes from sixteen threads
  const int out_column = first_row + 4 * x;
  for (int tile_row = y; tile_row < kWideTile; tile_row += kVectors) {
    const int out_row = first_column + tile_row;
    if (out_row < columns && out_column < rows) {
      float* const to = out + out_row * rows + out_column;
      *reinterpret_cast<float4*>(to) = tile[tile_row][x ^ (tile_row / 4)];
    }
  }
}

// [sector-starts]
/// How many elements before `row`, a multiple of kSector, the sector starts that holds it in a row of `out`.
__device__ int elements_into_sector(unsigned out_row, unsigned rows) { return out_row * rows % kSector; }
// [sector-starts]

/// A row of `out` gets kTileRows elements of each block: whole sectors, which start up to kSector - 1
/// elements earlier than the tile, in each row elsewhere. So the block reads kSector rows more, which others
/// read, too.
template <int kColumns>
__global__ void __launch_bounds__(kSector* kColumns)
    transpose_shifted_kernel(const float* in, float* out, int rows, int columns) {
  constexpr int kThreadRows = kSector, kLoads = (kSector + kTileRows) / kThreadRows;
  constexpr int kColumnsAtOnce = kThreadRows * kColumns / kTileRows;
  __shared__ float tile[kColumns][kSector + kTileRows + 1];  // padded: a row lies in 32 different banks
  const int first_row = blockIdx.y * kTileRows;
  const int first_column = (blockIdx.z * gridDim.x + blockIdx.x) * kColumns;
  // [shifted-load]
  const int x = threadIdx.x % kColumns, y = threadIdx.x / kColumns, column = first_column + x;
  const int least_row = rows % kSector == 0 ? first_row : max(first_row - kSector, 0);
  float values[kLoads];  // read all before the first is needed, to have many bytes on their way
  for (int k = 0; k < kLoads; ++k) {
    const int row = first_row - kSector + y + k * kThreadRows;
    const bool is_inside = least_row <= row && row < rows && column < columns;
    values[k] = is_inside ? in[row * columns + column] : 0;
  }
  for (int k = 0; k < kLoads; ++k) tile[x][y + k * kThreadRows] = values[k];
  // [shifted-load]
  __syncthreads();  // a row of `out` comes from all warps
  const int i = threadIdx.x % kTileRows;
  for (int c = threadIdx.x / kTileRows; c < kColumns; c += kColumnsAtOnce) {
    const int out_row = first_column + c;
    const int shift = elements_into_sector(out_row, rows), row = first_row - shift + i;
    if (out_row < columns && 0 <= row && row < rows) {
      out[out_row * rows + row] = tile[c][kSector - shift + i];
    }
  }
}

constexpr int kNarrowThreads = 512, kNarrowLoads = 12;
constexpr int kNarrowTile = kNarrowThreads * kNarrowLoads;  // elements
constexpr int kFewColumns = 96, kFewRows = 192;  // with more, too little of such a tile would be left

/// Where element i of a tile is kept: one word in 33 is free, so that steps of any length meet few banks
/// twice.
__device__ unsigned place(unsigned i) { return i + i / kLanes; }

/// The threads of a block go through lines of `length` elements, side by side, kNarrowThreads further each
/// time.
struct Walk {
  int length, line, element;
  __device__ explicit Walk(int length)
      : length(length), line(threadIdx.x / length), element(threadIdx.x % length) {}
  __device__ void go_on() {
    line += kNarrowThreads / length;
    element += kNarrowThreads % length;
    if (element >= length) {
      element -= length;
      ++line;
    }
  }
};

/// Whole rows lie side by side: a tile is a run of `in`. What is written starts at sectors as above.
__global__ void __launch_bounds__(kNarrowThreads)
    transpose_few_columns_kernel(const float* in, float* out, int rows, int columns, int tile_rows) {
  __shared__ float tile[kNarrowTile + kNarrowTile / kLanes];
  // [few-columns-load]
  const int first_row = blockIdx.x * tile_rows;
  const int begin = (first_row - kSector) * columns, end = min(first_row + tile_rows, rows) * columns;
  float values[kNarrowLoads];
  for (int k = 0; k < kNarrowLoads; ++k) {
    const int i = k * kNarrowThreads + threadIdx.x;
    values[k] = -begin <= i && i < end - begin ? in[begin + i] : 0;
  }
  for (int k = 0; k < kNarrowLoads; ++k) tile[place(k * kNarrowThreads + threadIdx.x)] = values[k];
  // [few-columns-load]
  __syncthreads();  // a column comes from all warps
  // [few-columns-store]
  for (Walk at(tile_rows); at.line < columns; at.go_on()) {
    const int column = at.line, shift = elements_into_sector(column, rows);
    const int row = first_row - shift + at.element;
    if (0 <= row && row < rows) {
      out[column * rows + row] = tile[place((kSector - shift + at.element) * columns + column)];
    }
  }
  // [few-columns-store]
}

/// Whole columns become a run of `out`.
__global__ void __launch_bounds__(kNarrowThreads)
    transpose_few_rows_kernel(const float* in, float* out, int rows, int columns, int tile_columns) {
  __shared__ float tile[kNarrowTile + kNarrowTile / kLanes];
  const int first_column = blockIdx.x * tile_columns, width = min(tile_columns, columns - first_column);
  // [few-rows]
  float values[kNarrowLoads];
  Walk from(tile_columns), to(tile_columns);
  for (float& value : values) {
    const int row = from.line, column = from.element;
    value = row < rows && column < width ? in[row * columns + first_column + column] : 0;
    from.go_on();
  }
  for (const float value : values) {
    const int row = to.line, column = to.element;
    if (row < rows) tile[place(column * rows + row)] = value;
    to.go_on();
  }
  __syncthreads();  // a column comes from all warps
  for (int i = threadIdx.x; i < width * rows; i += kNarrowThreads)
    out[first_column * rows + i] = tile[place(i)];
  // [few-rows]
}

/// Blocks start with x running fastest, then y: strip after strip, all equally wide, each from top to bottom.
dim3 strips_of(int rows, int tile_rows, int columns, int tile_columns) {
  const int tiles = lockstep::divide_up(columns, tile_columns);
  const int strips = columns < kMany ? 1 : lockstep::divide_up(columns, kStripColumns);
  return dim3(lockstep::divide_up(tiles, strips), lockstep::divide_up(rows, tile_rows), strips);
}

template <int kColumns>
void transpose_shifted(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  const dim3 blocks = strips_of(rows + kSector - 1, kTileRows, columns, kColumns);
  transpose_shifted_kernel<kColumns><<<blocks, kSector * kColumns, 0, stream>>>(in, out, rows, columns);
}

void transpose(const float* in, float* out, int rows, int columns, cudaStream_t stream) {
  if (rows == 0 || columns == 0) return;  // a grid without blocks is an error
  // [by-shape]
  if (columns <= kFewColumns) {
    const int tile_rows = (kNarrowTile / columns / kSector - 1) * kSector;
    const int blocks = lockstep::divide_up(rows + kSector - 1, tile_rows);
    transpose_few_columns_kernel<<<blocks, kNarrowThreads, 0, stream>>>(in, out, rows, columns, tile_rows);
  } else if (rows % kSector == 0 && columns % kSector == 0) {
    const dim3 threads(kVectors, kVectors);
    const dim3 blocks = strips_of(rows, kWideTile, columns, kWideTile);
    transpose_wide_kernel<<<blocks, threads, 0, stream>>>(in, out, rows, columns);
  } else if (rows <= kFewRows) {
    const int tile_columns = kNarrowTile / rows / kSector * kSector;
    const int blocks = lockstep::divide_up(columns, tile_columns);
    transpose_few_rows_kernel<<<blocks, kNarrowThreads, 0, stream>>>(in, out, rows, columns, tile_columns);
  } else if (min(rows, columns) < kMany) {
    transpose_shifted<32>(in, out, rows, columns, stream);
  } else {
    transpose_shifted<64>(in, out, rows, columns, stream);
  }
  // [by-shape]
  CHECK_CUDA(cudaGetLastError());
}
