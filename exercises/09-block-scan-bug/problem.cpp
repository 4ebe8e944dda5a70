// What the judge knows of "block-scan-bug": the cases and gates of "block-scan", how few lines repair it, and
// a gate on lanes that wait while one thread does the work of all.
//
// Three lines are replaced or added: the neighbour's sum is read, all wait, and then it is added.
//
// idle-lanes: the repaired program has 0.12 for each element, as lanes seldom diverge. Where one thread makes
// all the additions, 31 lanes wait for each of its instructions, which are eight for each element: 248.
#include "course/problem.h"
#include "block_scan_bug.h"

namespace lockstep::block_scan_bug_problem {
namespace {

using namespace lockstep::course;

Problem make_problem() {
  Problem problem = bug_hunt_in("block-scan", LOCKSTEP_SIGNATURE(block_scan_bug), 4);
  problem.title = "Find the bug in a block's scan";
  problem.lesson = "in place, what others still read may not be written yet";
  problem.gates.push_back(idle_lanes_gate(
      100, {"Let every thread add for its own element, and let the block wait where it must."}));
  problem.hints = {
      "The report names one line that reads and writes. Which thread reads the element that thread i writes, "
      "and does it do so before or after?",
      "A barrier orders what stands before it and what stands behind it. What happens within a single "
      "statement it cannot order: take it apart.",
      "Read into a register, wait for the block, write, wait again. Every thread must come to each barrier, "
      "also one with nothing to add.",
  };
  return problem;
}

const Registration registration(make_problem, __FILE__);

}  // namespace
}  // namespace lockstep::block_scan_bug_problem
