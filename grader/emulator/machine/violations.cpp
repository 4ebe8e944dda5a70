#include "emulator/machine/violations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <tuple>
#include <utility>

#include "emulator/machine/decoder.h"
#include "emulator/machine/handlers.h"
#include "emulator/machine/synchronisation.h"
#include "text/demangled.h"

namespace lockstep::emulator {
namespace {

constexpr std::size_t kMostFindings = 200;
constexpr std::size_t kMostFindingBytes = std::size_t{16} << 20;
/// Of a race in a word that atomic operations change as well, and of one whose access hopes for more than
/// `volatile` gives.
constexpr const char* kChangedAtomically = "; atomic operations change it too";
constexpr const char* kVolatile = "; a volatile access waits for no other thread";

std::size_t bytes_of(const Finding& finding) {
  std::size_t bytes = sizeof finding + finding.message.size() + finding.line.file.size() +
                      finding.other_line.file.size() + finding.kernel.size();
  for (const std::vector<SourceLine>* stack : {&finding.stack, &finding.barrier}) {
    for (const SourceLine& line : *stack) bytes += sizeof line + line.file.size();
  }
  return bytes;
}

const char* verb(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return "read";
    case AccessKind::store:
      return "write";
    case AccessKind::atomic:
      return "atomic operation";
  }
  return "access";
}

const Place& place_of_id(const Warp& warp, std::uint32_t id) {
  static const Place kUnknown;
  const auto& places = warp.block->grid->kernel->program->places;
  return id < places.size() ? places[id] : kUnknown;
}

std::string thread_name(const Warp& warp, std::uint32_t thread) {
  const Dim3& shape = warp.block->grid->threads;
  const std::uint32_t x = thread % shape.x, y = thread / shape.x % shape.y, z = thread / (shape.x * shape.y);
  if (shape.y == 1 && shape.z == 1) return fmt::format("thread {}", x);
  return fmt::format("thread ({}, {}, {})", x, y, z);
}

std::string line_name(const SourceLine& line) {
  const std::size_t slash = line.file.rfind('/');
  return line.line == 0
             ? "an unknown line"
             : fmt::format("{}:{}", slash == std::string::npos ? line.file : line.file.substr(slash + 1),
                           line.line);
}

const ptx::Operand* address_of(const ptx::Instruction& i) {
  const auto found = std::ranges::find(i.operands, ptx::Operand::Kind::address, &ptx::Operand::kind);
  return found == i.operands.end() ? nullptr : &*found;
}

bool is_same_address(const ptx::Operand& a, const ptx::Operand& b) {
  const ptx::Operand &base_a = a.elements.front(), &base_b = b.elements.front();
  return a.offset == b.offset && base_a.kind == base_b.kind && base_a.index == base_b.index &&
         base_a.name == base_b.name && base_a.bits == base_b.bits;
}

/// Whether an instruction of the function that runs is the load or the store of an update of one element,
/// such as `count[k] += 1`: its line has the other half nearby, at the same address.
bool is_half_of_update(const Warp& warp, std::uint32_t place) {
  constexpr std::size_t kNearby = 64;  // instructions: many accesses may be reported
  if (warp.current >= warp.splits.size()) return false;
  const Function& function = *warp.splits[warp.current].frame.function;
  const std::vector<ptx::Instruction>& source = function.source->instructions;
  const std::size_t at = std::size_t{place} - function.first_place;
  if (place < function.first_place || at >= source.size()) return false;
  const ptx::Operand* const address = address_of(source[at]);
  const std::string_view half = source[at].opcode == "ld" ? "st" : source[at].opcode == "st" ? "ld" : "";
  if (address == nullptr || half.empty()) return false;
  const std::size_t last = std::min(source.size(), at + kNearby);
  for (std::size_t k = at - std::min(at, kNearby); k < last; ++k) {
    if (source[k].opcode != half) continue;
    const ptx::Operand* const other = address_of(source[k]);
    if (other != nullptr && is_same_address(*address, *other) &&
        place_of_id(warp, function.first_place + static_cast<std::uint32_t>(k)).line ==
            place_of_id(warp, place).line) {
      return true;
    }
  }
  return false;
}

Finding::Access access_of(AccessKind kind) {
  switch (kind) {
    case AccessKind::load:
      return Finding::Access::read;
    case AccessKind::store:
      return Finding::Access::write;
    case AccessKind::atomic:
      return Finding::Access::atomic;
  }
  return Finding::Access::none;
}

/// A race of an access with an earlier one at another place.
Finding make_race(const Warp& warp, const Instruction& i, unsigned lane, AccessKind kind,
                  std::uint32_t other_place, bool other_read, std::string message) {
  Finding finding = make_finding(warp, i.id, lane, Finding::Kind::race, std::move(message));
  finding.other_line = place_of_id(warp, other_place).line;
  finding.access = access_of(kind);
  finding.other_access = other_read ? Finding::Access::read : Finding::Access::write;
  finding.of_updates = is_half_of_update(warp, i.id) && is_half_of_update(warp, other_place);
  return finding;
}

/// A word that a copy will write, which its thread has not waited for.
void report_in_flight(Warp& warp, const Instruction& i, unsigned lane, std::uint32_t word,
                      std::uint32_t offset, AccessKind kind) {
  const SharedShadow& shadow = warp.block->shadow;
  const std::uint32_t copy = shadow.write_place[word];
  const std::uint32_t thread = shadow.writer[word] & (kAtomicWriter - 1);
  const bool own = thread == warp.index * kLanes + lane;
  Finding finding = make_race(
      warp, i, lane, kind, copy, false,
      fmt::format(
          "{} of byte {} of shared memory, which the asynchronous copy at {} writes: {} has not waited "
          "for it (cp.async.wait_group, or the copy's mbarrier or pipeline)",
          verb(kind), offset, line_name(place_of_id(warp, copy).line),
          own ? "the thread" : thread_name(warp, thread)));
  finding.address = offset;
  warp.block->grid->findings->add(std::move(finding));
}

/// Remembers what a load into registers found, from the next instruction on.
void await_use(Warp& warp, const Instruction& i, bool shared, unsigned lane, std::uint32_t unwritten,
               std::uint64_t address) {
  warp.undefined.find(i, shared, lane, unwritten, address);
  warp.end = &i + 1;
}

/// Reports what reads otherwise than into registers. `address`: what the first of the lanes has read there.
void report_now(Warp& warp, const Instruction& i, bool shared, Mask lanes, std::uint64_t address) {
  UnwrittenRead read{.load = &i, .shared = shared, .lanes = lanes};
  read.bytes[first_lane(lanes)] = 1;
  read.accessed[first_lane(lanes)] = address;
  report_unwritten(warp, read, i.id);
}

/// Adds the lines at which the lane's function, and the functions that called it, were called.
void append_callers(const Warp& warp, unsigned lane, std::vector<SourceLine>& stack) {
  constexpr std::size_t kMostCallers = 8;  // a recursion has many
  for (const Split& split : warp.splits) {
    if ((split.lanes >> lane & 1) == 0) continue;
    std::size_t left = kMostCallers;
    for (auto frame = split.callers.rbegin(); frame != split.callers.rend() && left > 0; ++frame, --left) {
      const Place& call = place_of_id(warp, frame->function->blocks[frame->block].end_id);
      stack.insert(stack.end(), call.stack.begin(), call.stack.end());
    }
    return;
  }
}

/// Whether what the other block did happened before what this block does now: it released something later,
/// and this block has acquired something since.
bool ordered_between_blocks(const Warp& warp, const Touch& other) {
  const Grid& grid = *warp.block->grid;
  if (grid.acquired == nullptr) return grid.kernel->orders_blocks;  // too many blocks to know
  if (grid.acquired[warp.block->linear].load(std::memory_order_relaxed) <= other.time) return false;
  if (other.block == kManyBlocks) return true;
  return grid.released[other.block].load(std::memory_order_relaxed) > other.time;
}

/// Until when accesses of another warp of the block are ordered before what this warp does.
Time seen_of(const Warp& warp, std::uint32_t other_warp) {
  const ThreadBlock& block = *warp.block;
  return block.seen.empty() ? warp.ordered : block.seen[warp.index * block.warp_count + other_warp];
}

/// Whether what a moment of this block names happened before what this warp does now: behind a barrier, or,
/// as between blocks, behind a fence of the one and one of this block.
bool ordered_within_block(const Warp& warp, Moment moment) {
  const ThreadBlock& block = *warp.block;
  const std::uint32_t time = moment >> kMomentTimeShift, other = moment % kSeveralWarps;
  if (time == 0 || other >= block.warp_count) return true;
  if (other == warp.index) {
    // Who the others were is not known, nor when. A barrier of some warps, or a fence, may have ordered them.
    const bool several = (moment & kSeveralWarps) != 0;
    const bool fences = std::ranges::any_of(block.warps, [](const Warp& w) { return w.fenced != 0; });
    if (!several || !block.seen.empty() || fences) return true;
  }
  const Time then = block.begin + time - 1;
  if (then <= seen_of(warp, other)) return true;
  return block.warps[other].fenced >= then && block.acquired > then;
}

/// Whom a moment names to a warp of the same block.
std::string warp_name(const Warp& warp, Moment moment) {
  const std::uint32_t other = moment % kSeveralWarps;
  return other == warp.index ? "another warp" : fmt::format("warp {}", other);
}

/// Why a launch may not access an allocation that another may.
std::string describe_unreachable(const GlobalMemory::Allocation& allocation) {
  if (allocation.devices == 0) {
    return "of pinned host memory that the kernel was given no pointer to: pass one as an argument, or ask "
           "cudaHostGetDevicePointer for it first";
  }
  return fmt::format(
      "of memory of device {}, to which the kernel's device has no access: "
      "cudaDeviceEnablePeerAccess gives it",
      std::countr_zero(allocation.devices));
}

/// Whose virtual functions were looked for at an address that is in no allocation.
const char* describe_object(std::uint64_t table) {
  return is_host_address(table)
             ? ", to the virtual functions of an object that was constructed on the host; a kernel must "
               "construct it"
             : ", in place of the virtual functions of an object that no kernel has constructed";
}

/// "'table'", or what else a pointer that is no function points to; empty when to nothing.
std::string describe_data(const Warp& warp, std::uint64_t address) {
  if (const GlobalMemory::Allocation* allocation = warp.block->grid->memory->find(address)) {
    return allocation->label.empty() ? "an allocation" : "'" + allocation->label + "'";
  }
  if (address / kWindowBytes == kSharedWindow / kWindowBytes) return "shared memory";
  if (address / kWindowBytes == kLocalWindow / kWindowBytes) return "a local variable";
  return {};
}

/// The function at an address; null when the kernel's module has none there.
const ptx::Function* function_named_at(const Program& program, std::uint64_t address) {
  for (const ptx::Function& function : program.source.functions) {
    const auto index = program.function_indices.find(function.name);
    if (index != program.function_indices.end() && program.functions_begin + index->second == address) {
      return &function;
    }
  }
  return nullptr;
}

/// Why a call through a pointer of this value cannot be done.
std::string describe_wrong_callee(const Warp& warp, const Place& call, std::uint64_t address) {
  const Kernel& kernel = *warp.block->grid->kernel;
  if (address == 0) {
    return call.of_virtual_call ? "a call of a virtual function that is pure in the object's class"
                                : "a call through a null pointer to a function";
  }
  if (is_host_address(address)) {
    return fmt::format(
        "a call through the pointer {:#x}, which looks like a function's address on the host; the device has "
        "another, which its own code can keep in a __device__ variable for cudaMemcpyFromSymbol to read",
        address);
  }
  if (const ptx::Function* function = function_named_at(*kernel.program, address)) {
    const std::string name = text::demangled(function->name);
    if (function->entry) {
      return fmt::format("a call through a pointer to {}, which is a kernel: only a launch runs it", name);
    }
    if (kernel.function_at(address) != nullptr) {
      return fmt::format("a call through a pointer to {}, as if it had other parameters or another result",
                         name);
    }
  }
  const std::string data = describe_data(warp, address);
  return data.empty() ? fmt::format("a call through the pointer {:#x}, where no function is", address)
                      : fmt::format("a call through a pointer to {}, which is data and no function", data);
}

/// Whether the lane would store what memory holds already.
bool stores_same_bytes(const std::byte* memory, unsigned width, unsigned lane, const ValueOf* value) {
  if (value == nullptr) return false;
  std::array<std::byte, 32> bytes{};  // the widest store
  (*value)(lane, bytes.data());
  return std::memcmp(memory, bytes.data(), width) == 0;
}

}  // namespace

