// The seconds of one call of coalescing, by events. A size: particles, pitch.
#include "event_time.h"
#include SOLUTION

int main(int count, char** words) {
  return event_time::time_sizes(count, words, [](const event_time::Size& size) {
    const int n = size.number(0), pitch = size.number(1);
    const std::size_t fields_of_particles = kFields * static_cast<std::size_t>(n);
    const std::size_t cells = kFields * static_cast<std::size_t>(pitch);
    return event_time::Task{
        {.bytes = 1.0 * sizeof(float) * (fields_of_particles + cells)}, [=](unsigned seed) {
          const auto* const particles =
              event_time::random_words<Particle>(fields_of_particles, event_time::kAnyBits, seed);
          auto* const fields = event_time::allocate<float>(cells);
          return [=](cudaStream_t stream) { coalescing(particles, fields, n, pitch, 0.5F, stream); };
        }};
  });
}
