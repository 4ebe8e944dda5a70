#include "emulator/analysis/control_flow.h"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace lockstep::emulator::analysis {
namespace {

constexpr std::uint32_t kNone = 0xFFFF'FFFF;

/// The algorithms below take time proportional to blocks × depth of loops for what compilers write, and up to
/// the cube of the blocks for what they do not: their steps are counted, and bounded to tenths of a second.
class Work {
 public:
  void step() {
    if (--left_ == 0) throw TangledControlFlow();
  }

 private:
  std::uint64_t left_ = std::uint64_t{1} << 26;
};

/// Blocks in postorder of a depth-first walk from the entry; no recursion, since graphs may come from hostile
/// code.
std::vector<std::uint32_t> postorder(const Successors& successors) {
  struct Visit {
    std::uint32_t block;
    std::size_t next;
  };
  std::vector<bool> seen(successors.size(), false);
  std::vector<std::uint32_t> order;
  std::vector<Visit> stack{{0, 0}};
  seen[0] = true;
  while (!stack.empty()) {
    Visit& visit = stack.back();
    if (visit.next == successors[visit.block].size()) {
      order.push_back(visit.block);
      stack.pop_back();
      continue;
    }
    const std::uint32_t successor = successors[visit.block][visit.next++];
    if (!seen[successor]) {
      seen[successor] = true;
      stack.push_back({successor, 0});
    }
  }
  return order;
}

struct Graph {
  const Successors& successors;
  Successors predecessors;                   ///< of reachable blocks
  std::vector<std::uint32_t> reverse_order;  ///< reachable blocks in reverse postorder
  std::vector<std::uint32_t> position;       ///< in reverse_order; kNone when unreachable
};

Graph make_graph(const Successors& successors) {
  Graph graph{successors, Successors(successors.size()), postorder(successors), {}};
  std::reverse(graph.reverse_order.begin(), graph.reverse_order.end());
  graph.position.assign(successors.size(), kNone);
  for (std::uint32_t i = 0; i < graph.reverse_order.size(); ++i) graph.position[graph.reverse_order[i]] = i;
  for (const std::uint32_t block : graph.reverse_order) {
    for (const std::uint32_t successor : successors[block]) graph.predecessors[successor].push_back(block);
  }
  return graph;
}

/// Immediate dominators. Source: Cooper, Harvey, Kennedy, "A simple, fast dominance algorithm", 2001.
std::vector<std::uint32_t> immediate_dominators(const Graph& graph, Work& work) {
  std::vector<std::uint32_t> dominator(graph.successors.size(), kNone);
  dominator[0] = 0;
  const auto intersect = [&](std::uint32_t a, std::uint32_t b) {
    for (; a != b; work.step()) {
      for (; graph.position[a] > graph.position[b]; work.step()) a = dominator[a];
      for (; graph.position[b] > graph.position[a]; work.step()) b = dominator[b];
    }
    return a;
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (const std::uint32_t block : graph.reverse_order) {
      if (block == 0) continue;
      std::uint32_t common = kNone;
      for (const std::uint32_t predecessor : graph.predecessors[block]) {
        work.step();
        if (dominator[predecessor] == kNone) continue;
        common = common == kNone ? predecessor : intersect(common, predecessor);
      }
      if (common != dominator[block]) {
        dominator[block] = common;
        changed = true;
      }
    }
  }
  return dominator;
}

/// Innermost natural loop of each block, as the loop's header; parent[header] is the loop around it.
struct Loops {
  std::vector<std::uint32_t> innermost;
  std::vector<std::uint32_t> parent;
};

Loops find_loops(const Graph& graph, Work& work) {
  const std::vector<std::uint32_t> dominator = immediate_dominators(graph, work);
  const auto dominates = [&](std::uint32_t a, std::uint32_t b) {
    for (; graph.position[b] > graph.position[a]; work.step()) b = dominator[b];
    return a == b;
  };
  const std::size_t n = graph.successors.size();
  Loops loops{std::vector<std::uint32_t>(n, kNone), std::vector<std::uint32_t>(n, kNone)};
  std::vector<std::uint32_t> collected_for(n, kNone);  // header of the latest loop that a block was found in
  // Inner headers have later positions; walking headers backwards meets inner loops first.
  for (auto header = graph.reverse_order.rbegin(); header != graph.reverse_order.rend(); ++header) {
    std::vector<std::uint32_t> members{*header};
    collected_for[*header] = *header;
    const auto collect = [&](std::uint32_t block) {
      work.step();
      if (std::exchange(collected_for[block], *header) != *header) members.push_back(block);
    };
    bool is_loop = false;
    for (const std::uint32_t predecessor : graph.predecessors[*header]) {
      if (!dominates(*header, predecessor)) continue;
      is_loop = true;
      collect(predecessor);
    }
    if (!is_loop) continue;
    for (std::size_t next = 1; next < members.size(); ++next) {
      for (const std::uint32_t predecessor : graph.predecessors[members[next]]) collect(predecessor);
    }
    for (const std::uint32_t block : members) {
      if (loops.innermost[block] == kNone) {
        loops.innermost[block] = *header;
        continue;
      }
      std::uint32_t outer = loops.innermost[block];
      for (; outer != *header && loops.parent[outer] != kNone; work.step()) outer = loops.parent[outer];
      if (outer != *header) loops.parent[outer] = *header;
    }
  }
  return loops;
}

}  // namespace

