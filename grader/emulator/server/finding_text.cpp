#include "emulator/server/finding_text.h"

#include "text/demangled.h"
#include "text/printable.h"

namespace lockstep::emulator {

namespace {

std::string text_of(const SourceLine& line) {
  return text::printable(line.file) + ':' + std::to_string(line.line);
}

std::string text_of(const std::array<std::uint32_t, 3>& index) {
  return '(' + std::to_string(index[0]) + ", " + std::to_string(index[1]) + ", " + std::to_string(index[2]) +
         ')';
}

/// Whether one thread of the grid is at fault, rather than a launch or an image as a whole.
bool has_thread(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::bad_launch:
    case Finding::Kind::bad_image:
    case Finding::Kind::unsupported:
    case Finding::Kind::bad_call:
    case Finding::Kind::leak:
      return false;
    default:
      return true;
  }
}

std::string what_is_at_other_line(Finding::Kind kind) {
  switch (kind) {
    case Finding::Kind::bad_sync:
      return "  the other barrier: ";
    case Finding::Kind::stale_read:
      return "  the store: ";
    default:
      return "  the earlier access: ";
  }
}

/// The lines from the innermost function to the kernel, when there are several.
std::string way_to(const Finding& finding) {
  if (finding.stack.size() < 2) return {};
  std::string text = "  in " + text_of(finding.stack.front()) + '\n';
  for (std::size_t k = 1; k < finding.stack.size(); ++k)
    text += "    called at " + text_of(finding.stack[k]) + '\n';
  return text;
}

}  // namespace

std::string text_of(const Finding& finding) {
  std::string text = name_of(finding.kind);
  if (!finding.kernel.empty()) text += " in " + text::printable(text::demangled(finding.kernel));
  if (!finding.line.file.empty()) text += " at " + text_of(finding.line);
  text += "\n  " + text::printable(finding.message) + '\n';
  text += way_to(finding);
  if (!finding.other_line.file.empty()) {
    text += what_is_at_other_line(finding.kind) + text_of(finding.other_line) + '\n';
  }
  if (has_thread(finding.kind)) {
    text += "  block " + text_of(finding.block) + ", thread " + text_of(finding.thread);
    if (finding.count > 1) text += ", the first of " + std::to_string(finding.count) + " times";
    text += '\n';
  }
  return text;
}

}  // namespace lockstep::emulator
