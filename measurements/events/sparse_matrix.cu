// The seconds of one call of sparse-matrix, by events. A size: rows, columns, nonzeros, and how these are
// shared out over the rows: banded, even, power-law, dense-row, most-empty.
#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include "event_time.h"
#include SOLUTION

using namespace event_time;

using Integers = std::vector<int>;

/// As the judge's problem states its matrices: rows that are not empty get one more or one less, any of them,
/// until there are as many nonzeros as wanted.
void bring_to(std::int64_t nonzeros, Integers& lengths, int columns, std::mt19937& random) {
  Integers may_change;
  for (std::size_t row = 0; row < lengths.size(); ++row)
    if (lengths[row] > 0) may_change.push_back(static_cast<int>(row));
  std::uniform_int_distribution<std::size_t> any(0, may_change.size() - 1);
  std::int64_t missing = nonzeros - std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  while (missing != 0) {
    int& length = lengths[static_cast<std::size_t>(may_change[any(random)])];
    const int step = missing > 0 ? 1 : -1;
    if (length + step < 1 || length + step > columns) continue;
    length += step;
    missing -= step;
  }
}

/// About as many as the matrix has nonzeros.
Integers lengths_of(const std::string& kind, int rows, int columns, int nonzeros, std::mt19937& random) {
  Integers lengths(static_cast<std::size_t>(rows));
  const double mean = static_cast<double>(nonzeros) / rows;
  std::uniform_real_distribution<double> share(0, 1);
  const auto even = [&](double of) { return static_cast<int>(1 + share(random) * (2 * of - 1)); };
  for (int& length : lengths) {
    if (kind == "banded") {
      length = static_cast<int>(mean);
    } else if (kind == "power-law") {  // 3 to 8192, a length half as frequent as one that is half of it
      length = static_cast<int>(3 / (share(random) * (1 - 3.0 / 8192) + 3.0 / 8192));
    } else if (kind == "most-empty") {
      length = share(random) < 0.05 ? even(20 * mean) : 0;
    } else {
      length = even(kind == "dense-row" ? mean / 2 : mean);
    }
    length = std::min(length, columns);
  }
  if (kind == "dense-row") lengths[static_cast<std::size_t>(rows) / 3] = std::min(nonzeros / 2, columns);
  return lengths;
}

/// One column of each of as many pieces of the columns as the row has nonzeros; a band follows the diagonal.
struct Column {
  const int *begins, *rows;
  int columns;
  bool is_banded;
  unsigned seed;
  __device__ unsigned operator()(std::size_t i) const {
    const int row = rows[i], begin = begins[row], length = begins[row + 1] - begin;
    const long long k = static_cast<long long>(i) - begin;
    if (is_banded) return max(0, min(row - length / 2, columns - length)) + static_cast<int>(k);
    const long long first = k * columns / length, end = (k + 1) * columns / length;
    return static_cast<unsigned>(first) + random_below(static_cast<unsigned>(end - first), i, seed);
  }
};

struct RandomFloat {
  unsigned seed;
  __device__ float operator()(std::size_t i) const { return random_share(i, seed); }
};

/// Where nonzeros lie in rows: the bounds of the rows, and the row of each nonzero on the device.
struct Pattern {
  Integers begins;
  const int* rows_of_nonzeros;
};

Pattern pattern_of(const std::string& kind, int rows, int columns, int nonzeros, unsigned seed) {
  std::mt19937 random(seed);
  Integers lengths = lengths_of(kind, rows, columns, nonzeros, random);
  bring_to(nonzeros, lengths, columns, random);
  Integers begins{0};
  for (const int length : lengths) begins.push_back(begins.back() + length);
  Integers row_of(static_cast<std::size_t>(nonzeros));
  for (int row = 0; row < rows; ++row)
    std::fill(row_of.begin() + begins[row], row_of.begin() + begins[row + 1], row);
  return {std::move(begins), copied(row_of)};
}

Task task_of(const Size& size) {
  const int rows = size.number(0), columns = size.number(1), nonzeros = size.number(2);
  const std::string kind = size.word(3);
  // Several: where rows are threads, the call ends with the longest row, and which block has it is chance.
  const auto patterns = std::make_shared<std::vector<Pattern>>();
  for (unsigned seed = 0; seed < kContents; ++seed)
    patterns->push_back(pattern_of(kind, rows, columns, nonzeros, seed));
  const auto make_call = [=](unsigned seed) {
    const Pattern& pattern = (*patterns)[seed % kContents];
    const auto count = static_cast<std::size_t>(nonzeros);
    const int* const row_begins = copied(pattern.begins);
    const auto* const indices =
        filled<int>(count, Column{row_begins, pattern.rows_of_nonzeros, columns, kind == "banded", seed});
    const auto* const values = filled<float>(count, RandomFloat{seed});
    const auto* const x = filled<float>(static_cast<std::size_t>(columns), RandomFloat{~seed});
    auto* const y = allocate<float>(static_cast<std::size_t>(rows));
    auto* const workspace = allocate<unsigned char>(sparse_matrix_workspace_bytes(rows, nonzeros));
    return [=](cudaStream_t stream) {
      sparse_matrix(row_begins, indices, values, x, y, rows, columns, nonzeros, workspace, stream);
    };
  };
  return {{.bytes = 8.0 * nonzeros + 8.0 * rows + 4.0 * std::min(nonzeros, columns)}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