const char* name_of(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::out_of_bounds:
      return "out-of-bounds";
    case Finding::Kind::misaligned:
      return "misaligned";
    case Finding::Kind::uninitialised_read:
      return "uninitialised-read";
    case Finding::Kind::race:
      return "race";
    case Finding::Kind::bad_sync:
      return "bad-sync";
    case Finding::Kind::deadlock:
      return "deadlock";
    case Finding::Kind::time_limit:
      return "time-limit";
    case Finding::Kind::trap:
      return "trap";
    case Finding::Kind::assertion:
      return "assertion";
    case Finding::Kind::unsupported:
      return "unsupported";
    case Finding::Kind::stack_overflow:
      return "stack-overflow";
    case Finding::Kind::bad_launch:
      return "bad-launch";
    case Finding::Kind::bad_image:
      return "bad-image";
    case Finding::Kind::bad_call:
      return "bad-call";
    case Finding::Kind::leak:
      return "leak";
    case Finding::Kind::no_progress:
      return "no-progress";
    case Finding::Kind::stale_read:
      return "stale-read";
  }
  return "unknown";
}

void FindingLog::add(Finding finding) {
  const std::lock_guard lock(mutex_);
  for (Finding& known : findings_) {
    if (known.kind == finding.kind && known.line == finding.line && known.other_line == finding.other_line &&
        known.kernel == finding.kernel) {
      finding.count += known.count;
      // Of equal findings the first block and thread is kept, whichever worker came first.
      // A race between warps says more than one within a warp: the barrier that it lacks mends both.
      const auto place_in_grid = [](const Finding& f) {
        return std::tuple(f.message.ends_with("__syncwarp() between"), f.block[2], f.block[1], f.block[0],
                          f.thread[2], f.thread[1], f.thread[0]);
      };
      if (place_in_grid(finding) < place_in_grid(known)) {
        known = std::move(finding);
      } else {
        known.count = finding.count;
      }
      return;
    }
  }
  bytes_ += bytes_of(finding);
  if (findings_.size() < kMostFindings && bytes_ <= kMostFindingBytes)
    findings_.push_back(std::move(finding));
}

