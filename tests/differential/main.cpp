// Runs kernels of the suite on whatever device the CUDA runtime offers and writes what they leave: one line
// of JSON a kernel on standard output, and the outputs themselves into a folder.
//
//     differential FOLDER [--counters LIBCUPTI] KERNEL…
//
// runs them in that order. Each is launched once, so that a profiler round this program sees one launch. With
// --counters they are then launched again for the GPU's own counters. A kernel that fails ends the program,
// since an error stays with its process; the runner starts it again for the others.

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <string>

#include "counters.h"
#include "suite.h"

namespace lockstep::differential {
namespace {

void check(cudaError_t result, const char* call) {
  if (result != cudaSuccess) throw std::runtime_error(std::string(call) + ": " + cudaGetErrorString(result));
}
#define CHECK(call) check(call, #call)

/// A kernel's memory on the device, and its launch.
class Run {
 public:
  explicit Run(const Test& test)
      : test_(test), bytes_(std::size_t{test.rows} * test.columns * test.element_bytes) {
    CHECK(cudaMalloc(&inputs_, test.inputs.size()));
    CHECK(cudaMalloc(&outputs_, bytes_));
    if (test.make_object != nullptr) object_ = test.make_object();
  }
  ~Run() {
    cudaFree(inputs_);
    cudaFree(outputs_);
  }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;

  /// Always from the same state: counting may take several launches.
  void launch() {
    CHECK(cudaMemcpy(inputs_, test_.inputs.data(), test_.inputs.size(), cudaMemcpyHostToDevice));
    CHECK(cudaMemset(outputs_, 0xA5, bytes_));
    if (test_.shape.dynamic_shared > 48 * 1024) {
      CHECK(cudaFuncSetAttribute(test_.kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                 static_cast<int>(test_.shape.dynamic_shared)));
    }
    cudaLaunchConfig_t configuration{};
    configuration.gridDim = test_.shape.blocks;
    configuration.blockDim = test_.shape.threads;
    configuration.dynamicSmemBytes = test_.shape.dynamic_shared;
    cudaLaunchAttribute cluster{};
    cluster.id = cudaLaunchAttributeClusterDimension;
    cluster.val.clusterDim.x = test_.shape.cluster;
    cluster.val.clusterDim.y = cluster.val.clusterDim.z = 1;
    configuration.attrs = &cluster;
    configuration.numAttrs = test_.shape.cluster > 1 ? 1 : 0;
    void* arguments[] = {&inputs_, &outputs_, &object_};
    CHECK(cudaLaunchKernelExC(&configuration, test_.kernel, arguments));
    CHECK(cudaDeviceSynchronize());
  }

  std::vector<std::byte> outputs() const {
    std::vector<std::byte> bytes(bytes_);
    CHECK(cudaMemcpy(bytes.data(), outputs_, bytes_, cudaMemcpyDeviceToHost));
    return bytes;
  }

