// The seconds of one call of coalescing, by events. A size: particles, pitch.
#include "event_time.h"
#include SOLUTION

using namespace event_time;

Task task_of(const Size& size) {
  const int n = size.number(0), pitch = size.number(1);
  const std::size_t fields_of_particles = kFields * static_cast<std::size_t>(n);
  const std::size_t cells = kFields * static_cast<std::size_t>(pitch);
  const auto make_call = [=](unsigned seed) {
    const auto* const particles = random_words<Particle>(fields_of_particles, kAnyBits, seed);
    auto* const fields = allocate<float>(cells);
    return [=](cudaStream_t stream) { coalescing(particles, fields, n, pitch, 0.5F, stream); };
  };
  return {{.bytes = 1.0 * sizeof(float) * (fields_of_particles + cells), .launches = 1}, make_call};
}

int main(int count, char** words) { return time_sizes(count, words, task_of); }
