// What the program under test may ask: everything here may come from a hostile sender.
#include <algorithm>
#include <iterator>
#include <utility>

#include "emulator/core/round_up.h"
#include "emulator/core/sectors.h"
#include "emulator/cudart/library/runtime_names.h"
#include "emulator/ptx/fat_binary.h"
#include "emulator/server/session.h"

namespace lockstep::emulator::server {

namespace {

constexpr std::size_t kMaxAllocations = std::size_t{1} << 20;
constexpr std::size_t kMaxModules = 4096;
/// PTX text of all modules together: see ptx/fat_binary.cpp, which takes no more of one.
constexpr std::uint64_t kMaxTextBytes = std::uint64_t{32} << 20;
/// What is made of it, likewise: ten times the text of what nvcc makes of the largest libraries.
constexpr std::uint64_t kMaxTreeBytes = std::uint64_t{256} << 20;

Status status_of(LaunchResult::Status status) {
  switch (status) {
    case LaunchResult::Status::ok:
      return Status::ok;
    case LaunchResult::Status::illegal_address:
      return Status::illegal_address;
    case LaunchResult::Status::misaligned_address:
      return Status::misaligned_address;
    case LaunchResult::Status::illegal_instruction:
      return Status::illegal_instruction;
    case LaunchResult::Status::assertion:
      return Status::assertion;
    case LaunchResult::Status::launch_timeout:
      return Status::launch_timeout;
    case LaunchResult::Status::launch_failure:
      return Status::launch_failure;
    case LaunchResult::Status::unsupported:
      return Status::unsupported_instruction;
  }
  return Status::launch_failure;
}

template <class T>
Bytes packed(const T& value) {
  Bytes payload;
  append(payload, bytes_of(value));
  return payload;
}

std::uint64_t sectors_of_rows(const BoxPlace& place, const BoxShape& shape, const BoxPart& part) {
  std::uint64_t sectors = 0;
  for_row_pieces(shape, part,
                 [&](const RowPiece& piece) { sectors += sectors_of(place.address_of(piece), piece.bytes); });
  return sectors;
}

bool is_work(RequestKind kind) {
  return kind == RequestKind::launch || kind == RequestKind::fill || kind == RequestKind::fill_box ||
         kind == RequestKind::copy;
}

/// Whether a refusal of such a request is told in numbers alone: names are the program's.
bool is_of_memory(RequestKind kind) {
  return kind == RequestKind::allocate || kind == RequestKind::free || is_copy_or_fill(kind);
}

std::string cut(std::string output) {
  if (output.size() > kMaxOutput) {
    output.resize(kMaxOutput);
    output += "\n[the rest of what this launch printed is dropped]\n";
  }
  return output;
}

}  // namespace

Answer ClientSession::answer(RequestKind kind, std::span<const std::byte> payload) {
  if (served_.client_held) {
    ++served_.statistics.late_requests;
    return {Status::launch_failure, {}};
  }
  ++served_.statistics.requests;
  if (is_work(kind)) ++served_.statistics.work;
  const bool needs_context = kind != RequestKind::hello && kind != RequestKind::measure_image;
  if (needs_context && served_.sticky != Status::ok) return {served_.sticky, {}};
  Answer answer = Session::answer(kind, payload);
  if (answer.status != Status::ok && is_of_memory(kind)) last_refusal_ = refused_;
  return answer;
}

void ClientSession::end() {
  destroy_images();
  for (int device = 0; device < served_.device_count; ++device) reset(device);
  for (const auto& [address, allocation] : allocations_) served_.device.free(address);
  allocations_.clear();
  shared_ = {};
  held_ = {};
  served_.statistics.allocated_bytes = 0;
}

/// Releases what the client holds of one device. What belongs to no single one stays where there are several.
void ClientSession::reset(int device) {
  if (served_.check_leaks) leaks_.report(served_, device);
  // An object over memory of several devices stays; of memory that has gone, its use is a finding.
  if (served_.device_count == 1) destroy_images();
  for (auto module = modules_.begin(); module != modules_.end();) {
    const auto next = std::next(module);
    if (module->second.device == device) unload_image(module->first);
    module = next;
  }
  for (auto allocation = allocations_.begin(); allocation != allocations_.end();) {
    const auto next = std::next(allocation);
    const bool stays = allocation->second.shared && served_.device_count > 1;
    if (allocation->second.device == device && !stays) free(allocation->first);
    allocation = next;
  }
  if (heap_bytes_ != 0 && heap_device_ == device) {
    served_.device.remove_heap();
    charge(device, -std::exchange(heap_bytes_, 0));
  }
}

/// Adds to what the client holds; also a negative number, as unsigned ones wrap.
void ClientSession::charge(int device, std::uint64_t bytes) {
  held_[static_cast<std::size_t>(device)] += bytes;
  served_.statistics.allocated_bytes += bytes;
}

void ClientSession::select_device(std::uint64_t device) {
  if (device >= static_cast<std::uint64_t>(served_.device_count)) {
    throw DeviceError(DeviceError::Code::invalid_value, "a device that there is not");
  }
  selected_ = static_cast<int>(device);
}

std::optional<ClientSession::Allocation> ClientSession::allocation_around(DeviceAddress address) const {
  const auto after = allocations_.upper_bound(address);
  if (after == allocations_.begin()) return std::nullopt;
  const auto& [base, allocation] = *std::prev(after);
  if (address - base >= allocation.charged) return std::nullopt;
  return allocation;
}

Bytes ClientSession::perform(RequestKind kind, MessageReader& request) {
  Device& device = served_.device;
  switch (kind) {
    case RequestKind::allocate:
      return allocate(request.take<AllocateRequest>());
    case RequestKind::free:
      free(request.take<RangeRequest>().address);
      return {};
    case RequestKind::copy: {
      const auto copy = request.take<CopyRequest>();
      check_box(copy.to, copy.shape, copy.part);
      check_box(copy.from, copy.shape, copy.part);
      device.copy(copy.to, copy.from, copy.shape, copy.part);
      served_.copied_sectors +=
          sectors_of_rows(copy.from, copy.shape, copy.part) + sectors_of_rows(copy.to, copy.shape, copy.part);
      note_copy_to(copy.to.address);
      return {};
    }
    case RequestKind::write_box: {
      const auto [place, shape, part] = request.take<BoxRequest>();
      const auto data = request.take_rest();
      if (data.size() != part.bytes) throw MalformedMessage("a write of other bytes than it says");
      check_box(place, shape, part);
      device.write(place, shape, part.first, data);
      after_write(place.address, part.bytes, part.bytes);
      return {};
    }
    case RequestKind::read_box: {
      const auto [place, shape, part] = request.take<BoxRequest>();
      if (part.bytes > kPieceBytes) throw MalformedMessage("a read is longer than one piece");
      check_box(place, shape, part);
      Bytes data(part.bytes);
      device.read(place, shape, part.first, data);
      count_read(place.address, part.bytes, part.bytes);
      return data;
    }
    case RequestKind::fill_box: {
      const auto fill = request.take<FillBoxRequest>();
      const auto& [place, shape, part] = fill.box;
      check_box(place, shape, part);
      device.fill(place, shape, part, static_cast<std::byte>(fill.value));
      ++served_.statistics.host_to_device_bytes;  // of which the others are copies
      served_.copied_sectors += sectors_of_rows(place, shape, part);
      note_copy_to(place.address);
      return {};
    }
    case RequestKind::find_range: {
      const auto address = request.take<RangeRequest>().address;
      const auto range = device.allocation(address);
      if (!range) return packed(RangeReply{});
      const int owner = allocation_around(address).value_or(Allocation{}).device;
      return packed(RangeReply{range->address, range->bytes, static_cast<std::uint64_t>(owner)});
    }
    case RequestKind::memory_info: {
      const std::uint64_t total = std::min(served_.global_bytes, served_.client_memory_limit);
      return packed(MemoryReply{std::min<std::uint64_t>(allowed_bytes(), device.free_bytes()), total});
    }
    case RequestKind::measure_image:
      try {
        return packed(SizeReply{ptx::fat_binary_bytes(request.take_rest())});
      } catch (const ptx::FatBinaryError& error) {
        const DeviceError refused(DeviceError::Code::invalid_image, error.what());
        served_.add_finding(refused_finding(refused, Finding::Cause::rejected_image));
        throw refused;
      }
    case RequestKind::load_image:
      return load_image(request.take_rest());
    case RequestKind::unload_image:
      unload_image(request.take<IdRequest>().id);
      return {};
    case RequestKind::find_kernel:
      return find_kernel(request);
    case RequestKind::find_symbol:
      return find_symbol(request);
    case RequestKind::launch:
      return launch(request);
    case RequestKind::check_launch:
      check_launch(request.take<LaunchRequest>());
      return {};
    case RequestKind::reset:
      reset(selected_);
      return {};
    case RequestKind::select_device:
      select_device(request.take<IdRequest>().id);
      return {};
    case RequestKind::map_host:
      map_host(request.take<RangeRequest>().address);
      return {};
    case RequestKind::written_pages:
      return written_pages(request.take<RangeRequest>());
    case RequestKind::create_texture:
      return create_texture(request.take<TextureRequest>());
    case RequestKind::create_surface:
      return create_surface(request.take<SurfaceRequest>());
    case RequestKind::destroy_image:
      destroy_image(request.take<IdRequest>().id);
      return {};
    case RequestKind::note_refusal: {
      const auto note = request.take<NoteRefusalRequest>();
      note_refusal(note, request.take_name(kMaxName));
      return {};
    }
    case RequestKind::note_host_program: {
      const auto note = request.take<NoteHostProgramRequest>();
      note_host_program(note, request.take_name(kMaxName));
      return {};
    }
    default:
      return perform_common(kind, request);
  }
}

/// Memory of the selected device that the program may take besides what it holds.
std::uint64_t ClientSession::allowed_bytes() const {
  const std::uint64_t limit = std::min(served_.global_bytes, served_.client_memory_limit);
  return limit - std::min(limit, held_[static_cast<std::size_t>(selected_)]);
}

Bytes ClientSession::allocate(const AllocateRequest& request) {
  const std::uint64_t allowed = allowed_bytes();
  // Sizes are compared before they are rounded up: near 2^64 the rounding would wrap.
  if (request.bytes == 0) throw DeviceError(DeviceError::Code::invalid_value, "an allocation of no bytes");
  if (request.bytes > allowed || allocations_.size() == kMaxAllocations) {
    throw DeviceError(DeviceError::Code::out_of_memory, "more device memory than the program may hold");
  }
  const std::uint64_t charged = round_up(request.bytes, kAllocationGranule);
  if (charged > allowed) {
    throw DeviceError(DeviceError::Code::out_of_memory, "more device memory than the program may hold");
  }
  const DeviceAddress address = allocate_kind(request);
  allocations_[address] = {charged, selected_, request.kind != MemoryKind::device};
  charge(selected_, charged);
  if (request.kind == MemoryKind::device) leaks_.allocated(address, request.bytes, selected_);
  if (request.kind != MemoryKind::device) shared_.add(address, request.bytes);
  return packed(AddressReply{address});
}

DeviceAddress ClientSession::allocate_kind(const AllocateRequest& request) {
  Device& device = served_.device;
  switch (request.kind) {
    case MemoryKind::device:
      return device.allocate(request.bytes, {}, {.devices = DeviceMask{1} << selected_});
    case MemoryKind::managed:
      return device.allocate(request.bytes, "managed memory", {.alignment = kPageBytes, .exchanged = true});
    case MemoryKind::host:
      return device.allocate(request.bytes, "pinned host memory", {kPageBytes, 0, true});
  }
  throw MalformedMessage("an allocation of a kind that the protocol does not have");
}

void ClientSession::map_host(DeviceAddress address) {
  if (!allocations_.contains(address)) {
    throw DeviceError(DeviceError::Code::invalid_value, "an address that the program did not allocate");
  }
  served_.device.set_devices(address, kEveryDevice);
}

Bytes ClientSession::written_pages(const RangeRequest& range) {
  // What kernels wrote tells something of what they read: where a run of written pages begins or ends is a
  // number.
  constexpr std::uint64_t kToldByAnEnd = 4;
  Bytes reply;
  bool before = false;
  for (const bool written : served_.device.written_pages(range.address, range.bytes)) {
    if (written != before) served_.statistics.device_to_host_bytes += kToldByAnEnd;
    before = written;
    reply.push_back(static_cast<std::byte>(written));
  }
  return reply;
}

void ClientSession::free(DeviceAddress address) {
  const auto allocation = allocations_.find(address);
  if (allocation == allocations_.end()) {
    throw DeviceError(DeviceError::Code::invalid_value,
                      "free of an address that the program did not allocate");
  }
  served_.device.free(address);
  charge(allocation->second.device, -allocation->second.charged);
  allocations_.erase(allocation);
  shared_.remove(address);
  leaks_.freed(address);
}

Bytes ClientSession::load_image(std::span<const std::byte> image) {
  ModuleBytes most{kMaxTextBytes, kMaxTreeBytes, allowed_bytes()};
  for (const auto& [id, module] : modules_) {
    most.text -= module.bytes.text;
    most.tree -= module.bytes.tree;
  }
  if (modules_.size() == kMaxModules) {
    throw DeviceError(DeviceError::Code::out_of_memory, "more modules than a program may hold");
  }
  try {
    const Device::ModuleId module = served_.device.load(image, most);
    const ModuleBytes bytes = served_.device.module_bytes(module);
    modules_[module] = {bytes, selected_};
    charge(selected_, bytes.variables);
    // A file that is handed in makes one image. What else is registered while it runs may hold data, as
    // initial values of variables and as constants of the code.
    if (has_loaded_image_) served_.statistics.host_to_device_bytes += image.size();
    has_loaded_image_ = true;
    return packed(IdReply{module});
  } catch (const DeviceError& error) {
    served_.add_finding(refused_finding(error, Finding::Cause::rejected_image));
    throw;
  }
}

void ClientSession::unload_image(std::uint64_t id) {
  const Device::ModuleId module = owned_module(id);
  std::erase_if(kernels_, [module](const auto& kernel) { return kernel.second == module; });
  charge(modules_.at(module).device, -static_cast<std::uint64_t>(modules_.at(module).bytes.variables));
  modules_.erase(module);
  served_.device.unload(module);
}

void ClientSession::add_finding_of(const std::string& kernel, Finding finding) {
  finding.kernel = kernel;
  served_.add_finding(std::move(finding));
}

Bytes ClientSession::find_kernel(MessageReader& request) {
  const Device::ModuleId module = owned_module(request.take<NameRequest>().module);
  const std::string name = request.take_name(kMaxName);
  try {
    const Device::KernelId kernel = served_.device.kernel(module, name);
    kernels_[kernel] = module;
    const KernelInfo& info = served_.device.kernel_info(kernel);
    KernelReply reply;
    reply.kernel = kernel;
    reply.parameter_count = static_cast<std::uint32_t>(info.parameters.size());
    reply.parameter_bytes = info.parameter_bytes;
    reply.static_shared_bytes = info.static_shared_bytes;
    reply.local_bytes = info.local_bytes;
    reply.registers = info.registers;
    reply.max_threads = info.max_threads;
    reply.uses_heap = info.uses_heap ? 1 : 0;
    reply.cluster_x = info.cluster[0];
    reply.cluster_y = info.cluster[1];
    reply.cluster_z = info.cluster[2];
    Bytes payload = packed(reply);
    append(payload, std::as_bytes(std::span(info.parameters)));
    return payload;
  } catch (const DeviceError& error) {
    if (error.code() == DeviceError::Code::unsupported) {
      add_finding_of(name, refused_finding(error, Finding::Cause::unsupported_otherwise));
    } else if (error.code() == DeviceError::Code::invalid_image) {
      add_finding_of(name, refused_finding(error, Finding::Cause::rejected_image));
    }
    throw;
  }
}

/// Charged to the program, whose kernels may fill it.
void ClientSession::make_heap(std::uint64_t bytes) {
  if (heap_bytes_ != 0) return;
  const std::uint64_t region = Device::heap_region_bytes(bytes);
  if (region > allowed_bytes()) {
    throw DeviceError(DeviceError::Code::out_of_memory,
                      "a heap of " + std::to_string(bytes) +
                          " bytes (cudaLimitMallocHeapSize), more than the program may hold");
  }
  served_.device.make_heap(bytes);
  heap_bytes_ = region;
  heap_device_ = selected_;
  charge(selected_, region);
}

Bytes ClientSession::find_symbol(MessageReader& request) {
  const Device::ModuleId module = owned_module(request.take<NameRequest>().module);
  const SymbolInfo symbol = served_.device.symbol(module, request.take_name(kMaxName));
  return packed(RangeReply{symbol.address, symbol.bytes});
}

Bytes ClientSession::launch(MessageReader& request) {
  const auto wanted = request.take<LaunchRequest>();
  const auto parameters = request.take_rest();
  return launched(wanted, [&](Device::KernelId kernel, const LaunchConfiguration& configuration) {
    if (parameters.size() != served_.device.kernel_info(kernel).parameter_bytes) {
      throw MalformedMessage("a launch with parameters of the wrong size");
    }
    // Pointers and sizes are no data; more than that may be.
    constexpr std::uint64_t kUsualParameters = 256;
    served_.statistics.host_to_device_bytes +=
        std::max<std::uint64_t>(parameters.size(), kUsualParameters) - kUsualParameters;
    const LaunchResult result = served_.device.launch(kernel, configuration, parameters);
    // Launches are asynchronous to a program: this one was accepted, and its failure shows at the next
    // request.
    served_.sticky = status_of(result.status);
    Bytes payload;
    append(payload, bytes_of(cut(result.output)));
    served_.statistics.printed_bytes += payload.size();
    return payload;
  });
}

void ClientSession::check_launch(const LaunchRequest& wanted) {
  launched(wanted, [&](Device::KernelId kernel, const LaunchConfiguration& configuration) {
    served_.device.check_launch(kernel, configuration);
    return Bytes{};
  });
}

Bytes ClientSession::launched(
    const LaunchRequest& wanted,
    const std::function<Bytes(Device::KernelId, const LaunchConfiguration&)>& launching) {
  const auto kernel = static_cast<Device::KernelId>(wanted.kernel);
  if (kernel != wanted.kernel || !kernels_.contains(kernel)) {
    throw MalformedMessage("a launch of a kernel that the program has not loaded");
  }
  try {
    if (wanted.dynamic_shared_bytes > wanted.dynamic_shared_limit ||
        wanted.dynamic_shared_bytes > UINT32_MAX) {
      Finding why = Finding::make(Finding::Cause::dynamic_shared_not_allowed);
      why.numbers = {signed_of(wanted.dynamic_shared_bytes), signed_of(wanted.dynamic_shared_limit)};
      throw RefusedRequest(DeviceError::Code::invalid_value, std::move(why),
                           "a launch with more dynamic shared memory than the kernel may have");
    }
    if (served_.device.kernel_info(kernel).uses_heap) make_heap(wanted.heap_bytes);
    return launching(kernel,
                     {wanted.grid, wanted.block, static_cast<std::uint32_t>(wanted.dynamic_shared_bytes),
                      wanted.cooperative != 0, static_cast<DeviceMask>(wanted.reach), wanted.cluster});
  } catch (const DeviceError& error) {
    add_finding_of(served_.device.kernel_info(kernel).name,
                   refused_finding(error, Finding::Cause::launch_otherwise));
    throw;
  }
}

/// Becomes a finding of known names and of numbers: nothing in it is a text of the client's.
void ClientSession::note_refusal(const NoteRefusalRequest& note, const std::string& function) {
  if (!served_.note_refusals) return;
  if (cudart::library::error_text(note.error) == nullptr)
    throw MalformedMessage("an error that the runtime does not have");
  if (!cudart::library::is_runtime_function(function))
    throw MalformedMessage("a function that the runtime does not have");
  Finding finding = Finding::make(Finding::Cause::refused_call);
  if (note.reason == RefusalReason::told && last_refusal_) {
    finding = *std::exchange(last_refusal_, std::nullopt);
  }
  if (note.reason == RefusalReason::range) finding = refused_range(note.range);
  if (note.reason == RefusalReason::direction) finding = Finding::make(Finding::Cause::refused_direction);
  if (note.reason == RefusalReason::null) finding = Finding::make(Finding::Cause::refused_null);
  if (finding.kind == Finding::Kind::out_of_bounds) {
    finding.reason = finding.cause;
    finding.cause = Finding::Cause::refused_range;
    finding.kind = kind_of(finding.cause);
    // Those that lie alike beside their allocations are one finding.
    finding.address -= finding.object.begin;
    finding.object.begin = 0;
  }
  finding.name = function;
  finding.numbers = {note.error};
  served_.add_finding(std::move(finding));
}

void ClientSession::note_host_program(const NoteHostProgramRequest& note, const std::string& failed_call) {
  HostProgramState& state = served_.statistics.host_program;
  if (!failed_call.empty() && !cudart::library::is_runtime_function(failed_call))
    throw MalformedMessage("a function that the runtime does not have");
  HeldByProgram held{.allocations = allocations_.size(),
                     .streams = note.streams,
                     .events = note.events,
                     .registrations = note.registrations};
  for (const auto& [address, allocation] : allocations_) held.allocated_bytes += allocation.charged;
  if (note.ends == 0) {
    ++state.begins;
    state.before = held;
    return;
  }
  ++state.ends;
  state.after = held;
  state.copied_bytes = note.copied_bytes;
  state.chained_bytes = note.chained_bytes;
  state.failed_call = {};
  failed_call.copy(state.failed_call.data(), state.failed_call.size() - 1);
}

/// What is wrong with a range; just that a call was refused when the device finds that it fits.
Finding ClientSession::refused_range(const RangeRequest& range) const {
  try {
    check_whole(range.address, range.bytes);
    served_.device.require(range.address, range.bytes);
  } catch (const DeviceError& error) {
    return refused_finding(error, Finding::Cause::refused_otherwise);
  }
  return Finding::make(Finding::Cause::refused_call);
}

/// Throws unless the box is one, of which the part is no more than a request may name, and fits its
/// allocation.
void ClientSession::check_box(const BoxPlace& place, const BoxShape& shape, const BoxPart& part) const {
  if (shape.width != 0 && part.bytes / shape.width > kPieceRows) {
    throw MalformedMessage("a box of more rows than one piece has");
  }
  if (const auto span = span_of(shape, place)) check_whole(place.address, *span);
}

void ClientSession::count_read(DeviceAddress address, std::uint64_t bytes, std::uint64_t learned) {
  served_.statistics.device_to_host_bytes += learned;
  if (belongs_to_control(address)) served_.statistics.control_bytes_read += bytes;
}

void ClientSession::after_write(DeviceAddress address, std::uint64_t bytes, std::uint64_t news) {
  served_.statistics.host_to_device_bytes += news;
  if (belongs_to_control(address)) served_.statistics.control_bytes_written += bytes;
  note_copy_to(address);
}

void ClientSession::after_read(DeviceAddress address, std::span<const std::byte> found) {
  count_read(address, found.size(), shared_.learned(address, found));
}

std::uint64_t ClientSession::news_in(DeviceAddress address, std::span<const std::byte> brought) {
  Bytes found;
  if (shared_.follows(address)) {
    found.resize(brought.size());
    served_.device.read(address, found);
  }
  return shared_.brought(address, brought, found);
}

void ClientSession::after_fill(const FillRequest& request) {
  ++served_.statistics.host_to_device_bytes;  // of which the others are copies
  served_.copied_sectors += sectors_of(request.address, request.bytes);
  note_copy_to(request.address);
}

void ClientSession::note_copy_to(DeviceAddress address) {
  if (const auto base = control_allocation_at(address)) served_.copied_to.insert(*base);
}

Device::ModuleId ClientSession::owned_module(std::uint64_t id) const {
  const auto module = static_cast<Device::ModuleId>(id);
  if (module != id || !modules_.contains(module)) {
    throw MalformedMessage("a module that the program has not loaded");
  }
  return module;
}

std::optional<DeviceAddress> ClientSession::control_allocation_at(DeviceAddress address) const {
  const auto& owned = served_.control_allocations;
  const auto after = owned.upper_bound(address);
  if (after == owned.begin()) return std::nullopt;
  const auto& [base, bytes] = *std::prev(after);
  if (address - base >= bytes) return std::nullopt;
  return base;
}

bool ClientSession::belongs_to_control(DeviceAddress address) const {
  return control_allocation_at(address).has_value();
}

}  // namespace lockstep::emulator::server
