// Positions out of a table of a FITS file, by cfitsio where it is installed.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "columns.h"

#ifdef STUDY_HAS_CFITSIO
#include <fitsio.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <numbers>
#include <optional>
#endif

namespace lockstep::angular {

#ifdef STUDY_HAS_CFITSIO
namespace detail {

/// A FITS file that is read. All members throw std::runtime_error, whose message names the file.
class FitsFile {
 public:
  explicit FitsFile(const std::string& name) : name_(name) {
    // Not fits_open_file, to which brackets, bars and addresses in a name are commands. It takes ~ for a
    // folder and blanks in front for nothing.
    const std::string path = name.starts_with('/') ? name : "./" + name;
    call(fits_open_diskfile, &file_, path.c_str(), READONLY);
  }
  FitsFile(const FitsFile&) = delete;
  FitsFile& operator=(const FitsFile&) = delete;
  ~FitsFile() {
    int ignored = 0;
    fits_close_file(file_, &ignored);
  }

  /// Calls a function of cfitsio, whose last argument is its status.
  template <class Function, class... Arguments>
  void call(Function function, Arguments... arguments) const {
    int status = 0;
    function(arguments..., &status);
    if (status == 0) return;
    std::array<char, FLEN_STATUS> text{};
    fits_get_errstatus(status, text.data());
    fits_clear_errmsg();
    fail(std::string("it is no sound FITS file: ") + text.data());
  }
  [[noreturn]] void fail(const std::string& what) const { throw std::runtime_error(name_ + ": " + what); }

  int units() const {
    int count = 0;
    call(fits_get_num_hdus, file_, &count);
    return count;
  }
  /// Goes to a unit from 1, and says whether it is a table.
  bool is_table(int unit) const {
    int type = 0;
    call(fits_movabs_hdu, file_, unit, &type);
    return type == BINARY_TBL || type == ASCII_TBL;
  }
  /// Of the unit to which is_table() went.
  bool is_ascii() const {
    int type = 0;
    call(fits_get_hdu_type, file_, &type);
    return type == ASCII_TBL;
  }
  std::vector<std::string> column_names() const {
    int count = 0;
    call(fits_get_num_cols, file_, &count);
    std::vector<std::string> names;
    for (int column = 1; column <= count; ++column) names.push_back(keyword("TTYPE", column));
    return names;
  }
  std::size_t rows() const {
    LONGLONG count = 0;
    call(fits_get_num_rowsll, file_, &count);
    if (count < 0) fail("a table has a negative number of rows");
    return static_cast<std::size_t>(count);
  }

  /// How many degrees the numbers of a column, from 0, are.
  double unit_of(std::size_t place) const {
    const int column = static_cast<int>(place) + 1;
    const std::string name = "column " + study::excerpt(keyword("TTYPE", column));
    int type = 0;
    long repeat = 0, width = 0;
    call(fits_get_eqcoltype, file_, column, &type, &repeat, &width);
    if (type == TSTRING) fail(name + " holds text: convert it into numbers of degrees first");
    if (type <= 0 || type == TLOGICAL || type == TBIT || type == TCOMPLEX || type == TDBLCOMPLEX ||
        repeat != 1)
      fail(name + " has not one number in each row");
    return degrees_of(keyword("TUNIT", column), name);
  }

  /// Values of a column from 0, from a row, also from 0; NaN where there is none.
  void read(std::size_t place, std::size_t row, std::vector<double>& values) const {
    double missing = std::numeric_limits<double>::quiet_NaN();
    int any = 0;
    call(fits_read_col, file_, TDOUBLE, static_cast<int>(place) + 1, static_cast<LONGLONG>(row) + 1,
         LONGLONG{1}, static_cast<LONGLONG>(values.size()), static_cast<void*>(&missing),
         static_cast<void*>(values.data()), &any);
    if (is_ascii()) clear_blanks(static_cast<int>(place) + 1, row, values);
  }

