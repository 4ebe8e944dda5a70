// Graphs: their shape, and executable graphs. Nodes' parameters are in api_graph_node.cpp.
#include <algorithm>
#include <span>
#include <vector>

#include "emulator/cudart/errors/unsupported.h"
#include "emulator/cudart/graphs/graph_params.h"
#include "emulator/cudart/runtime.h"
#include "emulator/cudart/streams/submission.h"

using lockstep::emulator::cudart::AllocationNode;
using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::ExecutableGraph;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::Graph;
using lockstep::emulator::cudart::graph_of;
using lockstep::emulator::cudart::handle_of;
using lockstep::emulator::cudart::Node;
using lockstep::emulator::cudart::node_of;
using lockstep::emulator::cudart::program_of;
using lockstep::emulator::cudart::refuse;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::require_plain_edges;
using lockstep::emulator::cudart::Runtime;
using lockstep::emulator::cudart::submit_graph;
using lockstep::emulator::cudart::type_of;

namespace {

/// As all queries of nodes: without room the count alone is told; what is left of the room is null.
void hand_out(const std::vector<const Node*>& nodes, cudaGraphNode_t* room, size_t* count) {
  require(count != nullptr);
  if (room != nullptr) {
    for (size_t i = 0; i < *count; ++i) room[i] = i < nodes.size() ? handle_of(*nodes[i]) : nullptr;
    *count = std::min(*count, nodes.size());
    return;
  }
  *count = nodes.size();
}

void clear_edges(cudaGraphEdgeData* edges, const size_t* count) {
  if (edges != nullptr) std::fill_n(edges, *count, cudaGraphEdgeData{});
}

std::vector<const Node*> dependents_of(const Node& node) {
  std::vector<const Node*> dependents;
  for (const auto& other : node.graph->nodes) {
    if (std::ranges::find(other->dependencies, &node) != other->dependencies.end())
      dependents.push_back(other.get());
  }
  return dependents;
}

/// A graph that allocates memory keeps its nodes and edges.
void require_removable(const Graph& graph) {
  for (const auto& node : graph.nodes) require(!std::holds_alternative<AllocationNode>(node->work));
}

ExecutableGraph instantiate(cudaGraph_t graph, unsigned long long flags) {
  if ((flags & cudaGraphInstantiateFlagDeviceLaunch) != 0) refuse("graphs that kernels launch");
  constexpr unsigned long long kKnown = cudaGraphInstantiateFlagAutoFreeOnLaunch |
                                        cudaGraphInstantiateFlagUpload |
                                        cudaGraphInstantiateFlagUseNodePriority;
  require((flags & ~kKnown) == 0);
  return {program_of(graph_of(graph)), flags, {}};
}

}  // namespace

cudaError_t cudaGraphCreate(cudaGraph_t* graph, unsigned flags) {
  return call([&](Runtime& r) {
    require(graph != nullptr && flags == 0);
    *graph = r.graphs.add(std::make_shared<Graph>());
  });
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  return call([&](Runtime& r) { r.graphs.destroy(graph); });
}

