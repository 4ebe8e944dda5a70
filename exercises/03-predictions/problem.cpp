// What the judge knows of "predictions": nine functions of kernels.cu, each called once, and ten counts that
// students predict. What is measured is counted when their file is graded; here stands only which counters
// make a number, and why. The numbers by hand are in solutions/03-predictions.
#include <cstddef>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "predictions.h"

namespace lockstep::predictions_problem {
namespace {

using lockstep::Random;
using lockstep::emulator::LineCounters;
using lockstep::emulator::Traffic;
using namespace lockstep::course;

using Ints = std::vector<int>;

constexpr int kMany = 2048;     ///< elements: whole blocks
constexpr int kNotFull = 1000;  ///< and a number that fills its last warp by a quarter
constexpr int kWarp = 32;

std::size_t size(int n) { return static_cast<std::size_t>(n); }

/// A case of one call with `inputs` random numbers, whose output element i is `right`(in, i); `with_n`: the
/// function has a parameter n.
Case make_case(std::string puzzle, int inputs, int n, bool with_n, std::string purpose,
               const std::function<int(const Ints&, int)>& right) {
  Case made;
  made.puzzle = made.name = std::move(puzzle);
  made.purpose = std::move(purpose);
  made.prepare = [inputs, n, with_n, right](Random& random) {
    const Ints in = random.integers(size(inputs), 1, 1 << 20);
    Output out{.type = ElementType::i32};
    Ints expected;
    for (int i = 0; i < n; ++i) expected.push_back(right(in, i));
    out.expected = bytes_of(expected);
    Call call;
    call.input("in", in).output("out", std::move(out));
    if (with_n) call.scalar("n", n);
    call.stream();
    return call;
  };
  made.cost = {.elements = static_cast<double>(n), .global_bytes = 4.0 * (inputs + n)};
  return once(measured(made));
}

int transposed(const Ints& in, int i) { return in[size(kWarp * (i % kWarp) + i / kWarp)]; }

/// Sectors or wavefronts per request.
Prediction units_per_request(Prediction one, Traffic LineCounters::*traffic) {
  one.counted = [traffic](const LineCounters& line) { return static_cast<double>((line.*traffic).units); };
  one.per = [traffic](const LineCounters& line) { return static_cast<double>((line.*traffic).requests); };
  return one;
}

/// Lanes of 4 bytes that take part in a request.
Prediction lanes_per_request(Prediction one, Traffic LineCounters::*traffic) {
  one = units_per_request(std::move(one), traffic);
  one.counted = [traffic](const LineCounters& line) {
    return static_cast<double>((line.*traffic).bytes) / 4;
  };
  return one;
}

/// A count of branches.
Prediction branches(Prediction one, std::uint64_t LineCounters::*count) {
  one.counted = [count](const LineCounters& line) { return static_cast<double>(line.*count); };
  return one;
}

/// One that is shown only when it is right.
Prediction withheld(Prediction one) {
  one.is_withheld = true;
  return one;
}

std::vector<Prediction> all_predictions() {
  const std::string sectors = "sectors per request", wavefronts = "wavefronts per request";
  Prediction rounds{"rounds_requests",
                    "How many load requests does each warp make in rounds_kernel?",
                    "requests per warp",
                    "rounds",
                    nullptr,
                    nullptr,
                    "A loop lasts as long as its slowest lane needs, and lane 31 makes 31 rounds."};
  rounds.counted = [](const LineCounters& line) { return static_cast<double>(line.global_load.requests); };
  rounds.per = [](const LineCounters& line) { return static_cast<double>(line.global_store.requests); };
  return {
      units_per_request(
          {"shifted_sectors", "How many sectors does one load of a warp take in shifted_kernel?", sectors,
           "shifted", nullptr, nullptr,
           "The 128 bytes of a warp begin 4 bytes behind the start of a sector, so that they end "
           "in one sector more than they would fill."},
          &LineCounters::global_load),
      units_per_request({"apart_sectors", "How many sectors does one load of a warp take in apart_kernel?",
                         sectors, "apart", nullptr, nullptr,
                         "Neighbouring lanes are 32 bytes apart, so that each needs a sector of its own."},
                        &LineCounters::global_load),
      withheld(units_per_request(
          {"thirds_sectors", "How many sectors does one load of a warp take in thirds_kernel?", sectors,
           "thirds", nullptr, nullptr,
           "Neighbouring lanes are 12 bytes apart, so that several lanes share a sector: count the sectors "
           "between the first lane and the last."},
          &LineCounters::global_load)),
      units_per_request(
          {"column_wavefronts",
           "How many wavefronts does the load from shared memory take in columns_kernel?", wavefronts,
           "columns", nullptr, nullptr,
           "Neighbouring lanes are 32 words apart, so that all of them meet in one bank, in a word each."},
          &LineCounters::shared_load),
      withheld(units_per_request(
          {"padded_wavefronts", "How many wavefronts does the load from shared memory take in padded_kernel?",
           wavefronts, "padded", nullptr, nullptr,
           "Neighbouring lanes are 34 words apart: lane l meets bank 34 * l % 32, so count the lanes that "
           "share one."},
          &LineCounters::shared_load)),
      lanes_per_request(
          {"fourths_lanes", "How many lanes take part in one store of a warp in fourths_kernel?",
           "lanes per request", "fourths", nullptr, nullptr,
           "The condition holds for one lane in four, and the others are idle meanwhile."},
          &LineCounters::global_store),
      units_per_request(
          {"fourths_sectors", "How many sectors does one store of a warp take in fourths_kernel?", sectors,
           "fourths", nullptr, nullptr,
           "The lanes that store are 16 bytes apart, so that every sector of the warp's 128 "
           "bytes has some: idle lanes save no traffic here."},
          &LineCounters::global_store),
      branches(
          {"guarded_divergences", "How many warps of guarded_kernel diverge at its guard, in all?", "warps",
           "guarded", nullptr, nullptr,
           "Only the warp with threads on both sides of n diverges: all lanes of any other decide alike."},
          &LineCounters::divergent_branches),
      std::move(rounds),
      branches(
          {"resident_warps",
           "How many warps are in the blocks that resident() launches, as many as one multiprocessor "
           "with 228 KiB of shared memory holds at once?",
           "warps per multiprocessor", "resident", nullptr, nullptr,
           "A block takes 46 000 bytes of shared memory and 1024 of the system, so that fewer blocks fit "
           "than threads or registers would allow."},
          &LineCounters::branches),
  };
}

Problem make_problem() {
  Problem problem;
  problem.name = "predictions";
  problem.title = "Predict, then measure";
  problem.lesson = "what a kernel costs can be read from its source";
  problem.points = 5;
  problem.puzzles = {
      {"shifted", "loads that begin one element late", LOCKSTEP_SIGNATURE(shifted)},
      {"apart", "loads of every eighth element", LOCKSTEP_SIGNATURE(apart)},
      {"thirds", "loads of every third element", LOCKSTEP_SIGNATURE(thirds)},
      {"columns", "columns of a tile in shared memory", LOCKSTEP_SIGNATURE(columns)},
      {"padded", "columns of a padded tile", LOCKSTEP_SIGNATURE(padded)},
      {"fourths", "one lane in four", LOCKSTEP_SIGNATURE(fourths)},
      {"guarded", "a guard at the end", LOCKSTEP_SIGNATURE(guarded)},
      {"rounds", "loops of different lengths", LOCKSTEP_SIGNATURE(rounds)},
      {"resident", "a grid that fills a multiprocessor", LOCKSTEP_SIGNATURE(resident)},
  };
  problem.cases = {
      make_case("shifted", kMany + 1, kMany, true, "lanes that do not begin where a sector does",
                [](const Ints& in, int i) { return in[size(i + 1)]; }),
      make_case("apart", 8 * kMany, kMany, true, "lanes as far apart as a sector is wide",
                [](const Ints& in, int i) { return in[size(8 * i)]; }),
      make_case("thirds", 3 * kMany, kMany, true, "lanes less far apart than a sector is wide",
                [](const Ints& in, int i) { return in[size(3 * i)]; }),
      make_case("columns", kWarp * kWarp, kWarp * kWarp, false, "lanes as far apart as there are banks",
                transposed),
      make_case("padded", kWarp * kWarp, kWarp * kWarp, false, "lanes a little farther apart", transposed),
      make_case("fourths", kMany, kMany, true, "lanes that do not take part",
                [](const Ints& in, int i) { return i % 4 == 0 ? in[size(i)] : 0; }),
      make_case("guarded", kNotFull, kNotFull, true, "a last warp that is not full",
                [](const Ints& in, int i) { return 2 * in[size(i)]; }),
      make_case("rounds", kWarp, kMany, true, "lanes that loop for longer than others",
                [](const Ints& in, int i) {
                  int sum = 0;
                  for (int k = 0; k < i % kWarp; ++k) sum += in[size(k)];
                  return sum;
                }),
      make_case("resident", kNotFull, kNotFull, true, "blocks that shared memory has room for",
                [](const Ints& in, int i) { return 2 * in[size(i)]; }),
  };
  problem.predictions = all_predictions();
  problem.hints = {
      "Write down the address of each lane first: for the global loads the byte at which lanes 0, 1, 2 and "
      "31 "
      "begin, for shared memory the bank, which is the word's number modulo 32.",
      "A sector is 32 bytes that begin at a multiple of 32. A request takes as many sectors as the active "
      "lanes touch, however many lanes share each. Arrays begin at the start of a sector, and so does each "
      "warp's part of out.",
      "A request to shared memory takes as many wavefronts as the most used bank has different words. Two "
      "lanes with the same word share it; two with different words of one bank do not.",
      "A warp executes what any of its lanes executes. Ask of each branch and loop: which lanes of one warp "
      "decide otherwise than their neighbours?",
      "Occupancy is a smallest quotient: threads, blocks, registers and shared memory each allow a number of "
      "blocks. Here 228 KiB are shared out in parts of 46 000 + 1024 bytes, rounded up to a multiple of "
      "128. A block of 256 threads has 8 warps.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::predictions_problem
