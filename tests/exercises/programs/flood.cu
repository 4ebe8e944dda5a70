// The reference of "flood" as a library: how much workspace it asks for, and that thin maps need no more.
#include "flood.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <limits>
#include <stdexcept>
#include <string>
#include <vector>

#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"

/// What a tile of 128 x 128 has of a map's side, all tiles together.
double rounded(int side) { return side < 128 ? side : (side + 127LL) / 128 * 128; }

void expect_workspace(int rows, int columns, double bytes_per_cell) {
  const double most = bytes_per_cell * rounded(rows) * rounded(columns);
  const auto asked = static_cast<double>(flood_workspace_bytes(rows, columns));
  if (!(asked <= most))
    throw std::runtime_error(std::to_string(rows) + " x " + std::to_string(columns) + " cells take " +
                             std::to_string(asked / (double(rows) * columns)) + " bytes each");
}

/// Water runs along a map of one row or of one column, up to the first dry cell on either side.
void expect_flooded(int rows, int columns) {
  const int cells = rows * columns, source = cells / 2, dry_left = cells / 5, dry_right = cells - 3;
  std::vector<float> heights(cells, 1.0F);
  heights[dry_left] = heights[dry_right] = 9;
  std::vector<unsigned char> found(cells);
  const lockstep::DeviceBytes on_device(cells * sizeof(float)), sources(sizeof source), mask(cells),
      workspace(flood_workspace_bytes(rows, columns));
  CHECK_CUDA(cudaMemcpy(on_device.as<void>(), heights.data(), cells * sizeof(float), cudaMemcpyHostToDevice));
  CHECK_CUDA(cudaMemcpy(sources.as<void>(), &source, sizeof source, cudaMemcpyHostToDevice));
  flood(on_device.as<float>(), sources.as<int>(), mask.as<unsigned char>(), rows, columns, 1, 5, 4,
        workspace.as<void>(), nullptr);
  CHECK_CUDA(cudaMemcpy(found.data(), mask.as<void>(), cells, cudaMemcpyDeviceToHost));
  for (int cell = 0; cell < cells; ++cell) {
    if ((found[cell] != 0) != (dry_left < cell && cell < dry_right))
      throw std::runtime_error("cell " + std::to_string(cell) + " of " + std::to_string(rows) + " rows");
  }
}

int main() {
  constexpr int kMax = std::numeric_limits<int>::max();
  try {
    expect_workspace(8192, 8192, 0.72);
    expect_workspace(128, 128, 0.72);
    expect_workspace(1, kMax, 7);
    expect_workspace(3, 20'000'000, 3);
    expect_workspace(kMax, 1, 27);
    expect_workspace(20'000'000, 33, 2);
    for (int rows = 1; rows < 300; ++rows) {
      for (int columns = 1; columns < 300; ++columns) expect_workspace(rows, columns, 32);
    }
    expect_flooded(1, 10'007);
    expect_flooded(10'007, 1);
  } catch (const std::exception& error) {
    std::printf("%s\n", error.what());
    return 1;
  }
  std::printf("no map takes too much\n");
}
