#include "emulator/cudart/graphs/graphs.h"

#include <algorithm>
#include <functional>
#include <set>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "emulator/cudart/errors/unsupported.h"
#include "emulator/cudart/runtime.h"

namespace lockstep::emulator::cudart {

namespace {

/// The nodes' indices so that each comes after what it depends on.
std::vector<std::size_t> order_of(const std::vector<Step>& steps) {
  std::vector<std::size_t> missing(steps.size());
  std::vector<std::vector<std::size_t>> dependents(steps.size());
  std::set<std::size_t, std::greater<>> ready;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    missing[i] = steps[i].dependencies.size();
    for (const std::size_t dependency : steps[i].dependencies) dependents[dependency].push_back(i);
    if (missing[i] == 0) ready.insert(i);
  }
  std::vector<std::size_t> order;
  while (!ready.empty()) {
    const std::size_t step = *ready.begin();
    ready.erase(ready.begin());
    order.push_back(step);
    for (const std::size_t dependent : dependents[step]) {
      if (--missing[dependent] == 0) ready.insert(dependent);
    }
  }
  require(order.size() == steps.size());
  return order;
}

Step step_for(const Node& node, std::vector<std::size_t> dependencies) {
  Step step{&node, node.work, std::move(dependencies)};
  if (const auto* child = std::get_if<ChildNode>(&node.work)) step.child = program_of(*child->graph);
  return step;
}

/// What has a handle: the addresses of those that live.
std::unordered_set<const void*>& living() {
  static std::unordered_set<const void*>& addresses = *new std::unordered_set<const void*>;
  return addresses;
}

std::size_t position_of(const Program& program, cudaGraphNode_t node) {
  const auto found = std::ranges::find(program.steps, node, &Step::node);
  require(found != program.steps.end());
  return static_cast<std::size_t>(found - program.steps.begin());
}

/// The program, to be changed: another than that of launches that wait.
Program& changeable(ExecutableGraph& executable) {
  if (executable.program.use_count() > 1) executable.program = std::make_shared<Program>(*executable.program);
  return *executable.program;
}

bool same_shape(const Program& before, const Program& after);

/// Whether a step may take another's work over: the same type, copies in the same direction between memory or
/// arrays as before, child graphs of the same shape.
bool replaceable(const Step& before, const Step& after) {
  if (before.work.index() != after.work.index()) return false;
  if (const auto* copy = std::get_if<CopyWork>(&before.work)) {
    const auto& other = std::get<CopyWork>(after.work);
    const DeviceMemory& memory = runtime().memory;
    return memory.on_device(copy->to) == memory.on_device(other.to) &&
           memory.on_device(copy->from) == memory.on_device(other.from) &&
           (copy->to_array == nullptr) == (other.to_array == nullptr) &&
           (copy->from_array == nullptr) == (other.from_array == nullptr);
  }
  return !before.child || same_shape(*before.child, *after.child);
}

bool same_shape(const Program& before, const Program& after) {
  return std::ranges::equal(before.steps, after.steps, [](const Step& a, const Step& b) {
    return replaceable(a, b) && a.dependencies == b.dependencies;
  });
}

}  // namespace

cudaGraphNodeType type_of(const NodeWork& work) {
  constexpr cudaGraphNodeType kTypes[] = {cudaGraphNodeTypeEmpty,       cudaGraphNodeTypeKernel,
                                          cudaGraphNodeTypeMemcpy,      cudaGraphNodeTypeMemset,
                                          cudaGraphNodeTypeHost,        cudaGraphNodeTypeGraph,
                                          cudaGraphNodeTypeEventRecord, cudaGraphNodeTypeWaitEvent,
                                          cudaGraphNodeTypeMemAlloc,    cudaGraphNodeTypeMemFree};
  static_assert(std::size(kTypes) == std::variant_size_v<NodeWork>);
  return kTypes[work.index()];
}

Node::Node() { living().insert(this); }
Node::~Node() { living().erase(this); }

Graph::Graph() { living().insert(this); }
Graph::~Graph() { living().erase(this); }

Node& Graph::add(NodeWork work, std::vector<Node*> dependencies) {
  nodes.push_back(std::make_unique<Node>());
  Node& node = *nodes.back();
  node.graph = this;
  node.work = std::move(work);
  node.dependencies = std::move(dependencies);
  return node;
}

std::shared_ptr<Graph> Graph::clone() const {
  auto copy = std::make_shared<Graph>();
  std::unordered_map<const Node*, Node*> copies;
  for (const auto& node : nodes) {
    NodeWork work = node->work;
    if (auto* child = std::get_if<ChildNode>(&work)) child->graph = child->graph->clone();
    Node& made = copy->add(std::move(work), {});
    made.original = node.get();
    made.attributes = node->attributes;
    copies[node.get()] = &made;
  }
  for (const auto& node : nodes) {
    for (const Node* dependency : node->dependencies)
      copies[node.get()]->dependencies.push_back(copies[dependency]);
  }
  return copy;
}