std::vector<Finding> FindingLog::take() {
  const std::lock_guard lock(mutex_);
  bytes_ = 0;
  return std::exchange(findings_, {});
}

Finding make_finding(const Warp& warp, std::uint32_t place, unsigned lane, Finding::Kind kind,
                     std::string message) {
  Finding finding;
  finding.kind = kind;
  finding.message = std::move(message);
  const Place& where = place_of_id(warp, place);
  finding.line = where.line;
  finding.stack = where.stack;
  append_callers(warp, lane, finding.stack);
  // Nobody looks for a mistake in the toolkit's own files.
  std::erase_if(finding.stack, [](const SourceLine& line) { return is_toolkit_file(line.file); });
  finding.kernel = warp.block->grid->kernel->info.name;
  finding.block = warp.block->index;
  finding.thread = {warp.thread_x[lane], warp.thread_y[lane], warp.thread_z[lane]};
  return finding;
}

void fault(Warp& warp, LaunchResult::Status why, Finding finding) {
  warp.block->grid->fail_at(warp.block->sequence, why, std::move(finding));
  warp.stop = true;
}

void report_wrong_callee(Warp& warp, std::uint32_t place, unsigned lane, std::uint64_t address) {
  const Place& call = place_of_id(warp, place);
  const Program& program = *warp.block->grid->kernel->program;
  const bool is_own = address - program.functions_begin < program.function_indices.size();
  if (address >= kFunctionBegin && address < kFunctionEnd && !is_own) {
    return fault(
        warp, LaunchResult::Status::unsupported,
        make_finding(warp, place, lane, Finding::Kind::unsupported,
                     "a call of a function that was loaded apart from the kernel, from another source "
                     "file or for another device, which the emulated device does not support yet"));
  }
  Finding finding =
      make_finding(warp, place, lane, Finding::Kind::trap, describe_wrong_callee(warp, call, address));
  finding.address = address;
  fault(warp, LaunchResult::Status::illegal_instruction, std::move(finding));
}

