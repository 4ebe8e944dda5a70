// Graphs: nodes of work and what depends on what, as the program builds or captures them; and executable
// graphs, which are copies in the order in which they run.
//
// Of nodes that nothing orders, the one that was added last runs first: a forgotten dependency shows.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <variant>
#include <vector>

#include "emulator/cudart/graphs/graph_memory.h"
#include "emulator/cudart/streams/work.h"
#include "emulator/cudart/streams/work_queues.h"

namespace lockstep::emulator::cudart {

struct Graph;

struct EmptyNode {};
struct ChildNode {
  std::shared_ptr<Graph> graph;
};
struct EventRecordNode {
  cudaEvent_t event = nullptr;
};
struct EventWaitNode {
  cudaEvent_t event = nullptr;
};
struct AllocationNode {
  std::shared_ptr<GraphAllocation> allocation;
};
struct DeallocationNode {
  std::shared_ptr<GraphAllocation> allocation;
};

using NodeWork = std::variant<EmptyNode, KernelWork, CopyWork, FillWork, HostWork, ChildNode, EventRecordNode,
                              EventWaitNode, AllocationNode, DeallocationNode>;

cudaGraphNodeType type_of(const NodeWork& work);

struct Node {
  Node();
  ~Node();
  Node(const Node&) = delete;
  Node& operator=(const Node&) = delete;

  Graph* graph = nullptr;
  NodeWork work;
  std::vector<Node*> dependencies;
  const Node* original = nullptr;  ///< of which this is a clone
  std::map<cudaKernelNodeAttrID, cudaKernelNodeAttrValue> attributes;
  std::vector<void*> arguments;  ///< what cudaGraphKernelNodeGetParams hands out: places in the work's bytes
};

struct Graph : std::enable_shared_from_this<Graph> {
  Graph();
  ~Graph();
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;

  std::vector<std::unique_ptr<Node>> nodes;  ///< in the order in which they were added

  Node& add(NodeWork work, std::vector<Node*> dependencies);
  /// A copy whose nodes remember those of this one.
  std::shared_ptr<Graph> clone() const;
};

struct Program;

/// A node as it runs.
struct Step {
  const void* node = nullptr;  ///< of which it is a copy
  NodeWork work;
  std::vector<std::size_t> dependencies;
  bool enabled = true;
  std::shared_ptr<const Program> child;
};

struct Program {
  std::vector<Step> steps;         ///< as the nodes of the graph
  std::vector<std::size_t> order;  ///< in which they run
};

/// Throws Failure when the graph has a cycle.
std::shared_ptr<Program> program_of(const Graph& graph);

struct ExecutableGraph {
  std::shared_ptr<Program> program;  ///< launches that wait share it: changed only when nobody else has it
  unsigned long long flags = 0;
  WorkQueues::Place last_launch;  ///< launches of one executable graph run one after the other
};

/// Gives the step of a node, which may be gone, other work of its type. Throws Failure when there is no such
/// step, and when an executable graph cannot be changed so.
void set_step(ExecutableGraph& executable, cudaGraphNode_t node, NodeWork work);
/// Kernels, copies and fills can be passed over.
void enable_step(ExecutableGraph& executable, cudaGraphNode_t node, bool enabled);
const Step& step_of(const ExecutableGraph& executable, cudaGraphNode_t node);

/// Takes the parameters of a graph of the same shape over; tells why not otherwise.
cudaGraphExecUpdateResultInfo update(ExecutableGraph& executable, const Graph& graph);

/// Any graph or node that lives: the program's, those of child nodes, and those that are being captured.
/// Throws Failure for a handle that is none.
Graph& graph_of(cudaGraph_t graph);
Node& node_of(cudaGraphNode_t node);
/// Throws Failure as well for one that comes twice.
std::vector<Node*> nodes_of(const cudaGraphNode_t* nodes, std::size_t count);
/// Throws Failure for edges that order less than whole nodes.
void require_plain_edges(const cudaGraphEdgeData* edges, std::size_t count);

/// The graphs that the program owns, by their handles.
class Graphs {
 public:
  cudaGraph_t add(std::shared_ptr<Graph> graph);
  void destroy(cudaGraph_t graph);

  cudaGraphExec_t add(ExecutableGraph executable);
  ExecutableGraph& find(cudaGraphExec_t executable);
  void destroy(cudaGraphExec_t executable);

 private:
  std::map<const void*, std::shared_ptr<Graph>> graphs_;
  std::map<const void*, std::unique_ptr<ExecutableGraph>> executables_;
};

inline cudaGraphNode_t handle_of(const Node& node) {
  return reinterpret_cast<cudaGraphNode_t>(const_cast<Node*>(&node));
}
inline cudaGraph_t handle_of(const Graph& graph) {
  return reinterpret_cast<cudaGraph_t>(const_cast<Graph*>(&graph));
}

}  // namespace lockstep::emulator::cudart
