// Opens a height map by what the file begins with.
#pragma once

#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <string>

#include "ascii_grid.h"
#include "height_file.h"
#include "study/text.h"
#ifdef STUDY_HAS_GDAL
#include "gdal_map.h"
#endif

namespace lockstep::flood_study {

/// Throws MapError or std::runtime_error, whose message names the file, where it is no map.
inline std::unique_ptr<HeightFile> open_map(const std::string& file) {
  std::string begin;
  if (!std::filesystem::is_directory(file)) {
    std::ifstream in = study::opened(file);
    begin = study::begin_of(in, 256);
    if (begin.empty()) throw std::runtime_error(file + " is empty");
  }
  if (AsciiGrid::is(begin)) return std::make_unique<AsciiGrid>(file);
  if (PgmPicture::is(begin)) return std::make_unique<PgmPicture>(file);
#ifdef STUDY_HAS_GDAL
  return std::make_unique<GdalMap>(file);
#else
  const bool is_tiff = begin.starts_with("II*") || begin.starts_with("II+") ||
                       begin.starts_with(std::string("MM\0*", 4)) ||
                       begin.starts_with(std::string("MM\0+", 4));
  if (is_tiff)
    throw std::runtime_error(file + ": GeoTIFF files need libgdal-dev: sudo apt-get install libgdal-dev");
  throw std::runtime_error(file +
                           " is no ESRI ASCII grid and no PGM picture; other formats need libgdal-dev: "
                           "sudo apt-get install libgdal-dev");
#endif
}

}  // namespace lockstep::flood_study