bool locate_global(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                   unsigned width, AccessKind kind) {
  const Grid& grid = *warp.block->grid;
  const GlobalMemory& memory = *grid.memory;
  GlobalMemory::Allocation& recent = warp.worker->recent[static_cast<std::size_t>(kind)];
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::uint64_t address = addresses[lane];
    if (address >= recent.begin && address < recent.end() && recent.end() - address >= width) continue;
    const GlobalMemory::Allocation* allocation = memory.find(address);
    if (allocation != nullptr && allocation->constant && kind != AccessKind::load) {
      Finding finding =
          make_finding(warp, i.id, lane, Finding::Kind::out_of_bounds,
                       fmt::format("{} of {} bytes to constant memory, '{}', which only the host may write",
                                   verb(kind), width, allocation->label));
      finding.address = address;
      fault(warp, LaunchResult::Status::illegal_address, std::move(finding));
      return false;
    }
    if (grid.heap != nullptr && grid.heap->contains(address)) {
      // Never remembered: another thread may free the block.
      if (grid.heap->holds(address, width)) continue;
      Finding finding = make_finding(
          warp, i.id, lane, Finding::Kind::out_of_bounds,
          fmt::format("{} of {} bytes {}", verb(kind), width, grid.heap->describe_miss(address, width)));
      finding.address = address;
      fault(warp, LaunchResult::Status::illegal_address, std::move(finding));
      return false;
    }
    const bool inside = allocation != nullptr && allocation->end() - address >= width;
    if (!inside || (allocation->devices & grid.reach) == 0) {
      const bool is_table = allocation == nullptr && place_of_id(warp, i.id).of_virtual_call;
      Finding finding = make_finding(
          warp, i.id, lane, Finding::Kind::out_of_bounds,
          fmt::format("{} of {} bytes {}{}", verb(kind), width,
                      inside ? describe_unreachable(*allocation) : memory.describe_miss(address, width),
                      is_table ? describe_object(address) : ""));
      finding.address = address;
      fault(warp, LaunchResult::Status::illegal_address, std::move(finding));
      return false;
    }
    recent = *allocation;
  }
  return true;
}

