#include "cli/bench_record.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "course/catalogue.h"
#include "judge/standing.h"
#include "report/bench.h"
#include "storage/files.h"

namespace lockstep::cli {
namespace {

/// Such as measurements/nvidia-h200 for "NVIDIA H200".
std::filesystem::path measurements_folder(const std::filesystem::path& root, const std::string& gpu) {
  std::string name = gpu;
  std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
    return std::isalnum(c) != 0 ? static_cast<char>(std::tolower(c)) : '-';
  });
  return root / "measurements" / name;
}

/// Text of the record; empty where there is none.
std::string record_of(const std::string& gpu, const std::string& topic) {
  const course::Exercise* const exercise = course::find_exercise(topic);
  const std::filesystem::path& root = exercise == nullptr ? course::course_root() : exercise->root;
  const std::filesystem::path file = measurements_folder(root, gpu) / (topic + ".json");
  return std::filesystem::is_regular_file(file) ? storage::read_file(file) : "";
}

}  // namespace

std::map<std::string, double> recorded_rungs(const std::string& gpu, const std::string& topic,
                                             const std::string& size) {
  return report::recorded_rungs(record_of(gpu, topic), gpu, size);
}

void add_recorded_ladder(result::Speed& speed, const std::string& topic) {
  constexpr const char* kGpu = "NVIDIA H200";  // that every exercise is recorded on
  const std::string record = record_of(kGpu, topic), size = report::largest_recorded_size(record, kGpu);
  std::vector<result::Rung> ladder = judge::standing_of(report::recorded_rungs(record, kGpu, size), 1).ladder;
  if (ladder.empty()) return;
  speed.ladder = std::move(ladder);
  speed.ladder_gpu = kGpu;
  speed.ladder_size = size;
}

}  // namespace lockstep::cli
