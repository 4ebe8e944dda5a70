// Height maps of GeoTIFF and the other formats that GDAL reads. Source: GDAL, Raster C API and Raster Data
// Model. Included where the library is there.
#pragma once

#include <cpl_conv.h>
#include <cpl_error.h>
#include <cpl_string.h>
#include <gdal.h>
#include <ogr_srs_api.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "grid.h"
#include "height_file.h"

namespace lockstep::flood_study {

/// The first band. Rows are read from the file whenever they are asked for; grids are written as GeoTIFF.
/// Throws MapError with GDAL's message where it refuses the file.
class GdalMap : public HeightFile {
 public:
  explicit GdalMap(const std::string& file) : file_(file) {
    CPLSetErrorHandler(CPLQuietErrorHandler);  // what it would print is asked for
    GDALAllRegister();
    data_ = opened(file);
    if (data_ == nullptr)
      refuse(file + " is no ESRI ASCII grid, no PGM picture, and nothing that GDAL reads");
    format_ = GDALGetDriverShortName(GDALGetDatasetDriver(data_.get()));
    format_ += ", by GDAL";
    if (GDALGetRasterCount(data_.get()) < 1) throw MapError(file, "it holds no map");
    band_ = GDALGetRasterBand(data_.get(), 1);
    const int columns = GDALGetRasterXSize(data_.get()), rows = GDALGetRasterYSize(data_.get());
    detail::must_be_map(file, rows, columns);
    grid_.rows = static_cast<std::size_t>(rows);
    grid_.columns = static_cast<std::size_t>(columns);
    place();
    const int flags = GDALGetMaskFlags(band_);
    if ((flags & GMF_ALL_VALID) == 0) mask_ = GDALGetMaskBand(band_);
    int has_scale = 0, has_offset = 0;
    scale_ = GDALGetRasterScale(band_, &has_scale);
    offset_ = GDALGetRasterOffset(band_, &has_offset);
    if (has_scale == 0) scale_ = 1;
    if (has_offset == 0) offset_ = 0;
  }

  void read_rows(std::size_t first, std::size_t count, float* heights) override {
    const int columns = static_cast<int>(grid_.columns), rows = static_cast<int>(count);
    const auto read = [&](GDALRasterBandH band, void* to, GDALDataType type) {
      if (GDALRasterIO(band, GF_Read, 0, static_cast<int>(first), columns, rows, to, columns, rows, type, 0,
                       0) != CE_None)
        refuse(file_ + ": rows " + std::to_string(first + 1) + " to " + std::to_string(first + count) +
               " cannot be read");
    };
    read(band_, heights, GDT_Float32);
    const std::size_t cells = count * grid_.columns;
    if (scale_ != 1 || offset_ != 0) {
      for (std::size_t i = 0; i < cells; ++i)
        heights[i] = static_cast<float>(double{heights[i]} * scale_ + offset_);
    }
    if (mask_ == nullptr) return;
    valid_.resize(cells);
    read(mask_, valid_.data(), GDT_Byte);
    for (std::size_t i = 0; i < cells; ++i)
      if (valid_[i] == 0) heights[i] = NAN;
  }

  void write(study::OutputFiles& files, const OutputGrid& output) const override {
    files.add_by_name(output.name + ".tif", [&](const std::string& name) {
      // What GeoTIFF cannot hold would go into a second file, which OutputFiles does not know.
      const WithoutSideFiles without;
      const GDALDriverH driver = GDALGetDriverByName("GTiff");
      if (driver == nullptr) throw std::runtime_error("this GDAL writes no GeoTIFF");
      char** options = CSLSetNameValue(nullptr, "COMPRESS", "DEFLATE");
      options = CSLSetNameValue(options, "BIGTIFF", "IF_SAFER");
      const int columns = static_cast<int>(grid_.columns);
      Dataset made(GDALCreate(driver, name.c_str(), columns, static_cast<int>(grid_.rows), 1,
                              output.is_byte ? GDT_Byte : GDT_Float32, options));
      CSLDestroy(options);
      const auto must = [&](bool holds) {
        if (!holds) refuse(output.name + ".tif cannot be written");
      };
      must(made != nullptr);
      double transform[6];  // of which some versions of GDAL take no const
      std::copy(std::begin(transform_), std::end(transform_), transform);
      if (has_transform_) must(GDALSetGeoTransform(made.get(), transform) == CE_None);
      const OGRSpatialReferenceH reference = GDALGetSpatialRef(data_.get());
      if (reference != nullptr) must(GDALSetSpatialRef(made.get(), reference) == CE_None);
      const GDALRasterBandH band = GDALGetRasterBand(made.get(), 1);
      must(GDALSetRasterNoDataValue(band, output.unknown_value) == CE_None);
      std::vector<float> values(grid_.columns);
      for (std::size_t row = 0; row < grid_.rows; ++row) {
        output.fill_row(row, values);
        must(GDALRasterIO(band, GF_Write, 0, static_cast<int>(row), columns, 1, values.data(), columns, 1,
                          GDT_Float32, 0, 0) == CE_None);
      }
      CPLErrorReset();
      made.reset();  // which writes the rest and returns nothing
      must(CPLGetLastErrorType() < CE_Failure);
      if (reference != nullptr && !is_of(reference, name))
        throw MapError(file_,
                       "GeoTIFF cannot hold its reference system: gdalwarp -t_srs gives it another one");
    });
  }

