// The device as its owner sees it: memory, modules, launches, and what was seen summed by source line.
#include "emulator/device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <numeric>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include "emulator/checks/finding_log.h"
#include "emulator/checks/unfenced_stores.h"
#include "emulator/core/processors.h"
#include "emulator/core/round_up.h"
#include "emulator/decoding/decoder.h"
#include "emulator/execution/cluster.h"
#include "emulator/execution/scheduler.h"
#include "emulator/memory/device_heap.h"
#include "emulator/memory/image_table.h"
#include "emulator/memory/memory.h"
#include "emulator/program/handlers.h"
#include "emulator/ptx/fat_binary.h"
#include "emulator/ptx/link.h"

namespace lockstep::emulator {
namespace {

constexpr std::uint32_t kMaxBlockX = 1024, kMaxBlockY = 1024, kMaxBlockZ = 64;
/// Of all kernels; a thousand instructions take about half a megabyte.
constexpr std::size_t kMaxDecodedBytes = std::size_t{512} << 20;
/// Of what has been seen since it was last taken: hostile programs have lines without end, with names without
/// end.
constexpr std::size_t kMaxLineBytes = std::size_t{32} << 20;
constexpr std::size_t kMaxTraces = 4096;
constexpr std::uint32_t kMaxGridX = 0x7FFF'FFFF, kMaxGridYZ = 65535;

std::array<std::uint32_t, 3> extents_of(const Dim3& of) { return {of.x, of.y, of.z}; }

/// Where blocks of a shuffled launch begin and how far apart neighbours in time are, from the seed.
struct BlockOrder {
  std::uint64_t start = 0, stride = 1;
};
BlockOrder block_order_of(std::uint64_t seed, std::uint64_t count) {
  if (seed == 0 || count < 2) return {};
  const std::uint64_t mixed = seed * 0x9E37'79B9'7F4A'7C15;
  BlockOrder order{mixed % count, (mixed >> 17) % count | 1};
  while (std::gcd(order.stride, count) != 1) ++order.stride;
  order.stride %= count;
  return order;
}

/// Whether a path ends in `suffix`, which begins where one of its parts does.
bool is_named(std::string_view path, std::string_view suffix) {
  if (!path.ends_with(suffix)) return false;
  const std::size_t before = path.size() - suffix.size();
  return before == 0 || suffix.empty() || suffix.front() == '/' || path[before - 1] == '/';
}

/// Asked before extents are multiplied: the product of those that a program names may be 0 modulo 2^64.
bool is_empty(const Dim3& shape) { return shape.x == 0 || shape.y == 0 || shape.z == 0; }

[[noreturn]] void refuse_launch(DeviceError::Code code, Finding::Cause cause,
                                std::vector<std::int64_t> numbers) {
  Finding why = Finding::make(cause);
  why.numbers = std::move(numbers);
  throw RefusedRequest(code, std::move(why), "a launch that the device cannot do");
}

/// Blocks of a cluster; zeros when the launch has none.
Dim3 cluster_of(const program::Kernel& kernel, const LaunchConfiguration& c) {
  const auto& compiled = kernel.required_cluster;
  const bool is_compiled = compiled[0] != 0;
  const Dim3 cluster = is_compiled ? Dim3{compiled[0], compiled[1], compiled[2]} : c.cluster;
  if (is_empty(cluster)) return {0, 0, 0};
  const auto refuse = [](Finding::Cause cause, std::vector<std::int64_t> numbers = {}) {
    refuse_launch(DeviceError::Code::invalid_configuration, cause, std::move(numbers));
  };
  if (is_compiled && !is_empty(c.cluster) &&
      (c.cluster.x != cluster.x || c.cluster.y != cluster.y || c.cluster.z != cluster.z)) {
    refuse(Finding::Cause::cluster_of_other_shape);
  }
  if (cluster.x > execution::kMaxClusterBlocks || cluster.y > execution::kMaxClusterBlocks ||
      cluster.z > execution::kMaxClusterBlocks || cluster.count() > execution::kMaxClusterBlocks) {
    refuse(Finding::Cause::cluster_too_large,
           {cluster.x, cluster.y, cluster.z, execution::kMaxClusterBlocks});
  }
  if (c.grid.x % cluster.x != 0 || c.grid.y % cluster.y != 0 || c.grid.z % cluster.z != 0) {
    refuse(Finding::Cause::grid_not_of_clusters,
           {c.grid.x, c.grid.y, c.grid.z, cluster.x, cluster.y, cluster.z});
  }
  return cluster;
}

/// Memory in which the blocks of a cooperative launch meet, for as long as it runs.
class GridWorkspace {
 public:
  GridWorkspace(memory::GlobalMemory& memory, bool needed) : memory_(memory) {
    constexpr std::size_t kBytes = 256;
    if (!needed) return;
    address_ = memory.allocate(kBytes, "the grid's barrier");
    memory.mark_written(address_, kBytes, true);
  }
  ~GridWorkspace() {
    if (address_ != 0) memory_.free(address_);
  }
  GridWorkspace(const GridWorkspace&) = delete;
  GridWorkspace& operator=(const GridWorkspace&) = delete;
  DeviceAddress address() const { return address_; }

