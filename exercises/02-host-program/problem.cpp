// What the judge knows of "host-program": arrays of the host in, arrays of the host out, and what is left
// behind.
//
// Parts of the arrays overlap where copies are in two streams: with halves, three of four copies follow one
// another, and the gate's number is 1.33; with 16 parts, 17 of 32 do, 1.88. In one stream, or with blocking
// copies, it is 1. The limit of 1.25 lets halves pass.
//
// The large cases copy 8 MB each, which the emulated device does in a few milliseconds. Cases in which calls
// fail are small: a function makes some 10 to 100 calls, and each of them is a run of its own.
#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "course/problem.h"
#include "host_program.h"

namespace lockstep::host_program_problem {
namespace {

using lockstep::Random;
using namespace lockstep::course;

using Words = std::vector<std::uint32_t>;

constexpr int kLarge = 1 << 20;
constexpr int kPrime = 1'000'003;

/// What mix_kernel does, by divisions: a shift to the right is one.
std::uint32_t mixed(std::uint32_t value) {
  value = (value ^ value / (1U << 16)) * 2146121005U;
  value = (value ^ value / (1U << 15)) * 2221713035U;
  return value ^ value / (1U << 16);
}

Words all_mixed(const Words& in) {
  Words out;
  out.reserve(in.size());
  for (const std::uint32_t value : in) out.push_back(mixed(value));
  return out;
}

Call make_call(int n, Random& random) {
  Words in(static_cast<std::size_t>(n));
  for (std::uint32_t& word : in) word = static_cast<std::uint32_t>(random.integer(0, 0x7FFFFFFF)) * 2 + 1;
  const Words right = all_mixed(in);
  Mistakes mistakes(right);
  mistakes.add("the output is the input unchanged: no kernel has been between the copies", in,
               "Launch mix_kernel between the copy to the device and the copy back, in the same stream.");
  mistakes.add("the kernel's result went through the kernel once more", all_mixed(right),
               "Launch mix_kernel once for every part.");
  Output output;
  output.type = ElementType::u32;
  output.expected = bytes_of(right);
  output.known_mistakes = [known = mistakes.known()] { return known; };
  Call call;
  call.host_input("in", in).host_output("out", std::move(output)).scalar("n", n);
  return call;
}

Case case_of(int n, const char* purpose) {
  Case made;
  made.name = std::to_string(n);
  made.purpose = purpose;
  made.prepare = [n](Random& random) { return make_call(n, random); };
  made.cost = {.elements = static_cast<double>(n), .global_bytes = 8.0 * n};
  return made;
}

Problem make_problem() {
  Problem problem;
  problem.name = "host-program";
  problem.title = "A program of the host";
  problem.lesson = "who starts work on a device waits for it, looks at errors, and releases what it made";
  problem.function = LOCKSTEP_SIGNATURE(host_program);
  problem.host_program = true;
  problem.cases = {
      case_of(1, "one element"),
      case_of(0, "nothing to do"),
      case_of(2, "fewer elements than streams times warps"),
      case_of(31, "one less than a warp"),
      case_of(33, "one more than a warp"),
      case_of(256, "one whole block"),
      case_of(1000, "blocks that are not full"),
      case_of(4097, "one more than a page of numbers"),
      case_of(65537, "one more than a power of two"),
      case_of(99991, "a prime: no parts are equal"),
      named("1000, calls fail", failing(case_of(1000, "each CUDA call fails once"))),
      named("99991, calls fail", failing(case_of(99991, "each CUDA call fails once, with several parts"))),
      measured(case_of(kLarge, "large enough to overlap")),
      measured(case_of(kPrime, "large, and no parts are equal")),
  };
  problem.gates = {
      overlap_gate(1.25,
                   "Split the arrays into parts, and enqueue copy, kernel and copy back of one part in one "
                   "stream and those of the next part in another, with cudaMemcpyAsync. Wait for the streams "
                   "after the last part, and not between parts."),
  };
  problem.hints = {
      "Begin with one stream: cudaMalloc for both arrays, cudaMemcpy to the device, mix_kernel, "
      "cudaGetLastError, "
      "cudaMemcpy back, cudaFree for both. Return early where n is 0.",
      "Write one function or macro that keeps the first error, and run the next step only where there is "
      "none "
      "yet. The releasing calls at the end run always.",
      "A structure whose destructor frees its memory and destroys its stream releases everything on every "
      "way "
      "out, also where a later call fails.",
      "Copies that overlap need cudaMemcpyAsync, a stream for each part, and pinned host memory, which you "
      "have "
      "been given. Each stream needs device memory of its own: what one stream copies in must not replace "
      "what "
      "a kernel in the other still reads.",
      "At the end, cudaStreamSynchronize for each stream returns the errors of what ran in it. Only then is "
      "the "
      "result in out, and only then may its memory be freed.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::host_program_problem
