// Warp-instructions per second of the emulated device on the course's kernels, with all counters and checks
// on.
//
// The rate is given a worker and second of processor time, so that a busy machine does not lower it, and the
// wall time beside it shows how the work spreads over the cores. What bounds it: about ten nanoseconds
// for each vector operation on 32 lanes, and cache misses in global memory and its shadows: 1.5 bytes for
// each 4 that coalesced code touches, 9.5 where accesses are scattered, 17.5 where they both read and write.
#include <benchmark/benchmark.h>

#include <cstring>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "emulator/device.h"
#include "report/finding_words.h"

namespace {

using namespace lockstep::emulator;

struct Subject {
  const char* name;
  const char* file;    ///< of the PTX, without its ending
  const char* kernel;  ///< mangled
  Dim3 grid, block;
  std::vector<std::uint64_t>
      parameters;  ///< each in a word of 8 bytes, cut to its size; buffers by number from 1
};

// Buffers: 1 and 2 hold 2^22 words each, 3 is zeroed before every launch.
constexpr std::uint64_t kIn = 1, kOut = 2, kZeroed = 3;
constexpr std::size_t kWords = std::size_t{1} << 22;
constexpr unsigned kSide = 2048;
constexpr unsigned kTiles = kSide / 32;

const std::vector<Subject>& subjects() {
  static const std::vector<Subject> all = {
      {"arithmetic", "kernels", "arithmetic", {64, 1, 1}, {256, 1, 1}, {kOut, 2048}},
      {"matmul/256", "kernels", "matmul", {8, 8, 1}, {32, 32, 1}, {kIn, kIn, kOut, 256}},
      {"matmul/1024", "kernels", "matmul", {32, 32, 1}, {32, 32, 1}, {kIn, kIn, kOut, 1024}},
      {"gather/1MiB", "kernels", "gather", {256, 1, 1}, {256, 1, 1}, {kIn, kOut, 64, 32 - 18}},
      {"gather/4MiB", "kernels", "gather", {256, 1, 1}, {256, 1, 1}, {kIn, kOut, 64, 32 - 20}},
      {"gather/16MiB", "kernels", "gather", {256, 1, 1}, {256, 1, 1}, {kIn, kOut, 64, 32 - 22}},
      {"bank_conflicts", "kernels", "bank_conflicts", {256, 1, 1}, {32, 1, 1}, {kOut, 2048}},
      {"transpose/naive",
       "05-transpose.rungs.naive",
       "_Z16transpose_kernelPKfPfii",
       {kTiles, kTiles, 1},
       {32, 32, 1},
       {kIn, kOut, kSide, kSide}},
      {"transpose/tiled",
       "05-transpose.rungs.tiled",
       "_Z16transpose_kernelPKfPfii",
       {kTiles, kTiles, 1},
       {32, 32, 1},
       {kIn, kOut, kSide, kSide}},
      {"transpose/padded",
       "05-transpose.rungs.padded",
       "_Z16transpose_kernelPKfPfii",
       {kTiles, kTiles, 1},
       {32, 32, 1},
       {kIn, kOut, kSide, kSide}},
      {"transpose/reference",
       "05-transpose.transpose",
       "_Z21transpose_wide_kernelPKfPfii",
       {kSide / 64, kSide / 64, 1},
       {16, 16, 1},
       {kIn, kOut, kSide, kSide}},
      {"block-scan/hillis_steele",
       "09-block-scan.rungs.hillis_steele",
       "_Z17block_scan_kernelPKiPi",
       {1024, 1, 1},
       {1024, 1, 1},
       {kIn, kOut}},
      {"block-scan/blelloch_padded",
       "09-block-scan.rungs.blelloch_padded",
       "_Z17block_scan_kernelPKiPii",
       {1024, 1, 1},
       {512, 1, 1},
       {kIn, kOut, 1024}},
      {"block-scan/reference",
       "09-block-scan.block_scan",
       "_Z17block_scan_kernelPKiPii",
       {1024, 1, 1},
       {128, 1, 1},
       {kIn, kOut, 1024}},
      {"scan/three_pass",
       "10-scan.rungs.three_pass",
       "_Z17scan_tiles_kernelPKiPiiS1_",
       {2048, 1, 1},
       {1024, 1, 1},
       {kIn, kOut, 2048 * 1024, kZeroed}},
      {"scan/reference",
       "10-scan.scan",
       "_Z11scan_kernelILi11EEvPKiPiiPVyPyS5_",
       {96, 1, 1},
       {512, 1, 1},
       {kIn, kOut, 96 * 22528, kZeroed, kZeroed + 96, kZeroed + 99}},
  };
  return all;
}

std::string read_file(const std::string& path) {
  const std::ifstream file(path);
  if (!file) throw std::runtime_error("cannot read " + path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void run(benchmark::State& state, const Subject& subject) {
  DeviceOptions options;
  options.workers = static_cast<unsigned>(state.range(0));
  Device device(options);
  const Device::KernelId kernel =
      device.kernel(device.load_ptx(read_file(std::string(LOCKSTEP_KERNELS) + "/" + subject.file + ".ptx")),
                    subject.kernel);

  const std::vector<std::uint32_t> words(kWords, 1);
  DeviceAddress buffers[3];
  for (DeviceAddress& buffer : buffers) {
    buffer = device.allocate(kWords * sizeof(std::uint32_t));
    device.write(buffer, std::as_bytes(std::span(words)));
  }
  const KernelInfo& info = device.kernel_info(kernel);
  std::vector<std::byte> parameters(info.parameter_bytes);
  for (std::size_t k = 0; k < info.parameters.size(); ++k) {
    std::uint64_t value = subject.parameters.at(k);
    if (info.parameters[k].bytes == 8) {
      // The word after the zeroed buffer's first is the second of its users.
      value = value > kZeroed ? buffers[kZeroed - 1] + 8 * (value - kZeroed) : buffers[value - 1];
    }
    std::memcpy(parameters.data() + info.parameters[k].offset, &value, info.parameters[k].bytes);
  }
  LaunchConfiguration configuration;
  configuration.grid = subject.grid;
  configuration.block = subject.block;

  // The first launch touches the pages of the buffers and their shadows.
  device.fill(buffers[kZeroed - 1], std::byte{0}, kWords);
  device.launch(kernel, configuration, parameters);
  device.take_observations();

  std::uint64_t instructions = 0;
  for ([[maybe_unused]] auto _ : state) {
    state.PauseTiming();
    device.fill(buffers[kZeroed - 1], std::byte{0}, kWords);
    state.ResumeTiming();
    const LaunchResult result = device.launch(kernel, configuration, parameters);
    state.PauseTiming();
    const Observations seen = device.take_observations();
    if (result.status != LaunchResult::Status::ok || !seen.findings.empty()) {
      const std::string why =
          seen.findings.empty() ? "the launch failed" : lockstep::report::text_of(seen.findings.front());
      state.SkipWithError(why.c_str());
      break;
    }
    instructions += seen.warp_instructions;
    state.ResumeTiming();
  }
  state.counters["warp-instructions"] =
      benchmark::Counter(static_cast<double>(instructions), benchmark::Counter::kIsRate);
}

}  // namespace

int main(int argc, char** argv) {
  for (const Subject& subject : subjects()) {
    // MeasureProcessCPUTime: the rate counts the processor time of all workers, that is a core's.
    benchmark::RegisterBenchmark(subject.name, [&subject](benchmark::State& state) { run(state, subject); })
        ->ArgName("workers")
        ->Arg(1)
        ->Arg(2)
        ->MeasureProcessCPUTime()
        ->Unit(benchmark::kMillisecond);
  }
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  return 0;
}
