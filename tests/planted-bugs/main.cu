// planted_bugs NAME bug|fixed: runs one bug, or the same code without it. Ends with status 1 when the device
// says that something failed.
#include <cstring>

#include "planted_bug.h"
#include "table.h"

namespace planted {

std::vector<Bug>& bugs() {
  static std::vector<Bug> all;
  return all;
}

}  // namespace planted

int main(int count, char** words) {
  if (count != 3) return 2;
  for (const planted::Bug& bug : planted::bugs()) {
    if (std::strcmp(bug.name, words[1]) != 0) continue;
    (std::strcmp(words[2], "fixed") == 0 ? bug.run_fixed : bug.run)();
    return cudaDeviceSynchronize() == cudaSuccess && cudaGetLastError() == cudaSuccess ? 0 : 1;
  }
  return 2;
}
