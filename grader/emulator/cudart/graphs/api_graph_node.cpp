// Nodes of graphs: adding them, and their parameters, in graphs and in executable graphs.
#include <algorithm>

#include "emulator/cudart/arrays/array_copies.h"
#include "emulator/cudart/errors/unsupported.h"
#include "emulator/cudart/graphs/graph_params.h"
#include "emulator/cudart/runtime.h"

using namespace lockstep::emulator::cudart;

namespace {

/// Adds a node with the work that `make` returns.
template <class Make>
cudaError_t add(cudaGraphNode_t* node, cudaGraph_t handle, const cudaGraphNode_t* dependencies, size_t count,
                Make&& make, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& r) {
        require(node != nullptr);
        Graph& graph = graph_of(handle);
        std::vector<Node*> nodes = nodes_of(dependencies, count);
        for (const Node* dependency : nodes) require(dependency->graph == &graph);
        *node = handle_of(graph.add(make(r), std::move(nodes)));
      },
      name);
}

/// Work of the node, which must be of this type.
template <class T>
T& work_of(cudaGraphNode_t node) {
  T* const work = std::get_if<T>(&node_of(node).work);
  require(work != nullptr);
  return *work;
}

/// Makes a launch of the kind that another is, as a node's attributes say it.
void take_kind(KernelWork& work, const KernelWork& other) {
  work.request.cooperative = other.request.cooperative;
  work.request.cluster = other.request.cluster;
}

/// Gives a node the work that `make` returns, of the type that it has.
template <class Make>
cudaError_t set(cudaGraphNode_t node, Make&& make, const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& r) {
        auto work = make(r);
        auto& before = work_of<decltype(work)>(node);
        if constexpr (std::is_same_v<decltype(work), KernelWork>) take_kind(work, before);
        before = std::move(work);
      },
      name);
}

/// The same for one node of an executable graph.
template <class Make>
cudaError_t set(cudaGraphExec_t executable, cudaGraphNode_t node, Make&& make,
                const char* name = __builtin_FUNCTION()) {
  return call(
      [&](Runtime& r) {
        ExecutableGraph& graph = r.graphs.find(executable);
        auto work = make(r);
        if constexpr (std::is_same_v<decltype(work), KernelWork>) {
          const auto* before = std::get_if<KernelWork>(&step_of(graph, node).work);
          if (before != nullptr) take_kind(work, *before);
        }
        set_step(graph, node, std::move(work));
      },
      name);
}

/// Attributes that a node keeps; none changes what the emulated device does.
bool is_kept(cudaKernelNodeAttrID attribute) {
  return attribute == cudaKernelNodeAttributePriority ||
         attribute == cudaKernelNodeAttributeAccessPolicyWindow ||
         attribute == cudaKernelNodeAttributeMemSyncDomain ||
         attribute == cudaKernelNodeAttributeMemSyncDomainMap ||
         attribute == cudaKernelNodeAttributePreferredSharedMemoryCarveout;
}

template <class T>
const T& given(const T* params) {
  require(params != nullptr);
  return *params;
}

}  // namespace

// --- adding ---

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                  const cudaGraphNode_t* dependencies, size_t count) {
  return add(node, graph, dependencies, count, [](Runtime&) { return EmptyNode{}; });
}

cudaError_t cudaGraphAddKernelNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaKernelNodeParams* params) {
  return add(node, graph, dependencies, count, [&](Runtime& r) { return kernel_work(r, given(params)); });
}

cudaError_t cudaGraphAddMemcpyNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemcpy3DParms* params) {
  return add(node, graph, dependencies, count, [&](Runtime& r) { return copy_work(r, given(params)); });
}

cudaError_t cudaGraphAddMemcpyNode1D(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count, void* to,
                                     const void* from, size_t bytes, cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count,
             [&](Runtime& r) { return copy_work(r, CopyWork::linear(to, from, bytes, kind)); });
}

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                           const cudaGraphNode_t* dependencies, size_t count,
                                           const void* symbol, const void* from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count, [&](Runtime& r) {
    return copy_work(r,
                     CopyWork::linear(r.modules.place_in_symbol(symbol, offset, bytes), from, bytes, kind));
  });
}

cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* node, cudaGraph_t graph,
                                             const cudaGraphNode_t* dependencies, size_t count, void* to,
                                             const void* symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
  return add(node, graph, dependencies, count, [&](Runtime& r) {
    return copy_work(r, CopyWork::linear(to, r.modules.place_in_symbol(symbol, offset, bytes), bytes, kind));
  });
}

cudaError_t cudaGraphAddMemsetNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                   const cudaGraphNode_t* dependencies, size_t count,
                                   const cudaMemsetParams* params) {
  return add(node, graph, dependencies, count, [&](Runtime& r) { return fill_work(r, given(params)); });
}