 private:
  memory::GlobalMemory& memory_;
  DeviceAddress address_ = 0;
};

}  // namespace

struct Device::State {
  struct Loaded {
    program::Program program;
    std::map<std::string, KernelId, std::less<>> kernel_ids;
    std::vector<DeviceAddress> memory;  ///< of its variables
    ModuleBytes bytes;
    counters::Counters counters;
  };
  struct KernelEntry {
    ModuleId module = 0;
    std::unique_ptr<program::Kernel> kernel;
  };

  explicit State(DeviceOptions given)
      : options(std::move(given)),
        memory(options.properties.global_bytes),
        workers(options.workers != 0 ? options.workers : usable_processors()) {}

  Loaded& module(ModuleId id) {
    const auto found = modules.find(id);
    if (found == modules.end()) throw DeviceError(DeviceError::Code::invalid_value, "no such module");
    return *found->second;
  }
  const KernelEntry& kernel(KernelId id) const {
    const auto found = kernels.find(id);
    if (found == kernels.end()) throw DeviceError(DeviceError::Code::invalid_value, "no such kernel");
    return found->second;
  }

  ModuleId load(const std::vector<std::string>& texts, ModuleBytes most);
  void place_variables(Loaded& loaded, std::size_t most_bytes);
  void collect(Loaded& loaded);
  void collect_samples(const Loaded& loaded);
  KernelWork& work_of(const std::string& kernel);
  /// Throws DeviceError unless the range is memory that the host may copy, fill and ask about.
  void require(DeviceAddress address, std::size_t bytes) const;
  /// The same of a whole box, of which the part is a part.
  void require(const BoxPlace& place, const BoxShape& shape, const BoxPart& part) const;
  void check_configuration(const program::Kernel& kernel, const LaunchConfiguration& configuration) const;
  std::vector<bool> traced_places(const program::Program& program) const;

