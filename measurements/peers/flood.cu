// The exercise flood beside YACCLAB, which labels the components of a binary image: BUF (Allegretti, 2019)
// for 8 neighbours, HA4 (Hennequin, 2018) for 4. Timed are its labelling alone, and a whole flood by it:
// heights to an image, labels, those of wet sources marked, and a mask of the cells whose label is marked.
#include <cuda_runtime.h>

#include <cmath>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <numbers>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/device_bytes.h"
#include "lockstep/random.h"
#include "race.h"

// --- what theirs takes from OpenCV and YACCLAB's own framework, whose headers are empty files here ---

enum { CV_32SC1 };

namespace cv::cuda {

template <class T>
struct PtrStepSz {
  enum { elem_size = sizeof(T) };
  T* data;
  std::size_t step;  // bytes from row to row
  int cols, rows;
  __device__ operator T*() const { return data; }
};
using PtrStepSzb = PtrStepSz<unsigned char>;
using PtrStepSzi = PtrStepSz<int>;

/// A matrix in memory that it does not own: to create it again at its size does nothing, as there.
struct GpuMat {
  void* data = nullptr;
  std::size_t step = 0;
  int cols = 0, rows = 0;
  template <class T>
  operator PtrStepSz<T>() const {
    return {static_cast<T*>(data), step, cols, rows};
  }
  int size() const { return cols * rows; }
  void create(int, int) {}
  void upload(int) {}
  void download(int) const {}
};

}  // namespace cv::cuda

enum class Connectivity2D { CONN_4, CONN_8 };
enum class StepType { ALLOC_DEALLOC, ALL_SCANS };
using Step = StepType;

struct PerformanceEvaluator {
  void start() {}
  double stop() { return 0; }
  double last() const { return 0; }
  void store(Step, double) {}
};

template <Connectivity2D>
struct GpuLabeling2D {
  cv::cuda::GpuMat d_img_, d_img_labels_;
  int img_ = 0, img_labels_ = 0;  // of the host
  PerformanceEvaluator perf_;
  virtual void PerformLabelingBlocksize(int, int, int) {}
};

#define REGISTER_LABELING(algorithm)
#define REGISTER_KERNELS(algorithm, ...)
#define BLOCKSIZE_KERNEL(...)
#include "cuda/src/labeling_allegretti_2019_BUF.cu"
#include "cuda/src/labeling_hennequin_2018_HA4.cu"

#define flood lockstep_flood
#define flood_workspace_bytes lockstep_flood_workspace_bytes
#include "flood.h"

namespace {

constexpr int kSide = 8192, kCells = kSide * kSide, kSources = 16;
constexpr int kThreads = 256, kBlocks = kCells / 4 / kThreads;  // a thread has four cells

struct Map {
  std::string name;
  std::vector<float> heights;
  float level;
};

/// Lakes, bays and islands: waves in all directions, the shorter the lower, as in the exercise.
Map terrain(lockstep::Random& random) {
  std::vector<float> heights(kCells);
  std::vector<std::complex<float>> across(kSide);
  double length = 0.6 * kSide, height = 0.4;
  for (int wave = 0; wave < 12; ++wave, length *= 0.71, height *= 0.68) {
    const double steps = 2 * std::numbers::pi / length, turn = 2 * std::numbers::pi * random.uniform();
    const double right = steps * std::cos(turn), down = steps * std::sin(turn);
    const double phase = 2 * std::numbers::pi * random.uniform();
    for (int column = 0; column < kSide; ++column)
      across[column] = std::complex<float>(std::polar(1.0, right * column));
    for (int row = 0; row < kSide; ++row) {
      const std::complex<float> begin(std::polar(height, phase + down * row));
      float* const here = &heights[std::size_t(row) * kSide];
      for (int column = 0; column < kSide; ++column)  // the real part of their product
        here[column] += begin.real() * across[column].real() - begin.imag() * across[column].imag();
    }
  }
  return {"terrain", std::move(heights), 0.15F};
}

__global__ void image_kernel(const float4* heights, float level, uchar4* image) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const float4 four = heights[i];
  image[i] = make_uchar4(four.x < level, four.y < level, four.z < level, four.w < level);
}

/// Label 0 is that of all dry cells; others are the number of a cell of the component, plus 1.
__global__ void mark_kernel(const int* sources, const int* labels, unsigned char* marks, bool marked) {
  const int label = labels[sources[threadIdx.x]];
  if (label != 0) marks[label] = marked;
}