cudaError_t cudaGraphAddHostNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                 const cudaGraphNode_t* dependencies, size_t count,
                                 const cudaHostNodeParams* params) {
  return add(node, graph, dependencies, count, [&](Runtime&) { return host_work(given(params)); });
}

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                       const cudaGraphNode_t* dependencies, size_t count, cudaGraph_t child) {
  return add(node, graph, dependencies, count, [&](Runtime&) { return child_node(child); });
}

cudaError_t cudaGraphAddEventRecordNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                        const cudaGraphNode_t* dependencies, size_t count,
                                        cudaEvent_t event) {
  return add(node, graph, dependencies, count, [&](Runtime& r) { return record_node(r, event); });
}

cudaError_t cudaGraphAddEventWaitNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                      const cudaGraphNode_t* dependencies, size_t count, cudaEvent_t event) {
  return add(node, graph, dependencies, count, [&](Runtime& r) { return wait_node(r, event); });
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                     const cudaGraphNode_t* dependencies, size_t count,
                                     cudaMemAllocNodeParams* params) {
  return add(node, graph, dependencies, count, [&](Runtime& r) {
    require(params != nullptr);
    return allocation_node(r, *params);
  });
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t* node, cudaGraph_t graph,
                                    const cudaGraphNode_t* dependencies, size_t count, void* address) {
  return add(node, graph, dependencies, count, [&](Runtime& r) { return deallocation_node(r, address); });
}

cudaError_t cudaGraphAddNode(cudaGraphNode_t* node, cudaGraph_t graph, const cudaGraphNode_t* dependencies,
                             const cudaGraphEdgeData* edges, size_t count, cudaGraphNodeParams* params) {
  return add(node, graph, dependencies, count, [&](Runtime& r) {
    require(params != nullptr);
    require_plain_edges(edges, count);
    return node_work(r, *params);
  });
}

// --- parameters of nodes ---

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, cudaKernelNodeParams* params) {
  return call([&](Runtime&) {
    require(params != nullptr);
    *params = params_of(node_of(node), work_of<KernelWork>(node));
  });
}

cudaError_t cudaGraphKernelNodeSetParams(cudaGraphNode_t node, const cudaKernelNodeParams* params) {
  return set(node, [&](Runtime& r) { return kernel_work(r, given(params)); });
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, cudaMemcpy3DParms* params) {
  return call([&](Runtime& r) {
    require(params != nullptr);
    *params = parameters_of(r.arrays, work_of<CopyWork>(node));
  });
}

cudaError_t cudaGraphMemcpyNodeSetParams(cudaGraphNode_t node, const cudaMemcpy3DParms* params) {
  return set(node, [&](Runtime& r) { return copy_work(r, given(params)); });
}

cudaError_t cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
  return set(node, [&](Runtime& r) { return copy_work(r, CopyWork::linear(to, from, bytes, kind)); });
}

cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void* symbol, const void* from,
                                                 size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return set(node, [&](Runtime& r) {
    return copy_work(r,
                     CopyWork::linear(r.modules.place_in_symbol(symbol, offset, bytes), from, bytes, kind));
  });
}

cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void* to, const void* symbol,
                                                   size_t bytes, size_t offset, cudaMemcpyKind kind) {
  return set(node, [&](Runtime& r) {
    return copy_work(r, CopyWork::linear(to, r.modules.place_in_symbol(symbol, offset, bytes), bytes, kind));
  });
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, cudaMemsetParams* params) {
  return call([&](Runtime&) {
    require(params != nullptr);
    *params = params_of(work_of<FillWork>(node));
  });
}

cudaError_t cudaGraphMemsetNodeSetParams(cudaGraphNode_t node, const cudaMemsetParams* params) {
  return set(node, [&](Runtime& r) { return fill_work(r, given(params)); });
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, cudaHostNodeParams* params) {
  return call([&](Runtime&) {
    require(params != nullptr);
    const auto& work = work_of<HostWork>(node);
    *params = {work.function, work.data};
  });
}

cudaError_t cudaGraphHostNodeSetParams(cudaGraphNode_t node, const cudaHostNodeParams* params) {
  return set(node, [&](Runtime&) { return host_work(given(params)); });
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* graph) {
  return call([&](Runtime&) {
    require(graph != nullptr);
    *graph = handle_of(*work_of<ChildNode>(node).graph);
  });
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return call([&](Runtime&) {
    require(event != nullptr);
    *event = work_of<EventRecordNode>(node).event;
  });
}

cudaError_t cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set(node, [&](Runtime& r) { return record_node(r, event); });
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {
  return call([&](Runtime&) {
    require(event != nullptr);
    *event = work_of<EventWaitNode>(node).event;
  });
}

