#include "mistakes.h"

#include <stdexcept>

#include "shell.h"

namespace lockstep::test {

std::filesystem::path source_of(const std::filesystem::path& submission,
                                const std::filesystem::path& folder) {
  if (submission.extension() != ".patch") return submission;
  const std::filesystem::path source = folder / submission.filename().replace_extension(".cu");
  const Ran ran = run("'" LOCKSTEP_SOURCE "/tests/course/mistake' show '" + submission.string() +
                      "' 2>&1 >'" + source.string() + "'");
  if (ran.status != 0) throw std::runtime_error(ran.output);
  return source;
}

}  // namespace lockstep::test
