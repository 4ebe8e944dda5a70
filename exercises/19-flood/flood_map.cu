// flood_map HEIGHTS LEVEL NEIGHBOURHOOD PICTURE ROW COLUMN…: floods a height map of your own from the given
// cells, by the flood.cu that it is built with, and draws it as a PPM picture. How to build it: README.md.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <fstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "flood.h"
#include "height_map.h"
#include "lockstep/check_cuda.h"
#include "lockstep/device_bytes.h"

template <class T>
T number_of(const std::string& text, const char* what) {
  T value{};
  if (!lockstep::detail::parse(text, value)) throw std::runtime_error("\"" + text + "\" is no " + what);
  return value;
}

std::vector<int> sources_of(const lockstep::HeightMap& map, int count, char** arguments) {
  std::vector<int> sources;
  for (int i = 0; i + 1 < count; i += 2) {
    const int row = number_of<int>(arguments[i], "row"), column = number_of<int>(arguments[i + 1], "column");
    if (row < 0 || row >= map.rows || column < 0 || column >= map.columns) {
      throw std::runtime_error("row " + std::to_string(row) + ", column " + std::to_string(column) +
                               " is not on the map of " + std::to_string(map.rows) + " rows and " +
                               std::to_string(map.columns) + " columns");
    }
    sources.push_back(row * map.columns + column);
  }
  return sources;
}

std::vector<unsigned char> mask_of(const lockstep::HeightMap& map, const std::vector<int>& sources,
                                   float level, int neighbourhood) {
  const std::size_t bytes = map.heights.size() * sizeof(float);
  const lockstep::DeviceBytes heights(bytes), on_device(sources.size() * sizeof(int)),
      mask(map.heights.size()), workspace(flood_workspace_bytes(map.rows, map.columns));
  CHECK_CUDA(cudaMemcpy(heights.as<float>(), map.heights.data(), bytes, cudaMemcpyHostToDevice));
  CHECK_CUDA(
      cudaMemcpy(on_device.as<int>(), sources.data(), sources.size() * sizeof(int), cudaMemcpyHostToDevice));
  flood(heights.as<float>(), on_device.as<int>(), mask.as<unsigned char>(), map.rows, map.columns,
        static_cast<int>(sources.size()), level, neighbourhood, workspace.as<void>(), nullptr);
  std::vector<unsigned char> found(map.heights.size());
  CHECK_CUDA(cudaMemcpy(found.data(), mask.as<void>(), found.size(), cudaMemcpyDeviceToHost));
  return found;
}

int main(int count, char** arguments) {
  constexpr int kFirstSource = 5;
  if (count < kFirstSource + 2 || (count - kFirstSource) % 2 != 0) {
    std::fprintf(
        stderr,
        "usage: flood_map HEIGHTS LEVEL NEIGHBOURHOOD PICTURE ROW COLUMN [ROW COLUMN]…\n"
        "HEIGHTS is an .asc or a .pgm file, NEIGHBOURHOOD 4 or 8, PICTURE a .ppm file to be written\n");
    return 2;
  }
  try {
    const lockstep::HeightMap map = lockstep::read_height_map(arguments[1]);
    const auto level = number_of<float>(arguments[2], "level");
    const auto neighbourhood = number_of<int>(arguments[3], "neighbourhood");
    if (std::isnan(level)) throw std::runtime_error("a level is a number");
    if (neighbourhood != 4 && neighbourhood != 8) throw std::runtime_error("a neighbourhood is 4 or 8");
    const std::vector<int> sources = sources_of(map, count - kFirstSource, arguments + kFirstSource);
    const std::vector<unsigned char> mask = mask_of(map, sources, level, neighbourhood);
    std::ofstream picture(arguments[4], std::ios::binary);
    lockstep::write_ppm(picture, map, mask, level);
    picture.close();
    if (!picture) throw std::runtime_error(std::string(arguments[4]) + " cannot be written");
    std::printf("%zu of %zu cells have water\n",
                static_cast<std::size_t>(std::count(mask.begin(), mask.end(), 1)), mask.size());
  } catch (const std::exception& error) {
    std::fprintf(stderr, "flood_map: %s\n", error.what());
    return 1;
  }
}
