// What the judge knows of "scan-bug": the cases and gates of "scan", and how few lines repair it.
//
// One line adds the barrier behind the read of the totals, one adds up the totals of a part's tiles. A part
// has more than one tile from 2^20 elements on: only the large case shows either mistake.
#include "course/problem.h"
#include "scan_bug.h"

namespace lockstep::scan_bug_problem {
namespace {

using namespace lockstep::course;

Problem make_problem() {
  Problem problem = bug_hunt_in("scan", LOCKSTEP_SIGNATURE(scan_bug), 3);
  problem.title = "Find the bugs in a scan";
  problem.lesson = "what is right for one round of a loop may be wrong for the second";
  problem.workspace->function = LOCKSTEP_SIGNATURE(scan_bug_workspace_bytes);
  problem.hints = {
      "Only the large case fails. What does the program do there that it never does for fewer elements? Work "
      "out "
      "tiles_each for 262 145 elements and for 2 097 223.",
      "A function that uses shared memory is called in a loop. Which of its barriers keeps a warp that comes "
      "back "
      "from writing what another one still reads?",
      "What lies before the third tile of a part? Follow `before` through two rounds of the loop.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::scan_bug_problem
