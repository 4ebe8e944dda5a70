// The `.loc` directives of one function.
#include "emulator/ptx/location_table.h"

namespace lockstep::emulator::ptx {
namespace {

// Chains are walked for every instruction by those who read the tree, so their length must not grow with the
// text.
constexpr std::uint32_t kDeepestChain = 256;

}  // namespace

void LocationTable::parse(Lexer& lexer) {
  const std::uint32_t ptx_line = lexer.peek().line;
  const Place place = parse_place(lexer);
  std::int32_t inlined_at = -1;
  DebugStringReference name;
  while (lexer.accept(',')) {
    const std::string_view attribute = lexer.expect_word("function_name or inlined_at");
    if (attribute == "function_name") {
      name.line = ptx_line;
      name.label = lexer.expect_word("the label of a function's name");
      if (lexer.accept('+')) name.offset = lexer.expect_unsigned("an offset into .debug_str");
    } else if (attribute == "inlined_at") {
      inlined_at = call_site(parse_place(lexer));
    } else {
      throw ParseError(ptx_line, "a .loc with " + quoted(attribute));
    }
  }
  const bool first = current_ < 0;
  current_ = add(place, inlined_at, name);
  latest_[place] = current_;
  if (first) function_.declared_at = function_.locations[static_cast<std::size_t>(current_)];
}

LocationTable::Place LocationTable::parse_place(Lexer& lexer) {
  const std::uint32_t file = lexer.expect_unsigned_32("a file's number");
  const std::uint32_t line = lexer.expect_unsigned_32("a line");
  const std::uint32_t column = lexer.expect_unsigned_32("a column");
  return {file, line, column};
}

std::int32_t LocationTable::call_site(const Place& place) {
  const auto latest = latest_.find(place);
  return latest != latest_.end() ? latest->second : add(place, -1, {});
}

std::int32_t LocationTable::add(const Place& place, std::int32_t inlined_at,
                                const DebugStringReference& name) {
  // A chain that is too long loses its middle: the outermost place, which counters go by, stays right.
  if (inlined_at >= 0 && depths_[static_cast<std::size_t>(inlined_at)] >= kDeepestChain) {
    while (function_.locations[static_cast<std::size_t>(inlined_at)].inlined_at >= 0) {
      inlined_at = function_.locations[static_cast<std::size_t>(inlined_at)].inlined_at;
    }
  }
  const auto next = static_cast<std::int32_t>(function_.locations.size());
  const auto [known, added] = known_.try_emplace(Key{place, inlined_at, name.label, name.offset}, next);
  if (!added) return known->second;
  const auto [file, line, column] = place;
  function_.locations.push_back({file, line, column, inlined_at, {}});
  depths_.push_back(inlined_at < 0 ? 0 : depths_[static_cast<std::size_t>(inlined_at)] + 1);
  if (!name.label.empty()) unnamed_.push_back({function_index_, static_cast<std::uint32_t>(next), name});
  return next;
}

}  // namespace lockstep::emulator::ptx
