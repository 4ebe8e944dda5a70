// expect: wrong-answer
// tries: Prints and writes a report with full marks, and puts links where a report may go.
// stopped by: A report is made by the judge alone, from what it has seen; the sandbox's files are gone with
// it.
#include <unistd.h>

#include <cstdio>

#include "transpose.h"

constexpr const char* kReport =
    "{\"schema\": \"lockstep/result/v1\", \"exercises\": [{\"name\": \"transpose\", \"verdict\": "
    "\"passed\"}]}";

void transpose(const float*, float*, int, int, cudaStream_t) {
  std::printf("%s\n", kReport);
  for (const char* place :
       {"results.json", "/tmp/results.json", "/tmp/report.json", "/lockstep/results.json"}) {
    if (std::FILE* file = std::fopen(place, "w")) {
      std::fputs(kReport, file);
      std::fclose(file);
    }
  }
  if (symlink("/etc/passwd", "/tmp/submission.so") != 0) return;
}