std::vector<std::uint32_t> block_order(const Successors& successors) {
  const std::size_t n = successors.size();
  if (n == 0) return {};
  const Graph graph = make_graph(successors);
  Work work;
  const Loops loops = find_loops(graph, work);

  const auto inside = [&](std::uint32_t block, std::uint32_t header) {
    for (std::uint32_t loop = loops.innermost[block]; loop != kNone; loop = loops.parent[loop]) {
      work.step();
      if (loop == header) return true;
    }
    return false;
  };
  // Kahn's algorithm over the forward edges. Among the ready blocks take one of the innermost open loop;
  // among those the earliest in reverse postorder.
  std::vector<std::uint32_t> waiting(n, 0);
  std::vector<std::uint32_t> order(n, kNone);
  const auto forward = [&](std::uint32_t from, std::uint32_t to) {
    return graph.position[from] < graph.position[to];
  };
  for (const std::uint32_t block : graph.reverse_order) {
    for (const std::uint32_t successor : successors[block])
      waiting[successor] += forward(block, successor) ? 1 : 0;
  }
  std::vector<std::uint32_t> ready{0};
  std::vector<std::uint32_t> remaining(n, 0);  // blocks of each loop still to place, by header
  for (const std::uint32_t block : graph.reverse_order) {
    for (std::uint32_t loop = loops.innermost[block]; loop != kNone; loop = loops.parent[loop]) {
      work.step();
      ++remaining[loop];
    }
  }
  std::vector<std::uint32_t> open;  // headers of loops begun and not finished, outermost first
  std::uint32_t placed = 0;
  while (!ready.empty()) {
    while (!open.empty() && remaining[open.back()] == 0) open.pop_back();
    auto best = ready.end();
    for (std::size_t depth = open.size() + 1; best == ready.end() && depth-- > 0;) {
      for (auto candidate = ready.begin(); candidate != ready.end(); ++candidate) {
        work.step();
        if (depth > 0 && !inside(*candidate, open[depth - 1])) continue;
        if (best == ready.end() || graph.position[*candidate] < graph.position[*best]) best = candidate;
      }
    }
    const std::uint32_t block = *best;
    ready.erase(best);
    order[block] = placed++;
    for (std::uint32_t loop = loops.innermost[block]; loop != kNone; loop = loops.parent[loop])
      --remaining[loop];
    if (loops.innermost[block] == block) open.push_back(block);
    for (const std::uint32_t successor : successors[block]) {
      if (forward(block, successor) && --waiting[successor] == 0) ready.push_back(successor);
    }
  }
  for (std::uint32_t& position : order) {
    if (position == kNone) position = placed++;
  }
  return order;
}

}  // namespace lockstep::emulator::analysis
