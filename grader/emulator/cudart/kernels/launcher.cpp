#include "emulator/cudart/kernels/launcher.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <type_traits>

namespace lockstep::emulator::cudart {

using server::bytes_of;

namespace {

Dim3 dimensions(const dim3& given) { return {given.x, given.y, given.z}; }

server::Bytes pack(const Kernel& kernel, void** arguments) {
  require(kernel.parameters.empty() || arguments != nullptr);
  server::Bytes block(kernel.info.parameter_bytes);
  for (std::size_t i = 0; i < kernel.parameters.size(); ++i) {
    const ParameterLayout& layout = kernel.parameters[i];
    std::memcpy(block.data() + layout.offset, arguments[i], layout.bytes);
  }
  return block;
}

/// What is wrong with a launch's clusters has an error of its own; the device only refuses them.
void check_cluster(const Kernel& kernel, const Configuration& configuration) {
  const bool compiled = kernel.info.cluster_x != 0;
  const dim3& asked = configuration.cluster;
  const dim3 cluster =
      compiled ? dim3(kernel.info.cluster_x, kernel.info.cluster_y, kernel.info.cluster_z) : asked;
  if (cluster.x == 0) return;
  const dim3& grid = configuration.grid;
  const bool other_shape =
      compiled && asked.x != 0 && (asked.x != cluster.x || asked.y != cluster.y || asked.z != cluster.z);
  if (other_shape || cluster.y == 0 || cluster.z == 0 || grid.x % cluster.x != 0 || grid.y % cluster.y != 0 ||
      grid.z % cluster.z != 0 ||
      std::uint64_t{cluster.x} * cluster.y * cluster.z > most_cluster_blocks(kernel)) {
    throw Failure{cudaErrorInvalidClusterSize};
  }
}

}  // namespace

KernelWork Launcher::prepare(const void* function, const Configuration& configuration, void** arguments) {
  print();
  Kernel& kernel = modules_.load(function);
  check_cluster(kernel, configuration);
  KernelWork work;
  work.function = function;
  work.device = current_device();
  work.request.kernel = kernel.info.kernel;
  work.request.grid = dimensions(configuration.grid);
  work.request.block = dimensions(configuration.block);
  work.request.cluster = dimensions(configuration.cluster);
  work.request.dynamic_shared_bytes = configuration.shared_bytes;
  work.request.dynamic_shared_limit = dynamic_shared_limit(kernel, device_.properties());
  work.request.cooperative = configuration.cooperative ? 1 : 0;
  work.request.reach = peers_.reach(current_device());
  work.request.heap_bytes = heap_bytes_;
  check(kernel, work.request);
  heap_used_ = heap_used_ || kernel.info.uses_heap != 0;
  work.arguments = pack(kernel, arguments);
  work.kernel = kernel.shared_from_this();
  return work;
}

KernelWork Launcher::prepare(const cudaLaunchConfig_t& configuration, const void* function,
                             void** arguments) {
  Configuration plain{configuration.gridDim, configuration.blockDim, configuration.dynamicSmemBytes,
                      configuration.stream};
  for (unsigned i = 0; i < configuration.numAttrs; ++i) {
    const cudaLaunchAttribute& attribute = configuration.attrs[i];
    if (attribute.id == cudaLaunchAttributeCooperative) plain.cooperative = attribute.val.cooperative != 0;
    if (attribute.id == cudaLaunchAttributeClusterDimension) {
      const auto& cluster = attribute.val.clusterDim;
      plain.cluster = {cluster.x, cluster.y, cluster.z};
    }
  }
  return prepare(function, plain, arguments);
}

void Launcher::check(Kernel& kernel, const server::LaunchRequest& wanted) {
  static_assert(std::has_unique_object_representations_v<server::LaunchRequest>);
  if (kernel.accepted && std::memcmp(&*kernel.accepted, &wanted, sizeof wanted) == 0) return;
  try {
    device_.request(server::RequestKind::check_launch, {bytes_of(wanted)});
  } catch (const Failure& caught) {
    if (wanted.cooperative == 0 || caught.code != cudaErrorLaunchOutOfResources) throw;
    throw Failure{cudaErrorCooperativeLaunchTooLarge};
  }
  kernel.accepted = wanted;
}

void Launcher::run(const KernelWork& work) {
  const SelectedDevice selected(work.device);
  unified_.before_launch(work.arguments);
  const server::Bytes text =
      device_.request(server::RequestKind::launch, {bytes_of(work.request), work.arguments});
  printed_.append(reinterpret_cast<const char*>(text.data()), text.size());
  unified_.after_launch();
}

void Launcher::synchronise() {
  print();
  device_.request(server::RequestKind::synchronise, {});
  unified_.after_synchronisation();
}

void Launcher::set_heap_bytes(std::size_t bytes) {
  require(!heap_used_ && bytes != 0);
  heap_bytes_ = bytes;
}

void Launcher::print() {
  if (printed_.empty()) return;
  std::fwrite(printed_.data(), 1, printed_.size(), stdout);
  std::fflush(stdout);
  printed_.clear();
}

std::vector<Configuration>& pushed_configurations() {
  thread_local std::vector<Configuration> pushed;
  return pushed;
}

}  // namespace lockstep::emulator::cudart
