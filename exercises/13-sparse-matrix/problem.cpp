// What the judge knows of "sparse-matrix": shapes at the edges, rows of any length from none to all nonzeros,
// products that are whole numbers and whose sums are exact in any order, three gates.
//
// The counters below are worked out for the rungs of solutions/13-sparse-matrix; at the end of each stands
// what is counted in the worst of the measured cases. x lies anywhere: a sector of 32 bytes per nonzero.
//
// Bytes of global memory per nonzero, in whole sectors; rows of 5, but of one dense row in the first rung:
//   thread_per_row   a value, a column and x in a sector each: 96                                  95.9
//   warp_per_row     a load of 20 bytes is in 1.5 sectors, 10 per nonzero, twice; where a row
//                    begins and ends, and y, a sector each, 19; x 32: together 71                  70.4
//   lanes_by_length  8 rows of a warp side by side, 6 per nonzero, twice; 3 for rows; x 32: 47     49.8
//   segmented_sums   8, x 32, a search of 17 loads, each in few sectors, and y                     62.7
//   merge_path       8, x 32, an end and a sum per row, 1.6, and what tiles share                  44.0
//   reference        the same, with a smaller share of searches                                    42.8
// The limit of 80 is for whose lanes share the sectors of values and columns. It leaves 40 for rows.
//
// Lane-instructions per nonzero of lanes that wait:
//   thread_per_row   one dense row: 31 lanes for 7 instructions per nonzero, 217                    224
//   warp_per_row     rows of 5: 27 lanes for some 34 instructions per row, 184                      186
//   lanes_by_length  rows of 3 to 8192: a warp goes on for the longest of its rows                 30.6
//   others           searches of different length, ends of rows                              6.0 to 8.5
// Groups whose shuffles name the group alone, as those of cooperative groups do, go their own ways in a
// warp: lanes_by_length has 106 then, and tiles that add up rows by groups of 8 have 121. The limit of 140
// lets them pass.
//
// Parallelism: a thread or a warp that takes the dense row alone is a quarter of a multiprocessor, 0.25 and
// 0.37 with the work besides. A block that takes it makes 2 at most. The reference has 105 tiles; with a
// search and a last kernel of one block before and behind, it has 37.
//
// Work of the largest case: warp_per_row has 100 003 warps at 87 instructions, 8.7 million warp-instructions
// per call.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "course/numbers.h"
#include "course/poison.h"
#include "course/problem.h"
#include "lockstep/matrix_products.h"
#include "sparse_matrix.h"

namespace lockstep::sparse_matrix_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Floats = std::vector<float>;
using Integers = std::vector<int>;

struct Shape {
  int rows, columns, nonzeros;
};

/// A matrix in compressed sparse rows, and the vector that it is multiplied by.
struct Input {
  int rows() const { return static_cast<int>(begins.size()) - 1; }

  Integers begins, columns;
  Floats values, x;
};

// --- inputs ---

/// Lengths of the rows, which add up to about the nonzeros of the shape.
using MakeLengths = std::function<Integers(Shape, Random&)>;

/// Lengths that add up to exactly the nonzeros: rows that are not empty get one more or one less, none
/// getting empty or longer than the matrix has columns.
Integers with_sum(Integers lengths, Shape shape, Random& random) {
  Integers rows;  // that may change
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    if (lengths[row] > 0) rows.push_back(static_cast<int>(row));
  }
  std::int64_t missing = shape.nonzeros - std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  while (missing != 0) {
    const auto any = static_cast<std::size_t>(random.integer(0, static_cast<int>(rows.size()) - 1));
    int& length = lengths[static_cast<std::size_t>(rows[any])];
    const int changed = length + (missing > 0 ? 1 : -1);
    if (changed < 1 || changed > shape.columns) continue;
    missing -= changed - length;
    length = changed;
  }
  return lengths;
}

/// From one to less than twice the mean. Where there are more rows than nonzeros, one in rows anywhere.
Integers even(Shape shape, Random& random) {
  Integers lengths(static_cast<std::size_t>(shape.rows));
  const int mean = shape.rows > 0 ? shape.nonzeros / shape.rows : 0;
  if (mean == 0) {  // the nonzeros are in rows of their own
    std::fill_n(lengths.begin(), shape.nonzeros, 1);
    lockstep::shuffle(lengths, random);
    return lengths;
  }
  for (int& length : lengths) length = std::min(random.integer(1, 2 * mean - 1), shape.columns);
  return lengths;
}

