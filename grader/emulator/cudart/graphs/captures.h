// Stream capture: streams whose work becomes nodes of a graph instead of being done.
//
// A capture begins in one stream, reaches others through events, and ends in the first. A call that it cannot
// hold fails and invalidates it, as on hardware.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "emulator/cudart/graphs/graphs.h"
#include "emulator/cudart/streams/streams.h"

namespace lockstep::emulator::cudart {

struct Capture {
  std::shared_ptr<Graph> graph;
  bool into_given_graph = false;  ///< cudaStreamBeginCaptureToGraph: the program owns the graph
  Stream* origin = nullptr;
  std::vector<Stream*> streams;  ///< that take part
  std::vector<Node*> ends_of_destroyed_streams;
  cudaStreamCaptureMode mode = cudaStreamCaptureModeGlobal;
  std::thread::id thread;
  unsigned long long id = 0;
  bool invalidated = false;
};

class Captures {
 public:
  /// `graph` is where the nodes go, after the nodes `after`.
  void begin(Stream& stream, std::shared_ptr<Graph> graph, bool into_given_graph, std::vector<Node*> after,
             cudaStreamCaptureMode mode);
  /// The capture that the stream began, whole. It is over in any case.
  std::shared_ptr<Capture> end(Stream& stream);

  /// The node that now ends the stream.
  Node& add(Stream& stream, NodeWork work);
  void record(Stream& stream, Event& event);
  /// Makes the stream wait for an event of a capture, and join that if it takes part in none.
  void wait(Stream& stream, const Event& event);

  /// Throws Failure when the stream is the legacy one and a stream that synchronises with it takes part in a
  /// capture.
  void check_implicit_dependency(const Stream& stream);
  /// Throws Failure when a capture under way forbids calls that might wait or change the device.
  void check_unsafe_call();
  /// For what a capture cannot hold: invalidates that of the stream, and throws Failure, unless there is
  /// none.
  void refuse_in(const Stream& stream, cudaError_t error = cudaErrorStreamCaptureUnsupported);
  /// The stream is about to go. What it recorded has to be joined to the first stream's work all the same.
  void leave(Stream& stream);

 private:
  static void check_valid(const Capture& capture);

  std::vector<std::shared_ptr<Capture>> active_;
  unsigned long long next_id_ = 1;
};

/// What the calling thread lets captures forbid: cudaThreadExchangeStreamCaptureMode.
cudaStreamCaptureMode& thread_capture_mode();

}  // namespace lockstep::emulator::cudart
