// Node parameters as the API spells them, to work that can be done, and back.
#pragma once

#include "emulator/cudart/errors/unsupported.h"
#include "emulator/cudart/runtime.h"

namespace lockstep::emulator::cudart {

/// All throw Failure for parameters with which the work could not be done.
KernelWork kernel_work(Runtime& r, const cudaKernelNodeParams& params);
CopyWork copy_work(Runtime& r, const cudaMemcpy3DParms& params);
CopyWork copy_work(Runtime& r, const CopyWork& work);
FillWork fill_work(Runtime& r, const cudaMemsetParams& params);
HostWork host_work(const cudaHostNodeParams& params);
NodeWork node_work(Runtime& r, cudaGraphNodeParams& params);

/// The pointers to arguments lie in the node.
cudaKernelNodeParams params_of(Node& node, const KernelWork& work);
cudaMemsetParams params_of(const FillWork& work);

/// An allocation node with memory of its own; `params` receives its address.
template <class Params>
AllocationNode allocation_node(Runtime& r, Params& params) {
  require(params.bytesize != 0);
  if (params.poolProps.handleTypes != cudaMemHandleTypeNone) refuse("memory of graphs for several processes");
  r.device.check_number(params.poolProps.location.id);
  const SelectedDevice selected(params.poolProps.location.id);
  AllocationNode node{r.graph_memory.allocate(params.bytesize)};
  params.dptr = node.allocation->address;
  return node;
}

ChildNode child_node(cudaGraph_t graph);
DeallocationNode deallocation_node(Runtime& r, void* address);
EventRecordNode record_node(Runtime& r, cudaEvent_t event);
EventWaitNode wait_node(Runtime& r, cudaEvent_t event);

}  // namespace lockstep::emulator::cudart
