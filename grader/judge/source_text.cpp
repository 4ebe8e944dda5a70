#include "judge/source_text.h"

#include <filesystem>
#include <sstream>
#include <utility>

namespace lockstep::judge {
namespace {

std::string base_name(const std::string& file) { return std::filesystem::path(file).filename(); }

}  // namespace

SourceText::SourceText(std::string file_name, const std::string& text) : file_name_(std::move(file_name)) {
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines_.push_back(line);
}

bool SourceText::holds(const emulator::SourceLine& line) const { return base_name(line.file) == file_name_; }

std::string_view SourceText::code(std::uint32_t line) const {
  if (line < 1 || line > lines_.size()) return {};
  const std::string_view text = lines_[line - 1];
  return text.substr(0, text.find("//"));
}

result::Place SourceText::place(const emulator::SourceLine& line) const {
  result::Place place{.file = base_name(line.file), .line = line.line, .text = {}};
  if (holds(line) && line.line >= 1 && line.line <= lines_.size()) place.text = lines_[line.line - 1];
  return place;
}

}  // namespace lockstep::judge