cudaError_t cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return call([&](Runtime& r) {
    require(clone != nullptr);
    require_removable(graph_of(graph));
    *clone = r.graphs.add(graph_of(graph).clone());
  });
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t* node, cudaGraphNode_t original, cudaGraph_t clone) {
  return call([&](Runtime&) {
    require(node != nullptr);
    const Node& wanted = node_of(original);
    const auto& nodes = graph_of(clone).nodes;
    const auto found = std::ranges::find(nodes, &wanted, [](const auto& copy) { return copy->original; });
    require(found != nodes.end());
    *node = handle_of(**found);
  });
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t handle) {
  return call([&](Runtime&) {
    Node& node = node_of(handle);
    Graph& graph = *node.graph;
    require_removable(graph);
    for (const auto& other : graph.nodes) std::erase(other->dependencies, &node);
    std::erase_if(graph.nodes, [&](const auto& held) { return held.get() == &node; });
  });
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                     size_t count) {
  return call([&](Runtime&) {
    require(count == 0 || (from != nullptr && to != nullptr));
    require_plain_edges(edges, count);
    for (size_t i = 0; i < count; ++i) {
      Node& first = node_of(from[i]);
      Node& second = node_of(to[i]);
      require(first.graph == &graph_of(graph) && second.graph == first.graph && &first != &second);
      require(std::ranges::find(second.dependencies, &first) == second.dependencies.end());
      second.dependencies.push_back(&first);
    }
  });
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData* edges,
                                        size_t count) {
  return call([&](Runtime&) {
    require(count == 0 || (from != nullptr && to != nullptr));
    require_plain_edges(edges, count);
    require_removable(graph_of(graph));
    for (size_t i = 0; i < count; ++i) {
      Node& second = node_of(to[i]);
      require(second.graph == &graph_of(graph));
      require(std::erase(second.dependencies, &node_of(from[i])) == 1);
    }
  });
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call([&](Runtime&) {
    std::vector<const Node*> found;
    for (const auto& node : graph_of(graph).nodes) found.push_back(node.get());
    hand_out(found, nodes, count);
  });
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return call([&](Runtime&) {
    std::vector<const Node*> found;
    for (const auto& node : graph_of(graph).nodes) {
      if (node->dependencies.empty()) found.push_back(node.get());
    }
    hand_out(found, nodes, count);
  });
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* edges, size_t* count) {
  return call([&](Runtime&) {
    require(count != nullptr && (from == nullptr) == (to == nullptr));
    std::vector<const Node*> first, second;
    for (const auto& node : graph_of(graph).nodes) {
      for (const Node* dependency : node->dependencies) {
        first.push_back(dependency);
        second.push_back(node.get());
      }
    }
    size_t room = *count;
    if (from != nullptr) clear_edges(edges, count);
    hand_out(first, from, &room);
    hand_out(second, to, count);
  });
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* dependencies,
                                         cudaGraphEdgeData* edges, size_t* count) {
  return call([&](Runtime&) {
    require(count != nullptr);
    const auto& found = node_of(node).dependencies;
    if (dependencies != nullptr) clear_edges(edges, count);
    hand_out({found.begin(), found.end()}, dependencies, count);
  });
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* dependents,
                                           cudaGraphEdgeData* edges, size_t* count) {
  return call([&](Runtime&) {
    require(count != nullptr);
    if (dependents != nullptr) clear_edges(edges, count);
    hand_out(dependents_of(node_of(node)), dependents, count);
  });
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  return call([&](Runtime&) {
    require(type != nullptr);
    *type = type_of(node_of(node).work);
  });
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, unsigned long long flags) {
  return call([&](Runtime& r) {
    require(executable != nullptr);
    *executable = r.graphs.add(instantiate(graph, flags));
  });
}

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags) {
  return cudaGraphInstantiate(executable, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* params) {
  return call([&](Runtime& r) {
    require(executable != nullptr && params != nullptr);
    params->errNode_out = nullptr;
    params->result_out = cudaGraphInstantiateError;
    if ((params->flags & cudaGraphInstantiateFlagUpload) != 0) r.streams.find(params->uploadStream);
    try {
      *executable = r.graphs.add(instantiate(graph, params->flags));
    } catch (const Failure& failure) {
      if (failure.code == cudaErrorInvalidValue) params->result_out = cudaGraphInstantiateInvalidStructure;
      throw;
    }
    params->result_out = cudaGraphInstantiateSuccess;
  });
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t executable, unsigned long long* flags) {
  return call([&](Runtime& r) {
    require(flags != nullptr);
    *flags = r.graphs.find(executable).flags;
  });
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* information) {
  return call([&](Runtime& r) {
    const auto result = update(r.graphs.find(executable), graph_of(graph));
    if (information != nullptr) *information = result;
    if (result.result != cudaGraphExecUpdateSuccess) throw Failure{cudaErrorGraphExecUpdateFailure};
  });
}

cudaError_t cudaGraphUpload(cudaGraphExec_t executable, cudaStream_t stream) {
  // There is nothing to bring to the device before a launch.
  return call([&](Runtime& r) {
    r.graphs.find(executable);
    r.streams.find(stream);
  });
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return call([&](Runtime& r) {
    r.launcher.print();
    submit_graph(r, stream, r.graphs.find(executable));
  });
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return call([&](Runtime& r) { r.graphs.destroy(executable); });
}
