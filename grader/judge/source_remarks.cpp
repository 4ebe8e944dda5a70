#include "judge/source_remarks.h"

#include <fmt/format.h>

#include <algorithm>
#include <regex>
#include <string>

#include "judge/source_search.h"

namespace lockstep::judge {
namespace {

constexpr std::size_t kMaxRemarks = 3;  ///< of one kind

class Remarks {
 public:
  Remarks(const course::Problem& problem, const SourceText& source) : problem_(problem), source_(source) {}

  std::vector<result::SourceRemark> all(bool with_gpu_cases) {
    // A host program is asked for both.
    if (!problem_.host_program) {
      remark_on_allocations();
      remark_on_waiting_for_the_device();
    }
    remark_on_exchanged_launches();
    if (!with_gpu_cases) remark_on_numbers_in_an_int();
    return std::move(remarks_);
  }

 private:
  void add(std::uint32_t line, std::string sentence) {
    remarks_.push_back({source_.place({source_.file_name(), line}), std::move(sentence)});
  }

  static bool is_in_stream_order(const Statement& call) { return call.text.starts_with("cudaMallocAsync"); }

  /// One remark for all calls alike, at the first that can wait for the device, or at the first.
  void remark_on_allocations() {
    const std::vector<Statement> allocations = calls_of(source_, "cudaMalloc");
    if (allocations.empty()) return;
    const auto waits = std::find_if_not(allocations.begin(), allocations.end(), is_in_stream_order);
    std::string sentence = "Memory is allocated here, each time that a call comes to this line. ";
    sentence += waits == allocations.end()
                    ? "The stream does it in its order and the device waits for nothing, but where the pool "
                      "has too little left it takes longer than a short kernel."
                    : "An allocation can wait for the whole device, and takes longer than a short kernel.";
    if (!mentions(source_, "cudaFree")) sentence += " Nothing here frees it, so that each call keeps more.";
    if (problem_.workspace) {
      sentence += fmt::format(" `workspace` is there for that: as many bytes as {} asks for.",
                              problem_.workspace->function.name);
    }
    add((waits == allocations.end() ? allocations.front() : *waits).line, std::move(sentence));
  }

  void remark_on_waiting_for_the_device() {
    const std::vector<Statement> waits = calls_of(source_, "cudaDeviceSynchronize(");
    if (waits.empty()) return;
    add(waits.front().line,
        "The host waits here for all streams of the device, and can launch nothing meanwhile. What one "
        "stream holds runs in its order without that, and cudaGetLastError() finds a launch that failed. "
        "Where the host needs a result, cudaStreamSynchronize waits for the given stream alone.");
  }

  void remark_on_exchanged_launches() {
    std::size_t found = 0;
    for (const Statement& launch : launches_of(source_)) {
      if (!exchanges_its_arguments(launch) || ++found > kMaxRemarks) continue;
      const std::vector<std::string> arguments = launch_arguments(launch);
      add(launch.line,
          fmt::format(
              "The first launch argument is the number of blocks, and here it is `{}`; the second is "
              "that of threads per block, and here it is `{}`. Are they exchanged? A block has at most "
              "1024 threads: larger inputs may not launch at all.",
              arguments[0], arguments[1]));
    }
  }

  /// A name of 64 bits that the interface gives, which a loop of an int is to reach: only a GPU has room for
  /// so many elements.
  void remark_on_numbers_in_an_int() {
    for (const std::string& name : wide_scalars()) {
      const std::regex cast(fmt::format(R"(\(int\)\s*{0}\b|\b(?:int|static_cast<int>)\({0}\))", name));
      const std::regex loop(fmt::format(R"(\bfor\s*\(\s*(?:int|unsigned)\s[^;]*;[^;]*<=?\s*{}\s*;)", name));
      std::size_t found = 0;
      for (std::uint32_t line = 1; line <= source_.line_count() && found < kMaxRemarks; ++line) {
        const std::string code = searchable(source_.code(line));
        if (!std::regex_search(code, cast) && !std::regex_search(code, loop)) continue;
        ++found;
        add(line,
            fmt::format("`{0}` has 64 bits in the interface, and an int ends at 2^31 - 1, an unsigned at "
                        "2^32 - 1. If this `{0}` is that one, larger calls come out wrong: only a GPU "
                        "has room for them, and they were not tried here. Count in std::size_t.",
                        name));
      }
    }
  }

  /// As the exercise's cases call them; none where no case is so large.
  std::vector<std::string> wide_scalars() const {
    if (problem_.gpu_cases.empty() || problem_.cases.empty()) return {};
    SplitMix64 random(0);
    const course::Call call = problem_.cases.front().prepare(random);
    std::vector<std::string> names;
    for (const course::Argument& argument : call.arguments()) {
      const bool is_wide = argument.elements.type == course::ElementType::u64;
      if (argument.kind == course::Argument::Kind::scalar && is_wide) names.push_back(argument.name);
    }
    return names;
  }

  const course::Problem& problem_;
  const SourceText& source_;
  std::vector<result::SourceRemark> remarks_;
};

}  // namespace

std::vector<result::SourceRemark> remarks_on(const course::Problem& problem, const SourceText& source,
                                             bool with_gpu_cases) {
  return Remarks(problem, source).all(with_gpu_cases);
}

}  // namespace lockstep::judge