 private:
  /// NaN where an ASCII table has blanks alone, which are 0 to FITS and to cfitsio.
  void clear_blanks(int column, std::size_t row, std::vector<double>& values) const {
    int type = 0;
    long repeat = 0, width = 0, begin = 0;
    call(fits_get_coltype, file_, column, &type, &repeat, &width);
    call(fits_get_acolparms, file_, column, nullptr, &begin, nullptr, nullptr, nullptr, nullptr, nullptr,
         nullptr);
    std::vector<unsigned char> field(static_cast<std::size_t>(width));
    for (std::size_t i = 0; i < values.size(); ++i) {
      call(fits_read_tblbytes, file_, static_cast<LONGLONG>(row + i) + 1, LONGLONG{begin}, LONGLONG{width},
           field.data());
      if (std::all_of(field.begin(), field.end(), [](unsigned char c) { return c == ' '; }))
        values[i] = std::numeric_limits<double>::quiet_NaN();
    }
  }

  /// How many degrees a unit is; those of a column without one are degrees.
  double degrees_of(const std::string& unit, const std::string& column) const {
    const std::string plain = study::in_lower_case(unit);
    for (const char* name : {"", "deg", "degree", "degrees"})
      if (plain == name) return 1;
    for (const char* name : {"rad", "radian", "radians"})
      if (plain == name) return 180 / std::numbers::pi;
    fail(column + " is in \"" + study::excerpt(unit) + "\": positions are read in deg or rad");
  }

  /// The text of a keyword of a column; empty where it is not there.
  std::string keyword(const char* name, int column) const {
    std::array<char, FLEN_VALUE> value{};
    int status = 0;
    fits_read_key(file_, TSTRING, (name + std::to_string(column)).c_str(), value.data(), nullptr, &status);
    if (status == 0) return value.data();
    fits_clear_errmsg();
    return "";
  }

  const std::string& name_;
  fitsfile* file_ = nullptr;
};

/// Goes to the first table with both columns; where there is none, to the first.
inline void find_table(const FitsFile& file, const ColumnRequest& request, const std::string& name) {
  int first = 0;
  for (int unit = 1; unit <= file.units(); ++unit) {
    if (!file.is_table(unit)) continue;
    if (first == 0) first = unit;
    try {
      columns_among(file.column_names(), request, name);
      return;
    } catch (const std::runtime_error&) {
      continue;  // reported of the first table, if no other has them
    }
  }
  if (first == 0) file.fail("it holds no table");
  file.is_table(first);
}

}  // namespace detail

/// The points of the first table that has both columns. Throws std::runtime_error.
inline std::vector<SkyPoint> read_fits(const std::string& name, const ColumnRequest& request) {
  constexpr std::size_t kRowsAtOnce = 65536;
  const detail::FitsFile file(name);
  detail::find_table(file, request, name);
  const Columns columns = detail::columns_among(file.column_names(), request, name);
  const std::size_t rows = file.rows();
  detail::must_be_few(rows / request.every, name);
  const double ra_unit = file.unit_of(columns.ra), dec_unit = file.unit_of(columns.dec);
  std::vector<SkyPoint> points;
  std::vector<double> ra, dec;
  // Some at a time, so that a header which promises more rows than there are takes no memory.
  for (std::size_t begin = 0; begin < rows; begin += ra.size()) {
    ra.resize(std::min(rows - begin, kRowsAtOnce));
    dec.resize(ra.size());
    file.read(columns.ra, begin, ra);
    file.read(columns.dec, begin, dec);
    for (std::size_t i = 0; i < ra.size(); ++i) {
      const double alpha = ra[i] * ra_unit, delta = dec[i] * dec_unit;
      std::optional<std::string> problem = detail::problem_of(alpha, delta);
      if (!std::isfinite(alpha) || !std::isfinite(delta)) problem = "a position is missing or no number";
      if (problem) file.fail("row " + std::to_string(begin + i + 1) + ": " + *problem);
      if ((begin + i) % request.every == 0) points.push_back(detail::sky_point(alpha, delta));
    }
  }
  detail::must_be_few(points.size(), name);
  return points;
}
#else
/// Throws std::runtime_error: the program was compiled without cfitsio.
[[noreturn]] inline std::vector<SkyPoint> read_fits(const std::string& name, const ColumnRequest&) {
  throw std::runtime_error(
      name + " is a FITS file. FITS files need libcfitsio-dev: sudo apt-get install libcfitsio-dev");
}
#endif

}  // namespace lockstep::angular
