// What the NVIDIA driver of this machine says, without linking against it: most machines that grade have
// none.
#pragma once

#include <string>

namespace lockstep::device {

struct DriverState {
  bool library = false;  ///< libcuda.so.1 could be loaded
  int devices = 0;       ///< GPUs that the driver offers
  std::string fault;     ///< one clause telling why there are none; empty when there is one
};

DriverState probe_driver();

}  // namespace lockstep::device