bool check_constant(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                    unsigned width) {
  const GlobalMemory::Allocation* known = &warp.worker->recent[static_cast<std::size_t>(AccessKind::load)];
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    const std::uint64_t address = addresses[lane];
    if (known->constant && address >= known->begin && address < known->end()) continue;
    const GlobalMemory::Allocation* allocation = warp.block->grid->memory->find(address);
    if (allocation == nullptr) continue;  // what is nowhere is reported by the load
    if (allocation->constant) {
      known = allocation;
      continue;
    }
    Finding finding = make_finding(
        warp, i.id, lane, Finding::Kind::out_of_bounds,
        fmt::format("load of {} bytes as constant memory, where there is {}, which is no __constant__", width,
                    allocation->label.empty() ? "global memory" : "'" + allocation->label + "'"));
    finding.address = address;
    fault(warp, LaunchResult::Status::illegal_address, std::move(finding));
    return false;
  }
  return true;
}

void report_misaligned(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                       unsigned width, AccessKind kind) {
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if ((addresses[lane] & (width - 1)) == 0) continue;
    Finding finding = make_finding(warp, i.id, lane, Finding::Kind::misaligned,
                                   fmt::format("{} of {} bytes at address {:#x}, which is no multiple of {}",
                                               verb(kind), width, addresses[lane], width));
    finding.address = addresses[lane];
    return fault(warp, LaunchResult::Status::misaligned_address, std::move(finding));
  }
}

void report_outside_window(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* offsets,
                           unsigned width, std::uint64_t limit, const char* window, AccessKind kind) {
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    if (offsets[lane] <= limit && limit - offsets[lane] >= width) continue;
    const auto offset = static_cast<std::int64_t>(offsets[lane]);
    // Shared addresses have 32 bits: a negative index appears as one just below 2^32.
    const std::int64_t shown =
        offset > 0x7FFF'FFFF && offset <= 0xFFFF'FFFF ? offset - 0x1'0000'0000 : offset;
    Finding finding = make_finding(warp, i.id, lane, Finding::Kind::out_of_bounds,
                                   fmt::format("{} of {} bytes at offset {} of {}, which has {} bytes",
                                               verb(kind), width, shown, window, limit));
    finding.address = offsets[lane];
    return fault(warp, LaunchResult::Status::illegal_address, std::move(finding));
  }
}