cudaError_t cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {
  return set(node, [&](Runtime& r) { return wait_node(r, event); });
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* params) {
  return call([&](Runtime&) {
    require(params != nullptr);
    const auto& allocation = *work_of<AllocationNode>(node).allocation;
    *params = {};
    params->poolProps.allocType = cudaMemAllocationTypePinned;
    params->poolProps.location.type = cudaMemLocationTypeDevice;
    params->bytesize = allocation.bytes;
    params->dptr = allocation.address;
  });
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* address) {
  return call([&](Runtime&) {
    require(address != nullptr);
    *static_cast<void**>(address) = work_of<DeallocationNode>(node).allocation->address;
  });
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* params) {
  return call([&](Runtime& r) {
    require(params != nullptr && type_of(node_of(node).work) == params->type);
    node_of(node).work = node_work(r, *params);
  });
}

// --- attributes of kernel nodes ---

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            cudaKernelNodeAttrValue* value) {
  return call([&](Runtime&) {
    require(value != nullptr);
    *value = {};
    const auto& work = work_of<KernelWork>(node);
    if (attribute == cudaKernelNodeAttributeCooperative) {
      value->cooperative = work.request.cooperative != 0 ? 1 : 0;
      return;
    }
    if (attribute == cudaKernelNodeAttributeClusterDimension) {
      const auto& cluster = work.request.cluster;
      value->clusterDim = {cluster.x, cluster.y, cluster.z};
      return;
    }
    require(is_kept(attribute));
    const auto found = node_of(node).attributes.find(attribute);
    if (found != node_of(node).attributes.end()) *value = found->second;
  });
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID attribute,
                                            const cudaKernelNodeAttrValue* value) {
  return call([&](Runtime&) {
    require(value != nullptr);
    auto& work = work_of<KernelWork>(node);
    if (attribute == cudaKernelNodeAttributeCooperative) {
      work.request.cooperative = value->cooperative != 0 ? 1 : 0;
      return;
    }
    if (attribute == cudaKernelNodeAttributeClusterDimension) {
      work.request.cluster = {value->clusterDim.x, value->clusterDim.y, value->clusterDim.z};
      return;
    }
    if (!is_kept(attribute)) refuse("this attribute of kernel nodes: " + std::to_string(attribute));
    node_of(node).attributes[attribute] = *value;
  });
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  return call([&](Runtime&) {
    take_kind(work_of<KernelWork>(to), work_of<KernelWork>(from));
    node_of(to).attributes = node_of(from).attributes;
  });
}

// --- nodes of executable graphs ---

cudaError_t cudaGraphExecKernelNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaKernelNodeParams* params) {
  return set(executable, node, [&](Runtime& r) { return kernel_work(r, given(params)); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemcpy3DParms* params) {
  return set(executable, node, [&](Runtime& r) { return copy_work(r, given(params)); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes, cudaMemcpyKind kind) {
  return set(executable, node,
             [&](Runtime& r) { return copy_work(r, CopyWork::linear(to, from, bytes, kind)); });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     const void* symbol, const void* from, size_t bytes,
                                                     size_t offset, cudaMemcpyKind kind) {
  return set(executable, node, [&](Runtime& r) {
    return copy_work(r,
                     CopyWork::linear(r.modules.place_in_symbol(symbol, offset, bytes), from, bytes, kind));
  });
}

cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       void* to, const void* symbol, size_t bytes,
                                                       size_t offset, cudaMemcpyKind kind) {
  return set(executable, node, [&](Runtime& r) {
    return copy_work(r, CopyWork::linear(to, r.modules.place_in_symbol(symbol, offset, bytes), bytes, kind));
  });
}

cudaError_t cudaGraphExecMemsetNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                             const cudaMemsetParams* params) {
  return set(executable, node, [&](Runtime& r) { return fill_work(r, given(params)); });
}

cudaError_t cudaGraphExecHostNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                           const cudaHostNodeParams* params) {
  return set(executable, node, [&](Runtime&) { return host_work(given(params)); });
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return set(executable, node, [&](Runtime&) { return child_node(child); });
}

cudaError_t cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaEvent_t event) {
  return set(executable, node, [&](Runtime& r) { return record_node(r, event); });
}

cudaError_t cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,
                                               cudaEvent_t event) {
  return set(executable, node, [&](Runtime& r) { return wait_node(r, event); });
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* params) {
  return set(executable, node, [&](Runtime& r) {
    require(params != nullptr && params->type != cudaGraphNodeTypeMemAlloc &&
            params->type != cudaGraphNodeTypeMemFree);
    return node_work(r, *params);
  });
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned enabled) {
  return call([&](Runtime& r) { enable_step(r.graphs.find(executable), node, enabled != 0); });
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* enabled) {
  return call([&](Runtime& r) {
    require(enabled != nullptr);
    *enabled = step_of(r.graphs.find(executable), node).enabled ? 1 : 0;
  });
}
