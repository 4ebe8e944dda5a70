// What the judge knows of "histogram-bug": the cases of "histogram", how few lines repair it, and those gates
// that counters of a block keep: lanes with equal samples may wait for each other.
//
// Three lines make a loop of what clears the cells.
#include <vector>

#include "course/problem.h"
#include "histogram_bug.h"

namespace lockstep::histogram_bug_problem {
namespace {

using namespace lockstep::course;

Problem make_problem() {
  Problem problem = bug_hunt_in("histogram", LOCKSTEP_SIGNATURE(histogram_bug), 4);
  problem.title = "Find the bug in a histogram";
  problem.lesson =
      "shared memory holds anything when a block starts: somebody has to write all of it that is read";
  std::erase_if(problem.gates, [](const Gate& gate) { return gate.name == "shared-wavefronts"; });
  problem.hints = {
      "The report names a read of shared memory. Which bin was counted there, and which thread should have "
      "cleared its cell?",
      "It happens where there are more bins than a block has threads. Compare with the loop at the end, in "
      "which the block goes over all cells.",
      "Let bin = threadIdx.x, threadIdx.x + kThreads, … as long as it is below bins, and clear cells[bin].",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::histogram_bug_problem