 private:
  const Test& test_;
  std::size_t bytes_;
  void *inputs_ = nullptr, *outputs_ = nullptr;
  std::uint64_t object_ = 0;
};

double element(const std::vector<std::byte>& bytes, std::size_t i, unsigned width) {
  if (width == 8) {
    double value = 0;
    std::memcpy(&value, bytes.data() + 8 * i, 8);
    return value;
  }
  float value = 0;
  std::memcpy(&value, bytes.data() + 4 * i, 4);
  return static_cast<double>(value);
}

/// The worst of the errors of an approximate kernel, in units of its bound, and where it is.
struct Worst {
  double error = 0;
  std::size_t row = 0, column = 0;
};
Worst worst_of(const Test& test, const std::vector<std::byte>& outputs) {
  Worst worst;
  for (std::size_t column = 0; column < test.errors.size(); ++column) {
    for (std::size_t row = 0; row < test.rows; ++row) {
      const double error =
          test.errors[column](element(test.inputs, row, test.element_bytes),
                              element(test.inputs, row + test.rows, test.element_bytes),
                              element(outputs, column * test.rows + row, test.element_bytes));
      if (error <= worst.error) continue;
      worst = {error, row, column};
      if (std::isnan(error)) return {HUGE_VAL, row, column};
    }
  }
  return worst;
}

/// Of approximate results only zeros, infinities and NaNs are compared bit by bit: the others become 1.
void leave_special_values(const Test& test, std::vector<std::byte>& outputs) {
  for (std::size_t i = 0; i < std::size_t{test.rows} * test.columns; ++i) {
    const double value = element(outputs, i, test.element_bytes);
    if (!std::isfinite(value) || value == 0) continue;
    std::memset(outputs.data() + i * test.element_bytes, 0, test.element_bytes);
    outputs[i * test.element_bytes] = std::byte{1};
  }
}

void write(const std::string& path, const std::vector<std::byte>& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error(path + " cannot be written");
}

void run(const Test& test, const std::string& folder) {
  Run run(test);
  run.launch();
  std::vector<std::byte> outputs = run.outputs();
  const Worst worst = worst_of(test, outputs);
  write(folder + "/" + test.name + ".in", test.inputs);
  if (!test.errors.empty()) {
    write(folder + "/" + test.name + ".approximate", outputs);
    leave_special_values(test, outputs);
  }
  write(folder + "/" + test.name + ".out", outputs);
  std::printf("{\"kernel\": \"%s\", \"file\": \"%s\", \"rows\": %u, \"columns\": %u, \"bytes\": %u",
              test.name,
              std::strrchr(test.file, '/') != nullptr ? std::strrchr(test.file, '/') + 1 : test.file,
              test.rows, test.columns, test.element_bytes);
  if (!test.errors.empty()) {
    std::printf(", \"error\": %.6g, \"row\": %zu, \"column\": %zu",
                std::isfinite(worst.error) ? worst.error : 1e300, worst.row, worst.column);
  }
  std::printf("}\n");
  std::fflush(stdout);
}

/// CUPTI has room for 64 launches at a time.
void count(const std::vector<const Test*>& chosen, const std::string& library) {
  constexpr std::size_t kAtOnce = 60;
  for (std::size_t first = 0; first < chosen.size(); first += kAtOnce) {
    const std::size_t last = std::min(chosen.size(), first + kAtOnce);
    const Counters all = counted(library, [&] {
      for (std::size_t i = first; i < last; ++i) Run(*chosen[i]).launch();
    });
    for (const auto& [kernel, counters] : all) {
      std::printf("{\"kernel\": \"%s\", \"counters\": {", kernel.c_str());
      const char* separator = "";
      for (const auto& [name, value] : counters) {
        std::printf("%s\"%s\": %llu", separator, name.c_str(), static_cast<unsigned long long>(value));
        separator = ", ";
      }
      std::printf("}}\n");
    }
    std::fflush(stdout);
  }
}

const Test* named(const std::string& name) {
  for (const Test& test : tests())
    if (name == test.name) return &test;
  return nullptr;
}

}  // namespace
}  // namespace lockstep::differential

int main(int n, char** words) {
  using namespace lockstep::differential;
  if (n < 2) {
    std::fprintf(stderr, "differential FOLDER [--counters LIBCUPTI] KERNEL...\n");
    return 2;
  }
  std::string library;
  std::vector<const Test*> chosen;
  for (int i = 2; i < n; ++i) {
    if (std::string(words[i]) == "--counters" && i + 1 < n) {
      library = words[++i];
      continue;
    }
    const Test* const test = named(words[i]);
    if (test == nullptr) {
      std::fprintf(stderr, "there is no kernel %s\n", words[i]);
      return 2;
    }
    chosen.push_back(test);
  }

  const Test* current = nullptr;
  try {
    CHECK(cudaFree(nullptr));
    if (!library.empty()) {
      count(chosen, library);
      return 0;
    }
    for (const Test* test : chosen) {
      current = test;
      run(*test, words[1]);
    }
  } catch (const std::exception& error) {
    std::printf("{\"kernel\": \"%s\", \"failure\": \"%s\"}\n", current != nullptr ? current->name : "",
                error.what());
    return 1;
  }
  return 0;
}