 private:
  struct Closes {
    void operator()(void* dataset) const { GDALClose(dataset); }
  };
  using Dataset = std::unique_ptr<void, Closes>;

  /// While it lives, this thread's GDAL neither writes nor reads .aux.xml.
  struct WithoutSideFiles {
    WithoutSideFiles() { CPLSetThreadLocalConfigOption("GDAL_PAM_ENABLED", "NO"); }
    WithoutSideFiles(const WithoutSideFiles&) = delete;
    WithoutSideFiles& operator=(const WithoutSideFiles&) = delete;
    ~WithoutSideFiles() { CPLSetThreadLocalConfigOption("GDAL_PAM_ENABLED", nullptr); }
  };

  /// Null where GDAL reads it not. The name of a file that lies here may be a command of GDAL, as
  /// GTIFF_DIR:1:other.tif is; behind a folder it is none.
  static Dataset opened(const std::string& file) {
    const std::string path = file.starts_with('/') ? file : "./" + file;
    return Dataset(GDALOpenEx(path.c_str(), GDAL_OF_RASTER | GDAL_OF_READONLY, nullptr, nullptr, nullptr));
  }

  /// Whether a file has this reference system, by whatever name.
  static bool is_of(OGRSpatialReferenceH reference, const std::string& file) {
    const Dataset data = opened(file);
    const OGRSpatialReferenceH found = data == nullptr ? nullptr : GDALGetSpatialRef(data.get());
    const char* const options[] = {"CRITERION=EQUIVALENT", "IGNORE_DATA_AXIS_TO_SRS_AXIS_MAPPING=YES",
                                   nullptr};
    return found != nullptr && OSRIsSameEx(reference, found, options) != 0;
  }

  [[noreturn]] static void refuse(const std::string& sentence) {
    const std::string reason = CPLGetLastErrorMsg();
    throw std::runtime_error(sentence + (reason.empty() ? "" : ": GDAL says " + study::in_quotes(reason)));
  }

  void place() {
    has_transform_ = GDALGetGeoTransform(data_.get(), transform_) == CE_None;
    if (!has_transform_) {  // cells of side 1, the lower left corner at 0, 0
      grid_.top = static_cast<double>(grid_.rows);
      return;
    }
    if (transform_[2] != 0 || transform_[4] != 0)
      throw MapError(file_, "its rows do not run along the x axis: gdalwarp turns it");
    grid_.left = transform_[0];
    grid_.width = transform_[1];
    grid_.top = transform_[3];
    grid_.height = transform_[5];
    if (!(grid_.width > 0) || !(std::abs(grid_.height) > 0))
      throw MapError(file_, "the size of its cells is not above 0");
    if (!grid_.has_places()) throw MapError(file_, kNoPlaces);
    const OGRSpatialReferenceH reference = GDALGetSpatialRef(data_.get());
    if (reference == nullptr) return;
    grid_.is_geographic = OSRIsGeographic(reference) != 0;
    char* name = nullptr;  // owned by the reference
    if (!grid_.is_geographic) OSRGetLinearUnits(reference, &name);
    grid_.unit = grid_.is_geographic ? "°" : unit_called(name == nullptr ? "" : name);
  }

  std::string file_;
  Dataset data_;
  GDALRasterBandH band_ = nullptr, mask_ = nullptr;
  double transform_[6] = {0, 1, 0, 0, 0, -1}, scale_ = 1, offset_ = 0;
  bool has_transform_ = false;
  std::vector<unsigned char> valid_;
};

}  // namespace lockstep::flood_study