/// Only rows from `first` to before `end`, in thousandths of all, have nonzeros, and of these one in `every`.
MakeLengths within(int first, int end, int every = 1) {
  return [=](Shape shape, Random& random) {
    const auto place = [&shape](int thousandths) {
      return static_cast<int>(static_cast<std::int64_t>(shape.rows) * thousandths / 1000);
    };
    Integers rows;
    for (int row = place(first); row < place(end); ++row) {
      if (random.integer(1, every) == 1) rows.push_back(row);
    }
    if (rows.empty()) rows.push_back(place(first));
    const Integers chosen = even({static_cast<int>(rows.size()), shape.columns, shape.nonzeros}, random);
    Integers lengths(static_cast<std::size_t>(shape.rows));
    for (std::size_t i = 0; i < rows.size(); ++i) lengths[static_cast<std::size_t>(rows[i])] = chosen[i];
    return lengths;
  };
}

/// A length of three or more is half as frequent when it is twice as long, up to 8192.
Integers power_law(Shape shape, Random& random) {
  Integers lengths(static_cast<std::size_t>(shape.rows));
  for (int& length : lengths) length = std::min(3 * 65536 / random.integer(24, 65536), shape.columns);
  return lengths;
}

/// One row, not among the first or last, has half of the columns; the others share what is left.
Integers one_dense(Shape shape, Random& random) {
  const auto dense = static_cast<std::size_t>(random.integer(shape.rows / 3, shape.rows / 2));
  Integers lengths = even({shape.rows, shape.columns, shape.nonzeros - shape.columns / 2}, random);
  lengths[dense] = shape.columns / 2;
  return lengths;
}

/// All columns whose distance from the diagonal is two or less.
Integers banded(Shape shape, Random&) {
  Integers lengths(static_cast<std::size_t>(shape.rows));
  for (int row = 0; row < shape.rows; ++row)
    lengths[static_cast<std::size_t>(row)] = std::min(row + 2, shape.columns - 1) - std::max(row - 2, 0) + 1;
  return lengths;
}

/// One column of each of `length` pieces of the columns.
void add_columns(Integers& columns, int length, int of, Random& random) {
  for (std::int64_t k = 0; k < length; ++k) {
    const auto first = static_cast<int>(k * of / length), end = static_cast<int>((k + 1) * of / length);
    columns.push_back(random.integer(first, end - 1));
  }
}

Input pattern(Shape shape, const Integers& lengths, bool is_banded, Random& random) {
  Input made;
  made.begins.push_back(0);
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    if (is_banded) {
      for (int k = 0; k < lengths[row]; ++k)
        made.columns.push_back(std::max(static_cast<int>(row) - 2, 0) + k);
    } else {
      add_columns(made.columns, lengths[row], shape.columns, random);
    }
    made.begins.push_back(static_cast<int>(made.columns.size()));
  }
  return made;
}

/// Whole numbers but 0, of either sign. In no row do the magnitudes of the products add up to 2^24, so that
/// its sum is exact in any order; and the values have up to 12 bits where rows are short.
void fill_with_whole_numbers(Input& input, int longest, Random& random) {
  constexpr int kEnd = (1 << 24) - 1;
  const int largest_product = kEnd / std::max(longest, 1);
  const int largest_x = std::min(63, static_cast<int>(std::sqrt(largest_product)));
  const int largest_value = std::min(4095, largest_product / largest_x);
  const auto draw = [&random](int largest) {
    const int magnitude = random.integer(1, largest);
    return static_cast<float>(random.integer(0, 1) == 0 ? magnitude : -magnitude);
  };
  for (float& value : input.values) value = draw(largest_value);
  for (float& one : input.x) one = draw(largest_x);
}

/// Fractions of 16 bits above 0, of which no product is exact.
void fill_with_fractions(Input& input, Random& random) {
  for (Floats* const all : {&input.values, &input.x})
    for (float& one : *all) one = static_cast<float>(random.integer(1 << 15, (1 << 16) - 1)) * 0x1p-16F;
}

