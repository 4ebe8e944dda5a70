// The bugs that are linked into the program, by name.
#pragma once

#include <vector>

namespace planted {

struct Bug {
  const char* name;
  void (*run)();
  void (*run_fixed)();
};

std::vector<Bug>& bugs();

/// Adds a bug before main begins.
struct Registration {
  Registration(const char* name, void (*run)(), void (*run_fixed)()) {
    bugs().push_back({name, run, run_fixed});
  }
};

}  // namespace planted
