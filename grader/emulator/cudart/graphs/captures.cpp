#include "emulator/cudart/graphs/captures.h"

#include <algorithm>
#include <unordered_set>

namespace lockstep::emulator::cudart {

namespace {

void join(std::vector<Node*>& nodes, const std::vector<Node*>& others) {
  for (Node* other : others) {
    if (std::ranges::find(nodes, other) == nodes.end()) nodes.push_back(other);
  }
}

/// The nodes and everything before them.
std::unordered_set<const Node*> with_all_before(const std::vector<Node*>& nodes) {
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> open(nodes.begin(), nodes.end());
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    if (!seen.insert(node).second) continue;
    open.insert(open.end(), node->dependencies.begin(), node->dependencies.end());
  }
  return seen;
}

bool all_joined(const Capture& capture) {
  const auto joined = with_all_before(capture.origin->last_nodes);
  const auto are_joined = [&](const std::vector<Node*>& nodes) {
    return std::ranges::all_of(nodes, [&](const Node* node) { return joined.contains(node); });
  };
  return are_joined(capture.ends_of_destroyed_streams) &&
         std::ranges::all_of(capture.streams,
                             [&](const Stream* stream) { return are_joined(stream->last_nodes); });
}

}  // namespace

void Captures::begin(Stream& stream, std::shared_ptr<Graph> graph, bool into_given_graph,
                     std::vector<Node*> after, cudaStreamCaptureMode mode) {
  require(mode >= cudaStreamCaptureModeGlobal && mode <= cudaStreamCaptureModeRelaxed);
  if (stream.handle == cudaStreamLegacy) throw Failure{cudaErrorStreamCaptureUnsupported};
  if (stream.capture) throw Failure{cudaErrorIllegalState};
  const auto capture = std::make_shared<Capture>();
  capture->graph = std::move(graph);
  capture->into_given_graph = into_given_graph;
  capture->origin = &stream;
  capture->streams = {&stream};
  capture->mode = mode;
  capture->thread = std::this_thread::get_id();
  capture->id = next_id_++;
  active_.push_back(capture);
  stream.capture = capture;
  stream.last_nodes = std::move(after);
}

std::shared_ptr<Capture> Captures::end(Stream& stream) {
  if (!stream.capture) throw Failure{cudaErrorIllegalState};
  std::shared_ptr<Capture> capture = stream.capture;
  if (capture->mode != cudaStreamCaptureModeRelaxed && capture->thread != std::this_thread::get_id())
    throw Failure{cudaErrorStreamCaptureWrongThread};
  if (capture->origin != &stream) {
    capture->invalidated = true;
    throw Failure{cudaErrorStreamCaptureUnmatched};
  }
  const bool joined = all_joined(*capture);
  for (Stream* member : capture->streams) {
    member->capture.reset();
    member->last_nodes.clear();
  }
  capture->streams.clear();
  std::erase(active_, capture);
  if (capture->invalidated || !joined) {
    // Events may keep the capture, but not a graph that is never returned.
    capture->graph.reset();
    throw Failure{capture->invalidated ? cudaErrorStreamCaptureInvalidated : cudaErrorStreamCaptureUnjoined};
  }
  return capture;
}

Node& Captures::add(Stream& stream, NodeWork work) {
  check_valid(*stream.capture);
  Node& node = stream.capture->graph->add(std::move(work), stream.last_nodes);
  stream.last_nodes = {&node};
  return node;
}

void Captures::record(Stream& stream, Event& event) {
  check_valid(*stream.capture);
  event.capture = stream.capture;
  event.nodes = stream.last_nodes;
  event.record.reset();
}

void Captures::wait(Stream& stream, const Event& event) {
  Capture& capture = *event.capture;
  if (std::ranges::find(active_, event.capture) == active_.end()) {
    refuse_in(stream, cudaErrorStreamCaptureIsolation);
    throw Failure{cudaErrorCapturedEvent};
  }
  check_valid(capture);
  if (!stream.capture) {
    if (stream.handle == cudaStreamLegacy) {
      capture.invalidated = true;
      throw Failure{cudaErrorStreamCaptureImplicit};
    }
    stream.capture = event.capture;
    capture.streams.push_back(&stream);
    stream.last_nodes = event.nodes;
    return;
  }
  if (stream.capture != event.capture) {
    capture.invalidated = true;
    refuse_in(stream, cudaErrorStreamCaptureMerge);
  }
  join(stream.last_nodes, event.nodes);
}

void Captures::check_implicit_dependency(const Stream& stream) {
  if (stream.handle != cudaStreamLegacy) return;
  for (const auto& capture : active_) {
    const bool blocking = std::ranges::any_of(capture->streams, [&](const Stream* member) {
      return member->flags != cudaStreamNonBlocking && member->device == stream.device;
    });
    if (!blocking) continue;
    capture->invalidated = true;
    throw Failure{cudaErrorStreamCaptureImplicit};
  }
}

void Captures::check_unsafe_call() {
  if (thread_capture_mode() == cudaStreamCaptureModeRelaxed) return;
  bool forbidden = false;
  for (const auto& capture : active_) {
    const bool own = capture->thread == std::this_thread::get_id();
    const bool global = capture->mode == cudaStreamCaptureModeGlobal;
    const bool forbids = own ? capture->mode != cudaStreamCaptureModeRelaxed
                             : global && thread_capture_mode() == cudaStreamCaptureModeGlobal;
    if (!forbids) continue;
    capture->invalidated = true;
    forbidden = true;
  }
  if (forbidden) throw Failure{cudaErrorStreamCaptureUnsupported};
}

void Captures::refuse_in(const Stream& stream, cudaError_t error) {
  if (!stream.capture) return;
  stream.capture->invalidated = true;
  throw Failure{error};
}

void Captures::leave(Stream& stream) {
  if (!stream.capture) return;
  Capture& capture = *stream.capture;
  std::erase(capture.streams, &stream);
  if (capture.origin != &stream) return join(capture.ends_of_destroyed_streams, stream.last_nodes);
  capture.invalidated = true;
  for (Stream* member : capture.streams) {
    member->capture.reset();
    member->last_nodes.clear();
  }
  std::erase(active_, std::shared_ptr<Capture>(stream.capture));
}

void Captures::check_valid(const Capture& capture) {
  if (capture.invalidated) throw Failure{cudaErrorStreamCaptureInvalidated};
}

cudaStreamCaptureMode& thread_capture_mode() {
  thread_local cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  return mode;
}

}  // namespace lockstep::emulator::cudart