void examine_unwritten_global(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                              unsigned width) {
  const GlobalMemory& memory = *warp.block->grid->memory;
  const bool into_registers = (i.detail & access::kIntoRegisters) != 0;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    std::uint32_t unwritten = 0;
    for (unsigned k = 0; k < width; ++k) {
      const std::uint64_t byte = addresses[lane] + k;
      if ((*memory.written(byte) >> (byte & 3) & 1) != 0) continue;
      if (!into_registers) return report_now(warp, i, false, Mask{1} << lane, byte);
      unwritten |= 1U << k;
    }
    if (unwritten != 0) await_use(warp, i, false, lane, unwritten, addresses[lane]);
  }
}

void examine_unwritten_shared(Warp& warp, const Instruction& i, Mask active, const std::uint32_t* offsets,
                              unsigned width) {
  if ((i.detail & access::kIntoRegisters) == 0) {
    return report_now(warp, i, true, active, offsets[first_lane(active)]);
  }
  const ThreadBlock& block = *warp.block;
  const std::uint32_t granule = block.grid->kernel->shared_granule;
  for (Mask left = active; left != 0; left &= left - 1) {
    const unsigned lane = first_lane(left);
    std::uint32_t unwritten = 0;
    for (std::uint32_t k = 0; k < width; ++k) {
      if (block.shadow.write_time[(offsets[lane] + k) / granule] < block.begin) unwritten |= 1U << k;
    }
    await_use(warp, i, true, lane, unwritten, offsets[lane]);
  }
}

void report_unwritten(Warp& warp, const UnwrittenRead& read, std::uint32_t use) {
  const GlobalMemory& memory = *warp.block->grid->memory;
  const unsigned lane = first_lane(read.lanes);
  const std::uint64_t address =
      read.accessed[lane] + static_cast<unsigned>(std::countr_zero(read.bytes[lane]));
  std::string message;
  if (read.shared) {
    message = fmt::format(
        "read of byte {} of the block's shared memory, which no thread of the block has written", address);
  } else {
    const GlobalMemory::Allocation* allocation = memory.find(address);
    message = fmt::format(
        "read of byte {} of {}, which nothing has written",
        allocation == nullptr ? address : address - allocation->begin,
        allocation == nullptr || allocation->label.empty() ? "global memory" : "'" + allocation->label + "'");
  }
  const SourceLine &line = place_of_id(warp, read.load->id).line, &used = place_of_id(warp, use).line;
  if (used.line != 0 && used != line) message += fmt::format(", and is used at {}", line_name(used));
  Finding finding =
      make_finding(warp, read.load->id, lane, Finding::Kind::uninitialised_read, std::move(message));
  finding.address = address;
  if (read.shared) finding.count = static_cast<std::uint64_t>(std::popcount(read.lanes));
  warp.block->grid->findings->add(std::move(finding));
}

void examine_global_conflict(Warp& warp, const Instruction& i, unsigned lane, std::uint64_t address,
                             EarlierTouch earlier, AccessKind kind, const ValueOf* value,
                             std::uint64_t lane_address, unsigned width) {
  const Grid& grid = *warp.block->grid;
  const std::optional<Touch> touch = grid.stamps->find(earlier.stamp);
  if (!touch) return;
  const bool own_block = touch->block == warp.block->linear;
  if (own_block ? ordered_within_block(warp, earlier.moment) : ordered_between_blocks(warp, *touch)) return;
  const GlobalMemory& memory = *grid.memory;
  if ((own_block || !earlier.read) && stores_same_bytes(memory.host(lane_address), width, lane, value))
    return;
  const GlobalMemory::Allocation* allocation = memory.find(address);
  const std::string where =
      allocation == nullptr
          ? fmt::format("address {:#x}", address)
          : fmt::format("byte {} of {}", address - allocation->begin,
                        allocation->label.empty() ? "global memory" : "'" + allocation->label + "'");
  const std::string who = own_block                     ? warp_name(warp, earlier.moment)
                          : touch->block == kManyBlocks ? "other blocks"
                                                        : fmt::format("block {}", touch->block);
  const char* const lacks =
      own_block ? "with no __syncthreads() between"
                : "in the same launch, with no fence and atomic operation or volatile access between the two "
                  "blocks";
  const Program& program = *grid.kernel->program;
  const std::uint32_t other_place = program.traffic_places[grid.kernel->first_counter + touch->instruction];
  Finding finding = make_race(
      warp, i, lane, kind, other_place, earlier.read,
      fmt::format("{} of {}, which {} {} at {} {}", verb(kind), where, who, earlier.read ? "read" : "wrote",
                  line_name(place_of_id(warp, other_place).line), lacks) +
          (grid.atomic_words->hold(address) ? kChangedAtomically : ""));
  if (own_block) finding.barrier = place_of_id(warp, warp.block->latest_barrier).stack;
  finding.address = address;
  warp.block->grid->findings->add(std::move(finding));
}

