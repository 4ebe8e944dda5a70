// What the judge knows of "reverse": sizes round a warp and a block, two gates.
//
// Sectors over the ideal: a warp writes 32 numbers in 4 sectors and reads 32 that begin anywhere, in 5: 9
// / 8. A single block keeps one multiprocessor busy.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "course/poison.h"
#include "course/problem.h"
#include "reverse.h"

namespace lockstep::reverse_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Words = std::vector<std::uint32_t>;

std::vector<KnownMistake> known_mistakes(const Words& in, const Words& right) {
  Mistakes mistakes(right);
  mistakes.add("the elements are in the order of the input", in,
               "Read in[n - 1 - i] where you write out[i].");
  Words shifted(in.rbegin(), in.rend());
  std::ranges::rotate(shifted, shifted.end() - 1);
  mistakes.add("the elements are one place further than they belong", shifted,
               "The first element of the output is in[n - 1].");
  return mistakes.known();
}

Case make_case(int n, std::string purpose) {
  Case made;
  made.name = fmt::format("n = {}", n);
  made.purpose = std::move(purpose);
  made.prepare = [n](Random& random) {
    Words in(static_cast<std::size_t>(n));
    for (std::uint32_t& word : in) word = random.word();
    Words right(in.rbegin(), in.rend());
    Output out;
    out.type = ElementType::u32;
    out.expected = bytes_of(right);
    out.known_mistakes = [in, right] { return known_mistakes(in, right); };
    return Call().input("in", in).output("out", std::move(out)).scalar("n", n).stream();
  };
  made.cost = {.elements = static_cast<double>(n), .global_bytes = 8.0 * n};
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "reverse";
  problem.title = "Reverse an array";
  problem.lesson = "an index of threads is not an index of data";
  problem.function = LOCKSTEP_SIGNATURE(reverse);
  problem.points = 7;
  problem.cases = {
      make_case(0, "no elements: a grid without blocks cannot be launched"),
      make_case(1, "a single element"),
      make_case(2, "two elements that change places"),
      make_case(31, "one less than a warp"),
      make_case(32, "exactly one warp"),
      make_case(33, "one more than a warp"),
      make_case(1023, "one less than a block of 1024"),
      make_case(1024, "exactly one block of 1024"),
      make_case(1025, "one more than a block of 1024"),
      make_case(1365, "an odd number of elements"),
      make_case(7919, "a prime"),
      wide(measured(make_case(100003, "a large prime: the last block is not full"))),
  };
  problem.gates = {
      global_sectors_gate(1.25, {.scattered = "Let the lanes of a warp write consecutive words.",
                                 .again = "Read each element once."}),
      parallelism_gate(3, "Start as many blocks as the elements need."),
  };
  problem.hints = {
      "Which element of the input belongs at place 0 of the output?",
      "Give each thread one place i of the output: i = blockIdx.x * blockDim.x + threadIdx.x.",
      "out[i] = in[n - 1 - i], for i below n.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::reverse_problem