// --- results ---

/// Gives the elements of y = A x, in double: exact where everything is a whole number, and else by far more
/// than a float is. Only nonzeros for which `counts(row, i)` holds are added.
template <class Counts>
auto sums_of_rows(const Input& input, Counts counts) {
  return [&input, counts](std::size_t row) {
    double sum = 0;
    for (int i = input.begins[row]; i < input.begins[row + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (counts(row, i))
        sum += static_cast<double>(input.values[at]) * input.x[static_cast<std::size_t>(input.columns[at])];
    }
    return static_cast<float>(sum);
  };
}

template <class Counts>
Floats product(const Input& input, Counts counts) {
  const auto sum_of = sums_of_rows(input, counts);
  Floats y(static_cast<std::size_t>(input.rows()));
  for (std::size_t row = 0; row < y.size(); ++row) y[row] = sum_of(row);
  return y;
}

Floats product(const Input& input) {
  return product(input, [](std::size_t, int) { return true; });
}

std::vector<KnownMistake> known_mistakes(const Input& input, const Floats& right) {
  if (right.empty()) return {};
  const Integers& begins = input.begins;
  const float nothing = never_written<float>();
  const std::size_t rows = right.size();
  Mistakes mistakes(right);

  mistakes.add_by_element(
      "the rows without nonzeros were never written",
      [&begins, &right, nothing](std::size_t row) {
        return begins[row] == begins[row + 1] ? nothing : right[row];
      },
      "Write 0 for each row that has no nonzeros, also for those behind the last nonzero.");
  const auto with_last = [&right, rows](float last) {
    return [&right, rows, last](std::size_t row) { return row + 1 < rows ? right[row] : last; };
  };
  mistakes.add_by_element(
      "the last row is 0: where it ends was not known", with_last(0),
      "Row r ends before row_begins[r + 1], the last one too: row_begins has rows + 1 elements.");
  mistakes.add_by_element("the last row was never written", with_last(nothing),
                          "Let there be a thread for each of the rows, from 0 to rows - 1.");

  const auto begin_of = [&begins](std::size_t row) { return begins[row]; };
  mistakes.add_by_element("of each row only the first nonzero was added",
                          sums_of_rows(input, [=](std::size_t row, int i) { return i == begin_of(row); }),
                          "Add the products of nonzeros row_begins[row] to row_begins[row + 1] - 1.");
  mistakes.add_by_element("the first nonzero of each row is missing",
                          sums_of_rows(input, [=](std::size_t row, int i) { return i != begin_of(row); }),
                          "The nonzeros of a row begin at row_begins[row], that one included.");
  mistakes.add_by_element(
      "the last nonzero of each row is missing",
      sums_of_rows(input, [&begins](std::size_t row, int i) { return i + 1 != begins[row + 1]; }),
      "The nonzeros of a row go up to row_begins[row + 1] - 1, that one included.");
  for (const int lanes : {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}) {
    mistakes.add_by_element(
        fmt::format("of each row only the first {} nonzeros were added", lanes),
        sums_of_rows(input, [=](std::size_t row, int i) { return i < begin_of(row) + lanes; }),
        "Go on along the row in steps of as many nonzeros as there are threads for it.");
    mistakes.add_by_element(
        fmt::format("of each row only every {}th nonzero was added", lanes),
        sums_of_rows(input, [=](std::size_t row, int i) { return (i - begin_of(row)) % lanes == 0; }),
        "This is the sum of one lane. Add up those of all lanes that share a row.");
    // Which of a row's nonzeros lie where it ends, in tiles that are made of nonzeros alone.
    const int tile = 32 * lanes;
    mistakes.add_by_element(
        fmt::format("what rows have before the last border of tiles of {} nonzeros is missing", tile),
        sums_of_rows(input, [&begins, tile](std::size_t row,
                                            int i) { return i / tile == (begins[row + 1] - 1) / tile; }),
        "Carry the sum of a row that goes on over the end of a tile to the tile in which it ends.");
  }
  for (const std::size_t block : {32U, 64U, 128U, 256U, 512U, 1024U}) {
    if (block >= rows) break;
    const auto only_first = [&right, nothing](std::size_t count) {
      return [&right, nothing, count](std::size_t row) { return row < count ? right[row] : nothing; };
    };
    mistakes.add_by_element(fmt::format("only the first {} rows were written", block), only_first(block),
                            "Let there be enough blocks for all rows.");
    mistakes.add_by_element(fmt::format("the last {} rows were never written: they do not fill a block of {}",
                                        rows % block, block),
                            only_first(rows - rows % block),
                            "Round the number of blocks up: lockstep::divide_up(rows, …).");
  }

  // With the row of a nonzero searched by < in place of <=: its first nonzero, unless it is the first of all,
  // goes to the row before that has any.
  Floats shifted = product(input, [&](std::size_t row, int i) { return i != begin_of(row) || i == 0; });
  std::size_t row_before = rows;
  for (std::size_t row = 0; row < rows; ++row) {
    if (begins[row] == begins[row + 1]) continue;
    const auto first = static_cast<std::size_t>(begins[row]);
    if (row_before < rows)
      shifted[row_before] += input.values[first] * input.x[static_cast<std::size_t>(input.columns[first])];
    row_before = row;
  }
  mistakes.add(
      "the first nonzero of each row was added to the row before", shifted,
      "Nonzero row_begins[row] is in that row already: it is the last row that begins at i or before.");

  Floats of_values(rows), of_neighbours(rows), running(rows);
  Floats transposed(rows);
  double so_far = 0;
  for (std::size_t row = 0; row < rows; ++row) {
    double values = 0, neighbours = 0;
    for (int i = begins[row]; i < begins[row + 1]; ++i) {
      const auto at = static_cast<std::size_t>(i), k = static_cast<std::size_t>(i - begins[row]);
      values += input.values[at];
      neighbours += static_cast<double>(input.values[at]) * input.x[k];
      const auto column = static_cast<std::size_t>(input.columns[at]);
      if (column < rows && row < input.x.size()) transposed[column] += input.values[at] * input.x[row];
    }
    of_values[row] = static_cast<float>(values);
    of_neighbours[row] = static_cast<float>(neighbours);
    so_far += right[row];
    running[row] = static_cast<float>(so_far);
  }
  mistakes.add("the values of each row were added, without those of x", of_values,
               "Multiply each value by x[column_indices[i]].");
  mistakes.add("nonzero k of each row was multiplied by x[k]", of_neighbours,
               "Nonzero i is in column column_indices[i]: gather x[column_indices[i]].");
  mistakes.add("each row has the sums of all rows before it as well", running,
               "The sum begins anew with each row: a segmented scan, and not a scan.");
  for (const auto& [bits, formats] : {std::pair{11, "half precision and TF32 have"}, {8, "bfloat16 has"}}) {
    mistakes.add_in_parts(
        fmt::format("the values were rounded to {} bits, as {}", bits, formats),
        [&input, count = bits](const TakePart& take) {
          Input rounded = input;
          rounded.values = matrix_products::rounded_to(input.values, count);
          const Floats y = product(rounded);
          take(std::as_bytes(std::span(y)));
        },
        "Keep the values as floats: they have up to 12 bits here.");
  }
  if (rows == input.x.size())
    mistakes.add("this is the product of the transposed matrix and x", transposed,
                 "Add values[i] * x[column_indices[i]] to y[row], and not values[i] * x[row] to "
                 "y[column_indices[i]].");
  return mistakes.known();
}

/// How many nonzeros of a row are in the sum that was found, counted from one of its ends. Whole numbers are
/// exact.
struct Parts {
  int first = 0, last = 0;  ///< 0: it is not the sum of so many
};

Parts parts_of(const Input& input, std::size_t row, float right, float found) {
  const int begin = input.begins[row], end = input.begins[row + 1];
  Parts parts;
  double sum = 0;
  for (int i = begin; i + 1 < end; ++i) {
    const auto at = static_cast<std::size_t>(i);
    sum += static_cast<double>(input.values[at]) * input.x[static_cast<std::size_t>(input.columns[at])];
    if (sum == found) parts.first = i + 1 - begin;
    if (right - sum == found) parts.last = end - i - 1;
  }
  return parts;
}

/// That all wrong rows have the sum of one end of their nonzeros, or that one has none and yet a sum. Of a
/// long row some part may have any sum by chance: so all of them have to, and the first is named.
Remark remark_on(const Input& input, std::span<const std::byte> right_bytes,
                 std::span<const std::byte> found_bytes) {
  const auto right = numbers_of<float>(right_bytes), found = numbers_of<float>(found_bytes);
  std::vector<std::size_t> wrong;
  for (std::size_t row = 0; row < right.size(); ++row) {
    if (right[row] != found[row]) wrong.push_back(row);
  }
  const auto length_of = [&input](std::size_t row) { return input.begins[row + 1] - input.begins[row]; };
  for (const std::size_t row : wrong) {
    if (length_of(row) == 0 && std::isfinite(found[row]) && found[row] != never_written<float>())
      return {fmt::format("row {} has no nonzeros, and holds what belongs to another row", row),
              "Begin the sum of each row with 0, and what is carried on with 0 where a row ends."};
  }
  if (wrong.empty()) return {};
  bool are_first = true, are_last = true;
  for (const std::size_t row : wrong) {
    const Parts parts = parts_of(input, row, right[row], found[row]);
    are_first = are_first && parts.first > 0;
    are_last = are_last && parts.last > 0;
    if (!are_first && !are_last) return {};
  }
  const Parts parts = parts_of(input, wrong[0], right[wrong[0]], found[wrong[0]]);
  if (are_first)
    return {fmt::format("row {} has the sum of the first {} of its {} nonzeros", wrong[0], parts.first,
                        length_of(wrong[0])),
            "Let the row go on: over the end of a tile, and up to row_begins[row + 1]."};
  return {fmt::format("row {} has the sum of the last {} of its {} nonzeros", wrong[0], parts.last,
                      length_of(wrong[0])),
          "Add what a tile before has of the row to what the tile has in which it ends."};
}

// --- calls ---

Call make_call(Input made, Tolerance tolerance) {
  const auto input = std::make_shared<const Input>(std::move(made));
  const auto right = std::make_shared<const Floats>(product(*input));
  Output y;
  y.type = ElementType::f32;
  y.expected = bytes_of(*right);
  y.tolerance = tolerance;
  y.position = [input](std::size_t row) {
    const int length = input->begins[row + 1] - input->begins[row];
    return fmt::format("row {}, of {} nonzero{}", row, length, length == 1 ? "" : "s");
  };
  y.known_mistakes = [=] { return known_mistakes(*input, *right); };
  y.remark = [input](std::span<const std::byte> expected, std::span<const std::byte> found) {
    return remark_on(*input, expected, found);
  };
  Call call;
  call.input("row_begins", input->begins).input("column_indices", input->columns);
  call.input("values", input->values).input("x", input->x).output("y", std::move(y));
  call.scalar("rows", input->rows()).scalar("columns", static_cast<int>(input->x.size()));
  call.scalar("nonzeros", static_cast<int>(input->values.size()));
  call.workspace("workspace").stream();
  return call;
}

enum class Values : std::uint8_t { whole_numbers, fractions };

Case make_case(Shape shape, std::string purpose, MakeLengths lengths = even,
               Values values = Values::whole_numbers, bool is_banded = false) {
  Case made;
  made.name = fmt::format("{} x {}, {} nonzero{}", shape.rows, shape.columns, shape.nonzeros,
                          shape.nonzeros == 1 ? "" : "s");
  made.purpose = std::move(purpose);
  made.prepare = [=](Random& random) {
    const Integers exact = with_sum(lengths(shape, random), shape, random);
    Input input = pattern(shape, exact, is_banded, random);
    input.values.resize(input.columns.size());
    input.x.resize(static_cast<std::size_t>(shape.columns));
    const int longest = exact.empty() ? 0 : std::ranges::max(exact);
    if (values == Values::whole_numbers) {
      fill_with_whole_numbers(input, longest, random);
      return make_call(std::move(input), {});
    }
    fill_with_fractions(input, random);
    // All products are positive: the sum of the magnitudes is the sum. One by one, n products are rounded
    // once each and n - 1 times as they are added; what is expected is rounded once as well.
    return make_call(std::move(input), {.relative = (longest + 1) * 0x1p-24});
  };
  const double nonzeros = shape.nonzeros, words = 2 * nonzeros + 2.0 * shape.rows + 1;
  made.cost = {.elements = nonzeros,
               .global_bytes = (words + std::min(nonzeros, static_cast<double>(shape.columns))) * 4,
               .fused_multiply_adds = nonzeros};
  return made;
}

/// R = 0 2 5 6 and C = 1 2 0 1 2 2: rows of two, three and one nonzeros.
Case small_example() {
  Case made = make_case({3, 3, 6}, "the matrix of the task, whose last row has one nonzero");
  made.prepare = [](Random& random) {
    Input input;
    input.begins = {0, 2, 5, 6};
    input.columns = {1, 2, 0, 1, 2, 2};
    input.values.resize(6);
    input.x.resize(3);
    fill_with_whole_numbers(input, 3, random);
    return make_call(std::move(input), {});
  };
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "sparse-matrix";
  problem.title = "Multiply a sparse matrix by a vector";
  problem.lesson =
      "rows differ in length: which threads take which nonzeros decides how many of them have work";
  problem.function = LOCKSTEP_SIGNATURE(sparse_matrix);
  WorkspaceQuery query;
  query.function = LOCKSTEP_SIGNATURE(sparse_matrix_workspace_bytes);
  query.arguments = [](const Call& call) {
    std::vector<std::uint64_t> sizes;
    for (const std::string name : {"rows", "nonzeros"}) {
      for (const Argument& one : call.arguments())
        if (one.name == name) sizes.push_back(one.scalar_bits);
    }
    return sizes;
  };
  // A product, a row and a flag for each nonzero and as much for each row.
  query.limit_bytes = [arguments = query.arguments](const Call& call) {
    const std::vector<std::uint64_t> sizes = arguments(call);
    return 12 * (sizes.at(0) + sizes.at(1)) + 65536;
  };
  problem.workspace = std::move(query);
  problem.cases = {
      make_case({0, 5, 0}, "no rows: a grid without blocks cannot be launched"),
      make_case({7, 0, 0}, "no columns: each row is 0, which somebody has to write"),
      make_case({1000, 50, 0}, "no nonzeros: each row is 0"),
      make_case({1, 1, 1}, "a single product"),
      small_example(),
      make_case({1, 5000, 3001}, "one row: a vector times a vector, longer than a block"),
      make_case({41, 1, 1}, "one column: one row has a nonzero"),
      make_case({5000, 2, 2503}, "two columns, and no row has more than one nonzero"),
      make_case({31, 33, 155}, "one row less than a warp has lanes"),
      make_case({32, 32, 32}, "as many rows as lanes, and one nonzero each", within(0, 1000)),
      make_case({33, 31, 330}, "one row more than a warp has lanes"),
      make_case({1023, 1025, 5000}, "one row less than a block of 1024"),
      make_case({1024, 1024, 32768}, "whole tiles of every usual size, as many columns as rows"),
      make_case({1025, 1023, 5000}, "one row more than a block of 1024"),
      named("5000 x 5000, banded", make_case({5000, 5000, 24994}, "the columns next to the diagonal", banded,
                                             Values::whole_numbers, true)),
      named("9001 x 3000, first rows empty",
            make_case({9001, 3000, 20011}, "the first six of ten rows are empty", within(600, 1000))),
      named("9001 x 3000, last rows empty",
            make_case({9001, 3000, 20011}, "the last six of ten rows are empty", within(0, 400))),
      named("20011 x 7919, most rows empty",
            make_case({20011, 7919, 30011}, "one row of twenty has nonzeros", within(0, 1000, 20))),
      make_case({20000, 4000, 3001}, "more rows than nonzeros"),
      named("17 x 20000, long rows", make_case({17, 20000, 100003}, "rows longer than any block or tile")),
      named("300007 x 50000, one row is not empty",
            make_case({300007, 50000, 50000}, "one dense row among empty ones",
                      [](Shape shape, Random& random) {
                        Integers lengths(static_cast<std::size_t>(shape.rows));
                        const auto dense = static_cast<std::size_t>(random.integer(1000, shape.rows - 1000));
                        lengths[dense] = shape.columns;
                        return lengths;
                      })),
      named("3001 x 2003, fractions",
            make_case({3001, 2003, 60000}, "sums that are rounded in any order", even, Values::fractions)),
      named("rows of 5",
            wide(measured(make_case({100003, 90001, 500015}, "short rows: five nonzeros on average")))),
      named("rows of 3 to 8192",
            wide(measured(make_case({25013, 50021, 675351},
                                    "most rows are short, and a few have most of the nonzeros", power_law)))),
      named("one dense row",
            wide(measured(make_case({509, 800018, 402045}, "one row has nearly all nonzeros", one_dense)))),
  };
  problem.speed = {
      .sizes = {make_case({607, 1 << 10, 1 << 14}, "a few blocks", power_law),
                make_case({2427, 1 << 12, 1 << 16}, "a few tiles of nonzeros", power_law),
                make_case({9709, 1 << 14, 1 << 18}, "less than one tile for each multiprocessor", power_law),
                make_case({38836, 1 << 16, 1 << 20}, "a few tiles for each multiprocessor", power_law),
                make_case({155345, 1 << 18, 1 << 22}, "a matrix that lies in the caches", power_law),
                make_case({621378, 1 << 20, 1 << 24}, "more nonzeros than any cache holds", power_law)},
      .variations = {named("banded", make_case({3355443, 3355443, 16777209}, "columns next to the diagonal",
                                               banded, Values::whole_numbers, true)),
                     named("sixteen per row", make_case({1 << 20, 1 << 20, 1 << 24}, "rows of 1 to 31")),
                     named("a dense row", make_case({1 << 20, 1 << 24, 1 << 24},
                                                    "one row has half of the nonzeros", one_dense)),
                     named("most rows empty",
                           make_case({1 << 22, 1 << 21, 1 << 24}, "one row of twenty has nonzeros",
                                     within(0, 1000, 20))),
                     named("long rows", make_case({1000, 1 << 19, 1 << 24}, "rows longer than many tiles"))},
      .reference = {.first_ratio = 0.21}};
  problem.gates = {
      bytes_per_element_gate(
          80,
          {.scattered = "Let neighbouring lanes read neighbouring nonzeros: several lanes share a row, or a "
                        "block loads a piece of all nonzeros into shared memory.",
           .again = "Read each nonzero once, and keep its product in a register or in shared memory."},
          "nonzero"),
      idle_lanes_gate(
          140, {.branches = "Give each row as many lanes as it has nonzeros, or give each thread the same "
                            "number of nonzeros, in whatever rows they are."}),
      parallelism_gate(8,
                       "Share out the nonzeros of a long row as well: let several blocks take pieces of it, "
                       "and add up what each of them has."),
  };
  problem.hints = {
      "Row r has the nonzeros row_begins[r] to row_begins[r + 1] - 1. With a thread for each row this is a "
      "loop, and it is right. Count what a load of values costs then: lane l reads where its row has come "
      "to, far from where lane l + 1 does.",
      "Let several lanes share a row: lane l takes nonzeros l, l + 32, l + 64, … of it, and shuffles add up "
      "the lanes. Where a row has five nonzeros a warp is too much: with 2, 4, 8 or 16 lanes per row a warp "
      "has several rows, and the mean length, nonzeros / rows, says how many lanes.",
      "No number of lanes suits a row of a million nonzeros among rows of five. Share out the nonzeros in "
      "place of the rows: each block takes as many as any other. A tile of products in shared memory is "
      "then added up in pieces, which begin and end where rows do.",
      "A row may go on in the next tile. What a tile has at its end of a row that does not end there is "
      "carried to the row by a second kernel, which finds all tiles of a long row and adds up their sums.",
      "Millions of empty rows are work too: somebody has to write their zeros. Count the ends of rows as "
      "steps like the nonzeros: the end of row r is step row_begins[r + 1] + r. A binary search finds "
      "how many rows end before step s, and every thread takes as many steps as the others.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::sparse_matrix_problem