  DeviceOptions options;
  memory::GlobalMemory memory;
  std::optional<memory::DeviceHeap> heap;
  memory::AtomicWords atomic_words;
  std::unique_ptr<checks::UnfencedStores>
      unfenced_stores;                       ///< of the launch that runs; null before there were any
  bool shows_stores = false;                 ///< at once, to all blocks
  checks::FindingLog findings, stale_reads;  ///< of all launches; the latter are no mistakes by themselves
  memory::ImageTable images;
  unsigned workers;
  std::map<ModuleId, std::unique_ptr<Loaded>> modules;
  std::unordered_map<KernelId, KernelEntry> kernels;
  ModuleId next_module = 1;
  KernelId next_kernel = 1;
  std::uint64_t next_function = kFunctionBegin;
  memory::Stamp next_stamp = 1;
  std::optional<Deadline> deadline;
  std::chrono::nanoseconds used_before{0};  ///< of the processor's time by this process, when it was set
  std::optional<state::TraceRequest> trace;
  /// What ended launches, traces and totals; lines are made of the modules' counters when taken.
  Observations pending;
  std::map<std::tuple<std::string, SourceLine>, LineCounters, std::less<>>
      lines;                                             ///< of modules that are gone
  std::size_t line_bytes = 0;                            ///< of `lines` and `works`
  std::map<std::string, KernelWork, std::less<>> works;  ///< by kernel
};

Device::ModuleId Device::State::load(const std::vector<std::string>& texts, ModuleBytes most) {
  auto loaded = std::make_unique<Loaded>();
  for (const std::string& text : texts) loaded->bytes.text += text.size();
  if (loaded->bytes.text > most.text) {
    throw DeviceError(
        DeviceError::Code::out_of_memory,
        fmt::format("{} bytes of PTX; the program may load {} more", loaded->bytes.text, most.text));
  }
  try {
    std::vector<ptx::Module> files;
    for (const std::string& text : texts) {
      files.push_back(ptx::parse(text, most.tree));
      most.tree -= files.back().bytes;
    }
    loaded->program.source = ptx::link(std::move(files));
  } catch (const ptx::ParseError& error) {
    throw DeviceError(DeviceError::Code::invalid_image, error.what());
  } catch (const ptx::LinkError& error) {
    throw DeviceError(DeviceError::Code::invalid_image, error.what());
  }
  loaded->bytes.tree = loaded->program.source.bytes;
  for (ptx::Function& function : loaded->program.source.functions)
    loaded->program.speculated_loads.emplace(&function, analysis::sink_speculated_loads(function));
  const ptx::Module& module = loaded->program.source;
  for (const ptx::Variable& variable : module.variables) {
    loaded->program.variables.emplace(variable.name, &variable);
  }
  for (const ptx::Function& function : module.functions) {
    if (function.external) continue;
    loaded->program.function_indices.try_emplace(
        function.name, static_cast<std::uint32_t>(loaded->program.function_indices.size()));
  }
  loaded->program.functions_begin = next_function;
  next_function += loaded->program.function_indices.size();
  try {
    place_variables(*loaded, most.variables);
  } catch (...) {
    for (const DeviceAddress address : loaded->memory) memory.free(address);
    throw;
  }
  modules[next_module] = std::move(loaded);
  return next_module++;
}

void Device::State::place_variables(Loaded& loaded, std::size_t most_bytes) {
  const auto in_memory = [](const ptx::Variable& variable) {
    return variable.space == ptx::Space::global || variable.space == ptx::Space::constant;
  };
  const ptx::Module& module = loaded.program.source;
  // All are charged before one is placed: marking a variable as written touches its shadows.
  for (const ptx::Variable& variable : module.variables) {
    if (!in_memory(variable) || variable.external) continue;
    const std::size_t left = most_bytes - loaded.bytes.variables;
    const std::size_t charged = round_up(std::max<std::size_t>(variable.bytes, 1), kAllocationGranule);
    if (variable.bytes > left || charged > left) {
      throw DeviceError(DeviceError::Code::out_of_memory,
                        fmt::format("the variable {} has {} bytes; {} of the device memory that the program "
                                    "may hold are left",
                                    variable.name, variable.bytes, left));
    }
    loaded.bytes.variables += charged;
  }
  std::size_t constant_bytes_left = options.properties.constant_bytes;
  for (const ptx::Variable& variable : module.variables) {
    if (!in_memory(variable) || variable.external) continue;
    if (variable.space == ptx::Space::constant) {
      if (variable.bytes > constant_bytes_left) {
        throw DeviceError(DeviceError::Code::invalid_image,
                          fmt::format("the constant {} has {} bytes; of the {} that a module's constants may "
                                      "have together, {} are left",
                                      variable.name, variable.bytes, options.properties.constant_bytes,
                                      constant_bytes_left));
      }
      constant_bytes_left -= variable.bytes;
    }
    const Placement placement =
        variable.managed ? Placement{.alignment = kPageBytes, .exchanged = true} : Placement{};
    const DeviceAddress address = memory.allocate(variable.bytes, variable.name, placement);
    loaded.memory.push_back(address);
    if (variable.space == ptx::Space::constant) memory.make_constant(address);
    loaded.program.symbols[variable.name] = {address, variable.bytes};
    if (variable.initial.size() > variable.bytes) {
      throw DeviceError(DeviceError::Code::invalid_image,
                        fmt::format("{} has too many initial values", variable.name));
    }
    if (!variable.initial.empty())
      std::memcpy(memory.host(address), variable.initial.data(), variable.initial.size());
    memory.mark_written(address, variable.bytes, true);
  }
  // Addresses that initialisers hold, now that every symbol has one.
  for (const ptx::Variable& variable : module.variables) {
    if (!in_memory(variable) || variable.external) continue;
    for (const ptx::Relocation& relocation : variable.relocations) {
      std::uint64_t value = 0;
      if (const auto symbol = loaded.program.symbols.find(relocation.symbol);
          symbol != loaded.program.symbols.end()) {
        value = symbol->second.address;
      } else if (const auto code = loaded.program.function_indices.find(relocation.symbol);
                 code != loaded.program.function_indices.end()) {
        value = loaded.program.functions_begin + code->second;
      } else {
        throw DeviceError(DeviceError::Code::invalid_image,
                          fmt::format("{} holds the address of {}, which the module does not define",
                                      variable.name, relocation.symbol));
      }
      value += static_cast<std::uint64_t>(relocation.addend);
      if (relocation.offset + sizeof value > variable.bytes) {
        throw DeviceError(DeviceError::Code::invalid_image,
                          fmt::format("{} has an address past its end", variable.name));
      }
      std::memcpy(memory.host(loaded.program.symbols.at(variable.name).address + relocation.offset), &value,
                  sizeof value);
    }
  }
}

void Device::State::require(DeviceAddress address, std::size_t bytes) const {
  memory.require(address, bytes);
  if (heap && heap->contains(address)) {
    throw DeviceError(DeviceError::Code::invalid_address,
                      "memory that a kernel took by malloc or new, which only kernels may access");
  }
}

void Device::State::require(const BoxPlace& place, const BoxShape& shape, const BoxPart& part) const {
  const auto span = span_of(shape, place);
  if (!span) {
    throw DeviceError(DeviceError::Code::invalid_value,
                      fmt::format("{} slices of {} rows of {} bytes, which overlap or fit no memory with {} "
                                  "bytes from row to row and {} from slice to slice",
                                  shape.depth, shape.height, shape.width, place.pitch, place.slice));
  }
  require(place.address, *span);
  if (part.first > shape.bytes() || part.bytes > shape.bytes() - part.first) {
    throw DeviceError(DeviceError::Code::invalid_value, "a part of a box that it does not have");
  }
}

KernelWork& Device::State::work_of(const std::string& kernel) {
  if (const auto known = works.find(kernel); known != works.end()) return known->second;
  // As of lines: beyond the limit it belongs to no kernel.
  line_bytes += sizeof(KernelWork) + 2 * kernel.size();
  const std::string& name = line_bytes > kMaxLineBytes ? std::string() : kernel;
  KernelWork& work = works[name];
  work.kernel = name;
  return work;
}

/// Adds a module's counters to the lines and clears them.
void Device::State::collect(Loaded& loaded) {
  const program::Program& program = loaded.program;
  const auto line_of = [&](const std::string& function, std::uint32_t place) -> LineCounters& {
    const SourceLine& line = program.places[place].line;
    const auto known = lines.find(std::tie(function, line));
    if (known != lines.end()) return known->second;
    // Beyond the limit what is counted belongs to no line, so that the totals stay true.
    line_bytes += sizeof(LineCounters) + 2 * (function.size() + line.file.size());
    if (line_bytes > kMaxLineBytes) return lines[{std::string(), SourceLine{}}];
    LineCounters& counters = lines[{function, line}];
    counters.line = line;
    counters.function = function;
    return counters;
  };
  for (std::size_t b = 0; b < loaded.counters.blocks.size(); ++b) {
    const counters::BlockCounter& counter = loaded.counters.blocks[b];
    if (counter.executions == 0) continue;
    const program::BlockLines& block = program.block_lines[b];
    for (const program::BlockLines::Share& share : block.shares) {
      LineCounters& line = line_of(block.function, share.place);
      line.warps += counter.executions * share.instructions;
      line.lanes += counter.lanes * share.instructions;
      line.idle_here += counter.idle_here / block.shares.size() * share.instructions;
      pending.warp_instructions += counter.executions * share.instructions;
    }
    if (block.ends_in_branch) {
      LineCounters& line = line_of(block.function, block.shares.back().place);
      line.branches += counter.executions;
      line.divergent_branches += counter.divergent;
      line.idle_caused += counter.idle_caused;
    }
  }
  for (std::size_t t = 0; t < loaded.counters.traffic.size(); ++t) {
    using counters::TrafficCounter;
    static constexpr Traffic LineCounters::*kMembers[TrafficCounter::kKinds] = {nullptr,
                                                                                &LineCounters::global_load,
                                                                                &LineCounters::global_store,
                                                                                &LineCounters::global_atomic,
                                                                                &LineCounters::shared_load,
                                                                                &LineCounters::shared_store,
                                                                                &LineCounters::shared_atomic,
                                                                                &LineCounters::local_load,
                                                                                &LineCounters::local_store,
                                                                                &LineCounters::constant_load,
                                                                                nullptr};
    using Kind = TrafficCounter::Kind;
    const Traffic& image = loaded.counters.traffic[t].by_kind[static_cast<std::size_t>(Kind::image)];
    pending.copied_sectors += image.units;
    for (std::size_t kind = 1; kind < TrafficCounter::kKinds; ++kind) {
      const Traffic& traffic = loaded.counters.traffic[t].by_kind[kind];
      if (traffic.requests == 0 || kMembers[kind] == nullptr) continue;
      line_of(program.traffic_functions[t], program.traffic_places[t]).*kMembers[kind] += traffic;
    }
    const counters::TrafficCounters& counter = loaded.counters.traffic[t];
    if (counter.global_contention + counter.shared_contention == 0) continue;
    LineCounters& line = line_of(program.traffic_functions[t], program.traffic_places[t]);
    line.global_contention += counter.global_contention;
    line.shared_contention += counter.shared_contention;
  }
  collect_samples(loaded);
  loaded.counters.blocks.assign(loaded.counters.blocks.size(), {});
  loaded.counters.traffic.assign(loaded.counters.traffic.size(), {});
  loaded.counters.shared_samples.assign(loaded.counters.shared_samples.size(), {});
  loaded.counters.global_samples.assign(loaded.counters.global_samples.size(), {});
}

void Device::State::collect_samples(const Loaded& loaded) {
  const program::Program& program = loaded.program;
  const auto collect = [&program](const auto& samples, const char* space,
                                  std::vector<AccessTrace>& accesses) {
    using Kind = counters::TrafficCounter::Kind;
    for (std::size_t t = 0; t < samples.size() && accesses.size() < kMaxTraces; ++t) {
      const auto& sample = samples[t];
      if (sample.active == 0) continue;  // was not executed
      const bool loads = sample.kind == Kind::shared_load || sample.kind == Kind::global_load;
      const bool stores = sample.kind == Kind::shared_store || sample.kind == Kind::global_store;
      AccessTrace access{.line = program.places[program.traffic_places[t]].line,
                         .space = space,
                         .operation = loads    ? "load"
                                      : stores ? "store"
                                               : "atomic",
                         .bytes = sample.width,
                         .active = sample.active,
                         .units = sample.units,
                         .ideal_units = sample.ideal_units,
                         .function = program.traffic_functions[t]};
      std::ranges::copy(sample.addresses, access.addresses.begin());
      accesses.push_back(std::move(access));
    }
  };
  collect(loaded.counters.shared_samples, "shared", pending.shared_accesses);
  collect(loaded.counters.global_samples, "global", pending.global_accesses);
}

namespace {

/// What a launch's configuration says of its shape. Throws DeviceError for clusters that do not fit it.
void set_shape(state::Grid& grid, const program::Kernel& kernel, const LaunchConfiguration& c) {
  grid.kernel = &kernel;
  grid.blocks = c.grid;
  grid.threads = c.block;
  grid.block_count = c.grid.count();
  grid.many_blocks = grid.block_count > 1;
  grid.many_threads = grid.many_blocks || c.block.count() > 1;
  grid.dynamic_shared_bytes = c.dynamic_shared_bytes;
  grid.shared_bytes = kernel.dynamic_shared_offset + c.dynamic_shared_bytes;
  if (c.dynamic_shared_bytes == 0) grid.shared_bytes = kernel.shared_bytes;
  const Dim3 cluster = cluster_of(kernel, c);
  grid.clustered = !is_empty(cluster);
  if (grid.clustered) grid.cluster = cluster;
}

}  // namespace

void Device::State::check_configuration(const program::Kernel& kernel, const LaunchConfiguration& c) const {
  using enum Finding::Cause;
  const auto refuse = [](Finding::Cause cause, std::vector<std::int64_t> numbers = {}) {
    refuse_launch(DeviceError::Code::invalid_configuration, cause, std::move(numbers));
  };
  const std::int64_t threads = signed_of(c.block.count());
  if (is_empty(c.grid) || is_empty(c.block)) {
    refuse(empty_launch, {c.grid.x, c.grid.y, c.grid.z, c.block.x, c.block.y, c.block.z});
  }
  if (c.block.x > kMaxBlockX || c.block.y > kMaxBlockY || c.block.z > kMaxBlockZ ||
      c.block.count() > static_cast<unsigned>(options.properties.threads_per_block)) {
    refuse(block_too_large, {c.block.x, c.block.y, c.block.z, threads, options.properties.threads_per_block});
  }
  if (c.block.count() > kernel.info.max_threads) {
    refuse(block_not_compiled, {threads, kernel.info.max_threads});
  }
  if (c.grid.x > kMaxGridX || c.grid.y > kMaxGridYZ || c.grid.z > kMaxGridYZ) {
    refuse(grid_too_large, {c.grid.x, c.grid.y, c.grid.z, kMaxGridX, kMaxGridYZ, kMaxGridYZ});
  }
  if (kernel.required_threads[0] != 0) {
    const auto& r = kernel.required_threads;
    if (c.block.x != r[0] || c.block.y != std::max(r[1], 1U) || c.block.z != std::max(r[2], 1U)) {
      refuse(block_of_other_shape);
    }
  }
  if (kernel.declared_shared_bytes > options.properties.shared_bytes_per_block) {
    refuse(static_shared_too_large,
           {signed_of(kernel.declared_shared_bytes), signed_of(options.properties.shared_bytes_per_block)});
  }
  // What the system keeps for cooperative groups is not the kernel's.
  const std::uint64_t shared =
      std::uint64_t{kernel.dynamic_shared_offset} - kernel.reserved_shared_bytes + c.dynamic_shared_bytes;
  if (shared > options.properties.shared_bytes_per_block_optin) {
    refuse(shared_too_large, {signed_of(shared), signed_of(options.properties.shared_bytes_per_block_optin)});
  }
  state::Grid grid;
  grid.properties = &options.properties;
  set_shape(grid, kernel, c);
  if (!execution::can_hold_cluster(grid)) {
    refuse_launch(DeviceError::Code::out_of_resources, cluster_needs_too_much,
                  {signed_of(grid.cluster.count())});
  }
  const std::size_t capacity = execution::blocks_together(grid, workers);
  if (c.cooperative && grid.block_count > capacity) {
    refuse_launch(DeviceError::Code::out_of_resources, cooperative_too_large,
                  {signed_of(grid.block_count), signed_of(capacity)});
  }
}

std::vector<bool> Device::State::traced_places(const program::Program& program) const {
  std::vector<bool> traced;
  if (!trace) return traced;
  traced.resize(program.places.size());
  for (std::size_t p = 0; p < traced.size(); ++p) {
    const SourceLine& line = program.places[p].line;
    traced[p] = line.line == trace->line && is_named(line.file, trace->file_suffix);
  }
  return traced;
}

Device::Device(DeviceOptions options) : state_(std::make_unique<State>(std::move(options))) {}
Device::~Device() = default;

const DeviceProperties& Device::properties() const { return state_->options.properties; }

DeviceAddress Device::allocate(std::size_t bytes, std::string label, const Placement& placement) {
  return state_->memory.allocate(bytes, std::move(label), placement);
}
void Device::set_devices(DeviceAddress address, DeviceMask devices) {
  state_->memory.set_devices(address, devices);
}
void Device::free(DeviceAddress address) { state_->memory.free(address); }
void Device::write(DeviceAddress to, std::span<const std::byte> bytes) {
  if (bytes.empty()) return state_->require(to, 0);
  write(BoxPlace{to}, {bytes.size()}, 0, bytes);
}
void Device::read(DeviceAddress from, std::span<std::byte> bytes) const {
  if (bytes.empty()) return state_->require(from, 0);
  read(BoxPlace{from}, {bytes.size()}, 0, bytes);
}
void Device::fill(DeviceAddress to, std::byte value, std::size_t bytes) {
  if (bytes == 0) return state_->require(to, 0);
  fill(BoxPlace{to}, {bytes}, {0, bytes}, value);
}
void Device::write(const BoxPlace& to, const BoxShape& shape, std::uint64_t first,
                   std::span<const std::byte> bytes) {
  memory::GlobalMemory& memory = state_->memory;
  state_->require(to, shape, {first, bytes.size()});
  const std::byte* next = bytes.data();
  for_row_pieces(shape, {first, bytes.size()}, [&](const RowPiece& piece) {
    const DeviceAddress address = to.address_of(piece);
    std::memcpy(memory.host(address), next, piece.bytes);
    memory.mark_written(address, piece.bytes, true);
    next += piece.bytes;
  });
}
void Device::read(const BoxPlace& from, const BoxShape& shape, std::uint64_t first,
                  std::span<std::byte> bytes) const {
  const memory::GlobalMemory& memory = state_->memory;
  state_->require(from, shape, {first, bytes.size()});
  std::byte* next = bytes.data();
  for_row_pieces(shape, {first, bytes.size()}, [&](const RowPiece& piece) {
    std::memcpy(next, memory.host(from.address_of(piece)), piece.bytes);
    next += piece.bytes;
  });
}
void Device::fill(const BoxPlace& to, const BoxShape& shape, const BoxPart& part, std::byte value) {
  memory::GlobalMemory& memory = state_->memory;
  state_->require(to, shape, part);
  for_row_pieces(shape, part, [&](const RowPiece& piece) {
    const DeviceAddress address = to.address_of(piece);
    std::memset(memory.host(address), std::to_integer<int>(value), piece.bytes);
    memory.mark_written(address, piece.bytes, true);
  });
}
void Device::copy(const BoxPlace& to_box, const BoxPlace& from_box, const BoxShape& shape,
                  const BoxPart& part) {
  memory::GlobalMemory& memory = state_->memory;
  state_->require(to_box, shape, part);
  state_->require(from_box, shape, part);
  for_row_pieces(shape, part, [&](const RowPiece& piece) {
    const DeviceAddress to = to_box.address_of(piece), from = from_box.address_of(piece);
    std::memmove(memory.host(to), memory.host(from), piece.bytes);
    if ((to - from) % 4 == 0 && to % 4 == 0 && piece.bytes % 4 == 0) {
      std::memmove(memory.written(to), memory.written(from), piece.bytes / 4);
    } else {
      memory.mark_written(to, piece.bytes, true);
    }
  });
}
void Device::mark_uninitialised(DeviceAddress from, std::size_t bytes) {
  state_->require(from, bytes);
  if (bytes != 0) state_->memory.mark_written(from, bytes, false);
}
void Device::make_heap(std::size_t bytes) {
  if (!state_->heap) state_->heap.emplace(state_->memory, bytes);
}
void Device::remove_heap() { state_->heap.reset(); }
std::size_t Device::heap_region_bytes(std::size_t bytes) { return memory::DeviceHeap::region_bytes(bytes); }
std::vector<HeapBlock> Device::heap_blocks() const {
  return state_->heap ? state_->heap->live_blocks() : std::vector<HeapBlock>{};
}

std::vector<bool> Device::written_pages(DeviceAddress from, std::size_t bytes) const {
  state_->require(from, bytes);
  std::vector<bool> pages;
  if (bytes == 0) return pages;
  const DeviceAddress end = from + bytes;
  for (DeviceAddress page = from / kPageBytes * kPageBytes; page < end; page += kPageBytes) {
    const std::uint8_t* first = state_->memory.written(std::max(page, from));
    const std::uint8_t* last = state_->memory.written(std::min(page + kPageBytes, end) - 1);
    pages.push_back(std::any_of(first, last + 1, [](std::uint8_t word) { return word != 0; }));
  }
  return pages;
}
void Device::require(DeviceAddress address, std::size_t bytes) const { state_->require(address, bytes); }
std::size_t Device::free_bytes() const { return state_->memory.free_bytes(); }
std::optional<SymbolInfo> Device::allocation(DeviceAddress address) const {
  const memory::GlobalMemory::Allocation* found = state_->memory.find(address);
  if (found == nullptr) return std::nullopt;
  return SymbolInfo{found->begin, found->bytes};
}

ImageHandle Device::create_texture(const Image& image, const Sampler& sampler) {
  return state_->images.add(image, sampler, state_->memory);
}
ImageHandle Device::create_surface(const Image& image) {
  return state_->images.add(image, std::nullopt, state_->memory);
}
void Device::destroy_image(ImageHandle handle) { state_->images.remove(handle); }

Device::ModuleId Device::load(std::span<const std::byte> fat_binaries, ModuleBytes most) {
  const auto mine = static_cast<std::uint32_t>(10 * properties().compute_major + properties().compute_minor);
  std::vector<std::string> texts;
  std::size_t text_bytes = 0;
  try {
    for (const std::span<const std::byte> container : ptx::containers_with_ptx(fat_binaries)) {
      std::vector<ptx::PtxImage> images = ptx::ptx_images(container);
      const auto best = std::ranges::min_element(
          images, [mine](auto one, auto other) { return ptx::suits_better(one, other, mine); },
          &ptx::PtxImage::architecture);
      text_bytes += best->text.size();
      texts.push_back(std::move(best->text));
      if (text_bytes > most.text) break;  // which is too much already
    }
  } catch (const ptx::FatBinaryError& error) {
    throw DeviceError(DeviceError::Code::no_ptx, error.what());
  }
  return state_->load(texts, most);
}

Device::ModuleId Device::load_ptx(std::string_view text) {
  return state_->load({std::string(text)}, {SIZE_MAX, SIZE_MAX, SIZE_MAX});
}

ModuleBytes Device::module_bytes(ModuleId module) const { return state_->module(module).bytes; }

void Device::unload(ModuleId module) {
  State::Loaded& loaded = state_->module(module);
  state_->collect(loaded);
  for (const DeviceAddress address : loaded.memory) state_->memory.free(address);
  std::erase_if(state_->kernels, [&](const auto& entry) { return entry.second.module == module; });
  state_->modules.erase(module);
}

Device::KernelId Device::kernel(ModuleId module, std::string_view mangled_name) {
  State::Loaded& loaded = state_->module(module);
  const auto known = loaded.kernel_ids.find(mangled_name);
  if (known != loaded.kernel_ids.end()) return known->second;
  std::size_t decoded_bytes = 0;
  for (const auto& [id, other] : state_->modules) decoded_bytes += other->program.decoded_bytes;
  loaded.program.most_decoded_bytes =
      loaded.program.decoded_bytes + kMaxDecodedBytes - std::min(kMaxDecodedBytes, decoded_bytes);
  std::unique_ptr<program::Kernel> kernel = decoding::decode_kernel(loaded.program, mangled_name);
  loaded.counters.blocks.resize(loaded.program.block_lines.size());
  loaded.counters.traffic.resize(loaded.program.traffic_places.size());
  loaded.counters.shared_samples.resize(loaded.program.traffic_places.size());
  loaded.counters.global_samples.resize(loaded.program.traffic_places.size());
  const KernelId id = state_->next_kernel++;
  state_->kernels[id] = {module, std::move(kernel)};
  loaded.kernel_ids.emplace(mangled_name, id);
  return id;
}

const KernelInfo& Device::kernel_info(KernelId kernel) const { return state_->kernel(kernel).kernel->info; }

SymbolInfo Device::symbol(ModuleId module, std::string_view mangled_name) const {
  const auto& symbols = state_->module(module).program.symbols;
  const auto found = symbols.find(mangled_name);
  if (found == symbols.end()) {
    throw DeviceError(DeviceError::Code::unknown_symbol,
                      fmt::format("the module has no variable {}", mangled_name));
  }
  return found->second;
}

void Device::check_launch(KernelId id, const LaunchConfiguration& configuration) const {
  state_->check_configuration(*state_->kernel(id).kernel, configuration);
}

LaunchResult Device::launch(KernelId id, const LaunchConfiguration& configuration,
                            std::span<const std::byte> parameters) {
  const State::KernelEntry& entry = state_->kernel(id);
  const program::Kernel& kernel = *entry.kernel;
  State::Loaded& loaded = state_->module(entry.module);
  state_->check_configuration(kernel, configuration);
  if (parameters.size() < kernel.info.parameter_bytes) {
    throw DeviceError(DeviceError::Code::invalid_value,
                      fmt::format("{} takes {} bytes of parameters, {} were given", kernel.info.name,
                                  kernel.info.parameter_bytes, parameters.size()));
  }
  state::Grid grid;
  grid.properties = &properties();
  grid.memory = &state_->memory;
  if (kernel.info.uses_heap) make_heap(kDefaultHeapBytes);
  grid.heap = state_->heap ? &*state_->heap : nullptr;
  grid.images = &state_->images;
  grid.atomic_words = &state_->atomic_words;
  grid.findings = &state_->findings;
  set_shape(grid, kernel, configuration);
  grid.parameters.assign(parameters.begin(), parameters.end());
  grid.reach = configuration.reach;
  grid.checks = state_->options.checks;
  grid.deadline = state_->deadline;
  grid.used_before = processor_time(CLOCK_PROCESS_CPUTIME_ID) - state_->used_before;
  const BlockOrder order = block_order_of(state_->options.seed, grid.block_count / grid.cluster.count());
  grid.seed = state_->options.seed;
  grid.block_start = order.start;
  grid.block_stride = order.stride;
  const GridWorkspace workspace(state_->memory, configuration.cooperative && kernel.meets_grid);
  grid.workspace = workspace.address();
  // Launches are told apart by their stamps; when half are used up, they start again.
  constexpr memory::Stamp kLastStart = memory::kSplitLine / 2;
  if (state_->next_stamp >= kLastStart) {
    state_->memory.clear_stamps();
    state_->next_stamp = 1;
  }
  grid.stamps.emplace(state_->next_stamp, std::max(kernel.memory_instructions, 1U));
  constexpr std::uint64_t kMaxTrackedBlocks = std::uint64_t{1} << 24;
  if (grid.checks && grid.many_blocks && kernel.orders_blocks && grid.block_count <= kMaxTrackedBlocks) {
    grid.released = std::make_unique<std::atomic<std::uint32_t>[]>(grid.block_count);
    grid.signalled = std::make_unique<std::atomic<std::uint32_t>[]>(grid.block_count);
    grid.acquired = std::make_unique<std::atomic<std::uint32_t>[]>(grid.block_count);
    if (kernel.stores_unfenced && !state_->shows_stores) {
      if (!state_->unfenced_stores) state_->unfenced_stores = std::make_unique<checks::UnfencedStores>();
      state_->unfenced_stores->clear();
      grid.unfenced_stores = state_->unfenced_stores.get();
      grid.stored_several = std::make_unique<std::atomic<bool>[]>(grid.block_count);
    }
  }
  grid.traced_places = state_->traced_places(loaded.program);

  const auto begin = std::chrono::steady_clock::now();
  LaunchResult result;
  counters::Span span;
  result.output = execution::run_grid(grid, state_->workers, loaded.counters, span);
  result.status = grid.status;
  state_->next_stamp = grid.stamps->end();

  Observations& pending = state_->pending;
  pending.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  ++pending.launches;
  pending.blocks += grid.block_count;
  const std::uint64_t warps = grid.block_count * ((grid.threads.count() + kLanes - 1) / kLanes);
  state_->work_of(kernel.info.name) += KernelWork{.launches = 1,
                                                  .blocks = grid.block_count,
                                                  .work = span.work,
                                                  .span = span.of_launch(grid.block_count, warps),
                                                  .grid = extents_of(grid.blocks),
                                                  .block = extents_of(grid.threads)};
  if (grid.unfenced_stores != nullptr) {
    for (Finding& stale : grid.unfenced_stores->take_findings()) state_->stale_reads.add(std::move(stale));
  }
  // What ended a launch is told in any case: there is one, as its owner has to clear it before the next.
  if (grid.fault) pending.findings.push_back(std::move(*grid.fault));
  for (auto& [instruction, trace] : grid.traces) {
    if (pending.traces.size() < kMaxTraces) pending.traces.push_back(std::move(trace));
  }
  return result;
}

void Device::set_deadline(std::optional<Deadline> deadline) {
  state_->deadline = deadline;
  state_->used_before = processor_time(CLOCK_PROCESS_CPUTIME_ID);
}

Observations Device::take_observations() {
  for (const auto& [id, loaded] : state_->modules) state_->collect(*loaded);
  Observations taken = std::move(state_->pending);
  state_->pending = {};
  std::vector<Finding> findings = state_->findings.take();
  for (Finding& ending : taken.findings) findings.push_back(std::move(ending));
  for (Finding& stale : state_->stale_reads.take()) findings.push_back(std::move(stale));
  taken.findings = std::move(findings);
  for (auto& [key, counters] : state_->lines) taken.lines.push_back(std::move(counters));
  for (auto& [kernel, work] : state_->works) taken.kernels.push_back(std::move(work));
  state_->lines.clear();
  state_->works.clear();
  state_->line_bytes = 0;
  return taken;
}

void Device::show_stores_at_once(bool at_once) { state_->shows_stores = at_once; }

void Device::trace_line(std::string file_suffix, std::uint32_t line) {
  if (line == 0) {
    state_->trace.reset();
  } else {
    state_->trace = state::TraceRequest{std::move(file_suffix), line};
  }
}

}  // namespace lockstep::emulator
