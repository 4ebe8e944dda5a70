// Lines of the sources that a program was built from, read when they are asked for.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace lockstep::report {

class SourceFiles {
 public:
  /// The line's text; empty when the file is not there, is no source, or is shorter.
  std::string line(const std::string& file, unsigned number);

 private:
  std::map<std::string, std::vector<std::string>> files_;
};

}  // namespace lockstep::report
