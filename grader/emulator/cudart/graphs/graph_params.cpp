#include "emulator/cudart/graphs/graph_params.h"

#include <algorithm>

#include "emulator/cudart/arrays/array_copies.h"
#include "emulator/cudart/errors/unsupported.h"

namespace lockstep::emulator::cudart {

namespace {

bool has_allocations(const Graph& graph) {
  return std::ranges::any_of(graph.nodes, [](const auto& node) {
    return std::holds_alternative<AllocationNode>(node->work) ||
           std::holds_alternative<DeallocationNode>(node->work);
  });
}

}  // namespace

KernelWork kernel_work(Runtime& r, const cudaKernelNodeParams& params) {
  if (params.extra != nullptr) refuse("kernel nodes whose arguments come in `extra`");
  return r.launcher.prepare(params.func, {params.gridDim, params.blockDim, params.sharedMemBytes},
                            params.kernelParams);
}

CopyWork copy_work(Runtime& r, const cudaMemcpy3DParms& params) {
  return copy_work(r, box_copy(r.arrays, params));
}

CopyWork copy_work(Runtime& r, const CopyWork& work) {
  r.memory.check(work);
  return work;
}

FillWork fill_work(Runtime& r, const cudaMemsetParams& params) {
  const FillWork work{params.dst,         params.pitch, params.value,
                      params.elementSize, params.width, params.height};
  r.memory.check(work);
  return work;
}

HostWork host_work(const cudaHostNodeParams& params) {
  require(params.fn != nullptr);
  return {params.fn, params.userData};
}

ChildNode child_node(cudaGraph_t handle) {
  const Graph& graph = graph_of(handle);
  require(!has_allocations(graph));
  return {graph.clone()};
}

DeallocationNode deallocation_node(Runtime& r, void* address) {
  DeallocationNode node{r.graph_memory.find(address)};
  require(node.allocation != nullptr);
  return node;
}

EventRecordNode record_node(Runtime& r, cudaEvent_t event) {
  r.streams.find(event);
  return {event};
}

EventWaitNode wait_node(Runtime& r, cudaEvent_t event) {
  r.streams.find(event);
  return {event};
}

NodeWork node_work(Runtime& r, cudaGraphNodeParams& params) {
  switch (params.type) {
    case cudaGraphNodeTypeKernel: {
      const auto& kernel = params.kernel;
      return kernel_work(r, {kernel.func, kernel.gridDim, kernel.blockDim, kernel.sharedMemBytes,
                             kernel.kernelParams, kernel.extra});
    }
    case cudaGraphNodeTypeMemcpy:
      return copy_work(r, params.memcpy.copyParams);
    case cudaGraphNodeTypeMemset: {
      const auto& fill = params.memset;
      return fill_work(r, {fill.dst, fill.pitch, fill.value, fill.elementSize, fill.width, fill.height});
    }
    case cudaGraphNodeTypeHost:
      return host_work({params.host.fn, params.host.userData});
    case cudaGraphNodeTypeGraph:
      return child_node(params.graph.graph);
    case cudaGraphNodeTypeEmpty:
      return EmptyNode{};
    case cudaGraphNodeTypeWaitEvent:
      return wait_node(r, params.eventWait.event);
    case cudaGraphNodeTypeEventRecord:
      return record_node(r, params.eventRecord.event);
    case cudaGraphNodeTypeMemAlloc:
      return allocation_node(r, params.alloc);
    case cudaGraphNodeTypeMemFree:
      return deallocation_node(r, params.free.dptr);
    case cudaGraphNodeTypeConditional:
      refuse("conditional nodes of graphs");
    case cudaGraphNodeTypeExtSemaphoreSignal:
    case cudaGraphNodeTypeExtSemaphoreWait:
      refuse("semaphores of other interfaces in graphs");
    default:
      throw Failure{cudaErrorInvalidValue};
  }
}

cudaKernelNodeParams params_of(Node& node, const KernelWork& work) {
  node.arguments.clear();
  for (const ParameterLayout& layout : work.kernel->parameters) {
    node.arguments.push_back(const_cast<std::byte*>(work.arguments.data()) + layout.offset);
  }
  const auto dimensions = [](const Dim3& d) { return dim3{d.x, d.y, d.z}; };
  return {const_cast<void*>(work.function),
          dimensions(work.request.grid),
          dimensions(work.request.block),
          static_cast<unsigned>(work.request.dynamic_shared_bytes),
          node.arguments.empty() ? nullptr : node.arguments.data(),
          nullptr};
}

cudaMemsetParams params_of(const FillWork& work) {
  return {work.to, work.pitch, work.value, work.element_bytes, work.width, work.height};
}

}  // namespace lockstep::emulator::cudart
