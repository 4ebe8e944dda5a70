#include "emulator/checks/finding_log.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "emulator/core/toolkit_file.h"

namespace lockstep::emulator::checks {
namespace {

constexpr std::size_t kMaxFindings = 200;
constexpr std::size_t kMaxFindingBytes = std::size_t{16} << 20;

std::size_t bytes_of(const Finding& finding) {
  std::size_t bytes = sizeof finding + finding.kernel.size() + finding.numbers.size() * sizeof(std::int64_t);
  for (const std::string* text : {&finding.object.name, &finding.name, &finding.detail, &finding.line.file,
                                  &finding.other_line.file, &finding.used_at.file}) {
    bytes += text->size();
  }
  for (const std::vector<SourceLine>* stack : {&finding.stack, &finding.barrier}) {
    for (const SourceLine& line : *stack) bytes += sizeof line + line.file.size();
  }
  return bytes;
}

Occurrence occurrence_of(const Finding& finding) {
  return {finding.kind,       finding.scope, finding.kernel, finding.line,
          finding.other_line, finding.block, finding.thread};
}

/// Of equal findings the one of least rank is kept: of the first block and thread, whichever worker came
/// first. A race between warps says more than one within a warp: the barrier that it lacks fixes both.
auto rank_of(const Occurrence& o) {
  return std::tuple(o.kind == Finding::Kind::race && o.scope == Finding::Scope::warp, o.block[2], o.block[1],
                    o.block[0], o.thread[2], o.thread[1], o.thread[0]);
}

/// Adds the lines at which the lane's function, and the functions that called it, were called.
void append_callers(const Warp& warp, unsigned lane, std::vector<SourceLine>& stack) {
  constexpr std::size_t kMaxCallers = 8;  // a recursion has many
  for (const state::Split& split : warp.splits) {
    if ((split.lanes >> lane & 1) == 0) continue;
    std::size_t left = kMaxCallers;
    for (auto frame = split.callers.rbegin(); frame != split.callers.rend() && left > 0; ++frame, --left) {
      const program::Place& call = place_of_id(warp, frame->function->blocks[frame->block].end_id);
      stack.insert(stack.end(), call.stack.begin(), call.stack.end());
    }
    return;
  }
}

}  // namespace

const program::Place& place_of_id(const Warp& warp, std::uint32_t id) {
  static const program::Place kUnknown;
  const auto& places = warp.block->grid->kernel->program->places;
  return id < places.size() ? places[id] : kUnknown;
}

Finding* FindingLog::find(const Occurrence& occurrence) {
  for (Finding& known : findings_) {
    if (known.kind == occurrence.kind && known.line == occurrence.line &&
        known.other_line == occurrence.other_line && known.kernel == occurrence.kernel) {
      return &known;
    }
  }
  return nullptr;
}

bool FindingLog::has_counted(const Occurrence& occurrence, std::uint64_t count) {
  const std::lock_guard lock(mutex_);
  Finding* const known = find(occurrence);
  if (known == nullptr) return findings_.size() >= kMaxFindings || bytes_ > kMaxFindingBytes;
  if (rank_of(occurrence) < rank_of(occurrence_of(*known))) return false;
  known->count += count;
  return true;
}

void FindingLog::add(Finding finding) {
  const std::lock_guard lock(mutex_);
  const Occurrence occurrence = occurrence_of(finding);
  if (Finding* const known = find(occurrence)) {
    const std::uint64_t count = known->count + finding.count;
    if (rank_of(occurrence) < rank_of(occurrence_of(*known))) *known = std::move(finding);
    known->count = count;
    return;
  }
  bytes_ += bytes_of(finding);
  if (findings_.size() < kMaxFindings && bytes_ <= kMaxFindingBytes) findings_.push_back(std::move(finding));
}

std::vector<Finding> FindingLog::take() {
  const std::lock_guard lock(mutex_);
  bytes_ = 0;
  return std::exchange(findings_, {});
}

Finding make_finding(const Warp& warp, std::uint32_t place, unsigned lane, Finding::Cause cause) {
  Finding finding = Finding::make(cause);
  const program::Place& where = place_of_id(warp, place);
  finding.line = where.line;
  finding.stack = where.stack;
  append_callers(warp, lane, finding.stack);
  // Nobody looks for a mistake in the toolkit's own files.
  std::erase_if(finding.stack, [](const SourceLine& line) { return is_toolkit_file(line.file); });
  finding.kernel = warp.block->grid->kernel->info.name;
  finding.block = warp.block->index;
  finding.thread = {warp.thread_x[lane], warp.thread_y[lane], warp.thread_z[lane]};
  const Dim3& shape = warp.block->grid->threads;
  finding.block_shape = {shape.x, shape.y, shape.z};
  return finding;
}

Finding make_finding(const Warp& warp, std::uint32_t place, unsigned lane, Finding::Cause cause,
                     std::vector<std::int64_t> numbers) {
  Finding finding = make_finding(warp, place, lane, cause);
  finding.numbers = std::move(numbers);
  return finding;
}

void fault(Warp& warp, LaunchResult::Status why, Finding finding) {
  warp.block->grid->fail_at(warp.block->sequence, why, std::move(finding));
  warp.stop = true;
}

}  // namespace lockstep::emulator::checks
