// What the judge knows of "coalescing-bug": the cases and gates of "coalescing", and how few lines repair it.
//
// One line compares the particle with n, one adds the guard of the stores.
#include "course/problem.h"
#include "coalescing_bug.h"

namespace lockstep::coalescing_bug_problem {
namespace {

using namespace lockstep::course;

Problem make_problem() {
  Problem problem = bug_hunt_in("coalescing", LOCKSTEP_SIGNATURE(coalescing_bug), 3);
  problem.title = "Find the bugs in a step of particles";
  problem.lesson = "every index needs a bound: that of the buffer that it is used for";
  problem.hints = {
      "The report names an access and the buffer that it leaves. How many elements has that buffer, and what "
      "is "
      "the largest index that a thread of the last block uses?",
      "Particles are numbered from 0 to n - 1. Which condition says that there is a particle first + i?",
      "A block stores 256 columns of each row. What does the last block do with those that lie behind the "
      "end of "
      "a row, in rows that another follows, and in the last one?",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::coalescing_bug_problem