std::shared_ptr<Program> program_of(const Graph& graph) {
  auto program = std::make_shared<Program>();
  std::unordered_map<const Node*, std::size_t> indices;
  for (const auto& node : graph.nodes) indices.emplace(node.get(), indices.size());
  for (const auto& node : graph.nodes) {
    std::vector<std::size_t> dependencies;
    for (const Node* dependency : node->dependencies) dependencies.push_back(indices.at(dependency));
    program->steps.push_back(step_for(*node, std::move(dependencies)));
  }
  program->order = order_of(program->steps);
  return program;
}

void set_step(ExecutableGraph& executable, cudaGraphNode_t node, NodeWork work) {
  const std::size_t position = position_of(*executable.program, node);
  Step step = executable.program->steps[position];
  step.work = std::move(work);
  if (const auto* given = std::get_if<ChildNode>(&step.work)) step.child = program_of(*given->graph);
  require(replaceable(executable.program->steps[position], step));
  changeable(executable).steps[position] = std::move(step);
}

void enable_step(ExecutableGraph& executable, cudaGraphNode_t node, bool enabled) {
  const std::size_t position = position_of(*executable.program, node);
  const NodeWork& work = executable.program->steps[position].work;
  require(std::holds_alternative<KernelWork>(work) || std::holds_alternative<CopyWork>(work) ||
          std::holds_alternative<FillWork>(work));
  changeable(executable).steps[position].enabled = enabled;
}

const Step& step_of(const ExecutableGraph& executable, cudaGraphNode_t node) {
  return executable.program->steps[position_of(*executable.program, node)];
}

cudaGraphExecUpdateResultInfo update(ExecutableGraph& executable, const Graph& graph) {
  const auto program = program_of(graph);
  const std::vector<Step>& before = executable.program->steps;
  const std::vector<Step>& after = program->steps;
  const auto refusal = [&](cudaGraphExecUpdateResult result, std::size_t i) {
    cudaGraphExecUpdateResultInfo info{};
    info.result = result;
    if (i < graph.nodes.size()) info.errorNode = handle_of(*graph.nodes[i]);
    return info;
  };
  for (std::size_t i = 0; i < std::min(before.size(), after.size()); ++i) {
    if (before[i].work.index() != after[i].work.index())
      return refusal(cudaGraphExecUpdateErrorNodeTypeChanged, i);
    if (before[i].dependencies != after[i].dependencies)
      return refusal(cudaGraphExecUpdateErrorTopologyChanged, i);
    if (!replaceable(before[i], after[i])) return refusal(cudaGraphExecUpdateErrorParametersChanged, i);
    // What a program may change of these is nothing: an allocation's address is part of others' arguments.
    if (type_of(before[i].work) == cudaGraphNodeTypeMemAlloc ||
        type_of(before[i].work) == cudaGraphNodeTypeMemFree)
      return refusal(cudaGraphExecUpdateErrorNotSupported, i);
  }
  if (before.size() != after.size()) return refusal(cudaGraphExecUpdateErrorTopologyChanged, SIZE_MAX);
  Program& updated = changeable(executable);
  for (std::size_t i = 0; i < after.size(); ++i) {
    updated.steps[i].work = after[i].work;
    updated.steps[i].child = after[i].child;
  }
  return {};
}

Graph& graph_of(cudaGraph_t graph) {
  require(living().contains(graph));
  return *reinterpret_cast<Graph*>(graph);
}

Node& node_of(cudaGraphNode_t node) {
  require(living().contains(node));
  return *reinterpret_cast<Node*>(node);
}

std::vector<Node*> nodes_of(const cudaGraphNode_t* nodes, std::size_t count) {
  require(count == 0 || nodes != nullptr);
  std::vector<Node*> found;
  for (std::size_t i = 0; i < count; ++i) {
    Node& node = node_of(nodes[i]);
    require(std::ranges::find(found, &node) == found.end());
    found.push_back(&node);
  }
  return found;
}

void require_plain_edges(const cudaGraphEdgeData* edges, std::size_t count) {
  if (edges == nullptr) return;
  for (const cudaGraphEdgeData& edge : std::span(edges, count)) {
    if (edge.from_port != 0 || edge.to_port != 0 || edge.type != cudaGraphDependencyTypeDefault)
      refuse("graph edges that order parts of kernels");
  }
}

cudaGraph_t Graphs::add(std::shared_ptr<Graph> graph) {
  const cudaGraph_t handle = handle_of(*graph);
  graphs_[handle] = std::move(graph);
  return handle;
}

void Graphs::destroy(cudaGraph_t graph) { require(graphs_.erase(graph) != 0); }

cudaGraphExec_t Graphs::add(ExecutableGraph executable) {
  auto held = std::make_unique<ExecutableGraph>(std::move(executable));
  const auto handle = reinterpret_cast<cudaGraphExec_t>(held.get());
  executables_[handle] = std::move(held);
  return handle;
}

ExecutableGraph& Graphs::find(cudaGraphExec_t executable) {
  const auto found = executables_.find(executable);
  require(found != executables_.end());
  return *found->second;
}

void Graphs::destroy(cudaGraphExec_t executable) { require(executables_.erase(executable) != 0); }

}  // namespace lockstep::emulator::cudart