void begin_turn(ThreadBlock& block, std::uint32_t now) {
  block.had_turns = block.turn_time != 0;
  block.turn_time = now;
  block.turn = block.grid->stamps->begin_turn(block.linear, now);
}

bool is_own(const ThreadBlock& block, Stamp stamp) {
  const std::optional<Touch> touch = block.grid->stamps->find(stamp);
  return touch && touch->block == block.linear;
}

bool is_ordered_before(const Warp& warp, Stamp stamp) {
  const std::optional<Touch> touch = warp.block->grid->stamps->find(stamp);
  return touch && ordered_between_blocks(warp, *touch);
}

void examine_shared_conflict(Warp& warp, const Instruction& i, unsigned lane, std::uint32_t word,
                             std::uint32_t offset, unsigned width, AccessKind kind, const ValueOf* value) {
  ThreadBlock& block = *warp.block;
  SharedShadow& shadow = block.shadow;
  const std::uint32_t thread = warp.index * kLanes + lane;
  const bool is_volatile = (i.detail & access::kVolatile) != 0;
  // Volatile accesses are as good as relaxed ones in words that are accessed atomically; elsewhere they stand
  // where a barrier should.
  const bool word_atomic = kind == AccessKind::atomic || shadow.atomic_time[word] >= block.begin;
  const auto report = [&](std::uint32_t place, const std::string& who, bool read, bool same_warp) {
    Finding finding = make_race(
        warp, i, lane, kind, place, read,
        fmt::format("{} of byte {} of shared memory, which {} {} at {} with no {} between", verb(kind),
                    offset, who, read ? "read" : "wrote", line_name(place_of_id(warp, place).line),
                    same_warp ? "__syncwarp()" : "__syncthreads()") +
            (word_atomic   ? kChangedAtomically
             : is_volatile ? kVolatile
                           : ""));
    finding.barrier = place_of_id(warp, block.latest_barrier).stack;
    finding.address = offset;
    block.grid->findings->add(std::move(finding));
  };

  const Time written = shadow.write_time[word];
  const std::uint32_t writer = shadow.writer[word] & (kAtomicWriter - 1);
  if (written == kInFlight) return report_in_flight(warp, i, lane, word, offset, kind);
  const bool may_meet_atomics =
      kind == AccessKind::atomic || access::is_strong(i.detail) || (is_volatile && word_atomic);
  const bool writer_atomic = (shadow.writer[word] & kAtomicWriter) != 0 ||
                             ((shadow.writer[word] & kVolatileWriter) != 0 && word_atomic);
  if (written >= block.begin && writer != thread) {
    const std::uint32_t writer_warp = writer / kLanes;
    const bool same_warp = writer_warp == warp.index;
    const bool same_execution = same_warp && shadow.write_place[word] == i.id && written == block.now;
    const bool ordered = same_warp ? written <= warp.synced : written <= seen_of(warp, writer_warp);
    const bool both_atomic = writer_atomic && may_meet_atomics;
    // Volatile accesses of one warp are how code without __syncwarp used to say the same.
    const bool volatile_warp = same_warp && is_volatile;
    bool same_value = false;
    if (kind == AccessKind::store && value != nullptr) {
      if (same_execution) {
        // Neither lane's value has reached memory yet.
        std::array<std::byte, 16> mine{}, other{};
        (*value)(lane, mine.data());
        (*value)(writer % kLanes, other.data());
        same_value = mine == other;
      } else {
        same_value = stores_same_bytes(block.shared.data() + offset, width, lane, value);
      }
    }
    if (!ordered && !both_atomic && !volatile_warp && !same_value) {
      report(shadow.write_place[word], thread_name(warp, writer), false, same_warp);
      return;
    }
  }
  if (kind == AccessKind::load || stores_same_bytes(block.shared.data() + offset, width, lane, value)) return;
  if (may_meet_atomics && (shadow.read_place[word] & kVolatileRead) != 0) return;
  const Time read = shadow.read_time[word];
  const std::uint32_t place = shadow.read_place[word] & kReadPlaceMask;
  const std::uint32_t latest = shadow.read_place[word] >> kReadWarpShift;
  std::uint32_t unordered = read > warp.ordered ? shadow.read_warps[word] & ~(1U << warp.index) : 0;
  if (!block.seen.empty()) {
    // Warps that wait for different others have different pasts; and of several readers only the latest
    // read's time is known.
    unordered &= read > seen_of(warp, latest) ? 1U << latest : 0;
  }
  if (unordered != 0) return report(place, fmt::format("warp {}", std::countr_zero(unordered)), true, false);
  // Atomic operations of a warp that has read are how it takes what it has found.
  if (kind == AccessKind::atomic || latest != warp.index || read <= warp.synced || is_volatile) return;
  const std::uint32_t readers = shadow.read_place[word] >> kReadLanesShift & (2 * kSeveralLanes - 1);
  if (readers == lane) return;
  report(place,
         readers >= kSeveralLanes ? "other threads of the warp"
                                  : thread_name(warp, warp.index * kLanes + readers),
         true, true);
}

