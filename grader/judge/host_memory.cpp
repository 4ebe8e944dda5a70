#include "judge/host_memory.h"

#include <fstream>
#include <limits>
#include <string>

namespace lockstep::judge {

double free_host_memory() {
  std::ifstream file("/proc/meminfo");  // a line for each figure, such as "MemAvailable:   20451696 kB"
  for (std::string name; file >> name; file.ignore(std::numeric_limits<std::streamsize>::max(), '\n')) {
    double kibibytes = 0;
    if (name == "MemAvailable:" && file >> kibibytes) return 1024 * kibibytes;
  }
  return 0;
}

}  // namespace lockstep::judge
