// Stream capture.
#include <utility>

#include "emulator/cudart/runtime.h"

using lockstep::emulator::cudart::call;
using lockstep::emulator::cudart::Capture;
using lockstep::emulator::cudart::Failure;
using lockstep::emulator::cudart::Graph;
using lockstep::emulator::cudart::graph_of;
using lockstep::emulator::cudart::handle_of;
using lockstep::emulator::cudart::Node;
using lockstep::emulator::cudart::nodes_of;
using lockstep::emulator::cudart::require;
using lockstep::emulator::cudart::require_plain_edges;
using lockstep::emulator::cudart::Runtime;
using lockstep::emulator::cudart::Stream;
using lockstep::emulator::cudart::thread_capture_mode;

namespace {

cudaStreamCaptureStatus status_of(const Stream& stream) {
  if (!stream.capture) return cudaStreamCaptureStatusNone;
  return stream.capture->invalidated ? cudaStreamCaptureStatusInvalidated : cudaStreamCaptureStatusActive;
}

/// Handles that stay as long as the thread does not ask again.
const cudaGraphNode_t* handles_of(const std::vector<Node*>& nodes) {
  thread_local std::vector<cudaGraphNode_t> handles;
  handles.clear();
  for (const Node* node : nodes) handles.push_back(handle_of(*node));
  return handles.data();
}

const cudaGraphEdgeData* plain_edges(std::size_t count) {
  thread_local std::vector<cudaGraphEdgeData> edges;
  edges.assign(count, {});
  return edges.data();
}

}  // namespace

cudaError_t cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return call([&](Runtime& r) {
    r.captures.begin(r.streams.find(stream), std::make_shared<Graph>(), false, {}, mode);
  });
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* dependencies, const cudaGraphEdgeData* edges,
                                          size_t count, cudaStreamCaptureMode mode) {
  return call([&](Runtime& r) {
    require_plain_edges(edges, count);
    r.captures.begin(r.streams.find(stream), graph_of(graph).shared_from_this(), true,
                     nodes_of(dependencies, count), mode);
  });
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return call([&](Runtime& r) {
    require(graph != nullptr);
    *graph = nullptr;
    const std::shared_ptr<Capture> capture = r.captures.end(r.streams.find(stream));
    *graph = handle_of(*capture->graph);
    if (!capture->into_given_graph) r.graphs.add(capture->graph);
    capture->graph.reset();
  });
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  return call([&](Runtime& r) {
    require(status != nullptr);
    const Stream& asked = r.streams.find(stream);
    r.captures.check_implicit_dependency(asked);
    *status = status_of(asked);
  });
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t handle, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** dependencies, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  return call([&](Runtime& r) {
    require(status != nullptr);
    const Stream& stream = r.streams.find(handle);
    r.captures.check_implicit_dependency(stream);
    *status = status_of(stream);
    if (*status != cudaStreamCaptureStatusActive) return;
    if (id != nullptr) *id = stream.capture->id;
    if (graph != nullptr) *graph = handle_of(*stream.capture->graph);
    if (dependencies != nullptr) *dependencies = handles_of(stream.last_nodes);
    if (edges != nullptr) *edges = plain_edges(stream.last_nodes.size());
    if (count != nullptr) *count = stream.last_nodes.size();
  });
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t handle, cudaGraphNode_t* dependencies,
                                                const cudaGraphEdgeData* edges, size_t count,
                                                unsigned flags) {
  return call([&](Runtime& r) {
    require(flags == cudaStreamAddCaptureDependencies || flags == cudaStreamSetCaptureDependencies);
    require_plain_edges(edges, count);
    Stream& stream = r.streams.find(handle);
    if (!stream.capture) throw Failure{cudaErrorIllegalState};
    std::vector<Node*> nodes = nodes_of(dependencies, count);
    for (const Node* node : nodes) require(node->graph == stream.capture->graph.get());
    if (flags == cudaStreamSetCaptureDependencies) stream.last_nodes.clear();
    for (Node* node : nodes) {
      if (std::ranges::find(stream.last_nodes, node) == stream.last_nodes.end())
        stream.last_nodes.push_back(node);
    }
  });
}

cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  return call([&](Runtime&) {
    require(mode != nullptr && *mode >= cudaStreamCaptureModeGlobal && *mode <= cudaStreamCaptureModeRelaxed);
    *mode = std::exchange(thread_capture_mode(), *mode);
  });
}