void report_undefined_shuffle(Warp& warp, const Instruction& i, Mask active, Mask undefined) {
  const unsigned lane = first_lane(undefined);
  warp.block->grid->findings->add(make_finding(
      warp, i.id, lane, Finding::Kind::bad_sync,
      fmt::format(
          "lane {} reads a register of a lane that takes no part in the shuffle (lanes that do: {:#010x})",
          lane, active)));
}

void report_missing_lanes(Warp& warp, const Instruction& i, Mask active) {
  warp.block->grid->findings->add(
      make_finding(warp, i.id, first_lane(active), Finding::Kind::bad_sync,
                   fmt::format("{} needs all lanes of the warp, but lanes {:#010x} take no part",
                               place_of_id(warp, i.id).instruction, ~active)));
}

void report_different_matrices(Warp& warp, const Instruction& i, Mask lanes) {
  warp.block->grid->findings->add(
      make_finding(warp, i.id, first_lane(lanes), Finding::Kind::bad_sync,
                   fmt::format("lanes {:#010x} give another address or stride than the other lanes of {}",
                               lanes, place_of_id(warp, i.id).instruction)));
}

void trace_access(Warp& warp, const Instruction& i, Mask active, const std::uint64_t* addresses,
                  unsigned width, const char* space, AccessKind kind, std::uint32_t units,
                  std::uint32_t ideal) {
  Grid& grid = *warp.block->grid;
  if (i.id >= grid.traced_places.size() || !grid.traced_places[i.id]) return;
  const std::lock_guard lock(grid.trace_mutex);
  const auto [entry, is_new] = grid.traces.try_emplace(i.id);
  AccessTrace& trace = entry->second;
  const auto order = [](const auto& block, std::uint32_t index) {
    return std::tuple(block[2], block[1], block[0], index);
  };
  if (!is_new && order(trace.block, trace.warp) <= order(warp.block->index, warp.index)) return;
  trace.line = place_of_id(warp, i.id).line;
  trace.space = space;
  trace.operation = kind == AccessKind::load ? "load" : kind == AccessKind::store ? "store" : "atomic";
  trace.bytes = width;
  trace.block = warp.block->index;
  trace.warp = warp.index;
  trace.active = active;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    trace.addresses[lane] = (active >> lane & 1) != 0 ? addresses[lane] : 0;
  trace.units = units;
  trace.ideal_units = ideal;
}

}  // namespace lockstep::emulator
