// A result as json.h has written it, read back: for whoever keeps reports and renders them later.
#pragma once

#include <stdexcept>
#include <string_view>

#include "result/result.h"

namespace lockstep::report {

/// A text is no result of the schema lockstep/result/v1; what() says what is missing.
class JsonError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Everything that render_json writes, so that rendering it as JSON or JUnit gives the same again. Source,
/// counters and accesses are not among it, so a page in HTML cannot be rendered. Throws JsonError.
result::Report read_json(std::string_view json);

}  // namespace lockstep::report
