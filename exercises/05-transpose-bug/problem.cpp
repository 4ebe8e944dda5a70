// What the judge knows of "transpose-bug": the cases and gates of "transpose", and how few lines repair it.
//
// Two lines move the barrier out of the branch, one adds the barrier at the end of the loop.
#include "course/problem.h"
#include "transpose_bug.h"

namespace lockstep::transpose_bug_problem {
namespace {

using namespace lockstep::course;

Problem make_problem() {
  Problem problem = bug_hunt_in("transpose", LOCKSTEP_SIGNATURE(transpose_bug), 4);
  problem.title = "Find the bugs in a transpose";
  problem.lesson = "a barrier is for all threads of a block, and each pass over shared memory needs its own";
  problem.hints = {
      "The report names two lines of the kernel. Which threads of a block come to the first of them, and "
      "which "
      "do not? Take the matrix of the case that it shows.",
      "Every thread of a block must come to __syncthreads(), also one without an element. What depends on "
      "the "
      "thread is what it loads and stores, and nothing else belongs into the branch.",
      "A block takes several tiles, one after the other, in the same shared memory. What keeps a warp that "
      "is "
      "done with a tile from filling it with the next one, while another warp still reads it?",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::transpose_bug_problem