__global__ void mask_kernel(const int4* labels, const unsigned char* marks, uchar4* mask) {
  const int i = blockIdx.x * kThreads + threadIdx.x;
  const int4 four = labels[i];
  mask[i] = make_uchar4(marks[four.x], marks[four.y], marks[four.z], marks[four.w]);
}

template <class Labelling>
void race_on(const Map& map, int neighbourhood, const std::string& peer, lockstep::Random& random) {
  const std::vector<int> places = random.integers(kSources, 0, kCells - 1);
  const lockstep::DeviceBytes heights(kCells * sizeof(float)), sources(kSources * sizeof(int));
  CHECK_CUDA(cudaMemcpy(heights.as<void>(), map.heights.data(), kCells * sizeof(float), cudaMemcpyDefault));
  CHECK_CUDA(cudaMemcpy(sources.as<void>(), places.data(), kSources * sizeof(int), cudaMemcpyDefault));

  const lockstep::DeviceBytes mask(kCells), workspace(lockstep_flood_workspace_bytes(kSide, kSide));
  const auto ours = [&] {
    lockstep_flood(heights.as<float>(), sources.as<int>(), mask.as<unsigned char>(), kSide, kSide, kSources,
                   map.level, neighbourhood, workspace.as<void>(), nullptr);
  };

  const lockstep::DeviceBytes image(kCells), labels(kCells * sizeof(int)), marks(kCells + 1),
      their_mask(kCells);
  CHECK_CUDA(cudaMemset(marks.as<void>(), 0, kCells + 1));
  Labelling labelling;
  labelling.d_img_ = {image.as<void>(), kSide, kSide, kSide};
  labelling.d_img_labels_ = {labels.as<void>(), kSide * sizeof(int), kSide, kSide};
  const auto make_image = [&] {
    image_kernel<<<kBlocks, kThreads>>>(heights.as<float4>(), map.level, image.as<uchar4>());
  };
  const auto label = [&] {
    labelling.PerformLabeling();
    CHECK_CUDA(cudaGetLastError());
  };
  const auto mark = [&](bool marked) {
    mark_kernel<<<1, kSources>>>(sources.as<int>(), labels.as<int>(), marks.as<unsigned char>(), marked);
  };
  const auto theirs = [&] {
    make_image();
    label();
    mark(true);
    mask_kernel<<<kBlocks, kThreads>>>(labels.as<int4>(), marks.as<unsigned char>(), their_mask.as<uchar4>());
    mark(false);  // sooner done than to clear all marks before
    CHECK_CUDA(cudaGetLastError());
  };
  make_image();  // for the labelling alone

  const std::string side = std::to_string(kSide);
  peers::Race race(side + " x " + side + ", " + std::to_string(neighbourhood) + " neighbours: " + map.name);
  race.add("19-flood/flood", ours);
  race.add("19-flood/peers/" + peer, label);
  race.add("19-flood/peers/" + peer + "_flood", theirs);
  race.run();

  std::vector<unsigned char> a(kCells), b(kCells);
  CHECK_CUDA(cudaMemcpy(a.data(), mask.as<void>(), kCells, cudaMemcpyDefault));
  CHECK_CUDA(cudaMemcpy(b.data(), their_mask.as<void>(), kCells, cudaMemcpyDefault));
  const double differing =
      std::transform_reduce(a.begin(), a.end(), b.begin(), 0.0, std::plus(), std::not_equal_to());
  race.tell_difference("19-flood/peers/" + peer + "_flood", "cells of the mask that differ", differing);
}

}  // namespace

int main() {
  lockstep::SplitMix64 random(14);
  race_on<BUF>(terrain(random), 8, "yacclab_buf", random);
  // Near the shares of wet cells at which water finds a way through a large map: ways wind most.
  race_on<BUF>({"percolation", random.floats(kCells, 0, 1), 0.407F}, 8, "yacclab_buf", random);
  // Since sm_70, theirs has one barrier a step where it needs two: a warp may overwrite shared_pixels before
  // the next has read them. It would show as a difference, or as an illegal access.
  race_on<HA4>({"percolation", random.floats(kCells, 0, 1), 0.593F}, 4, "yacclab_ha4", random);
}
