// The seconds of one call of coalescing, by events. Arguments: particles, pitch.
#include "event_time.h"
#include SOLUTION

int main(int, char** arguments) {
  const int n = std::stoi(arguments[1]), pitch = std::stoi(arguments[2]);
  const std::size_t words = kFields * static_cast<std::size_t>(n);
  const std::size_t cells = kFields * static_cast<std::size_t>(pitch);
  event_time::print_seconds([=](unsigned seed) {
    const auto* const particles = event_time::random_words<Particle>(words, event_time::kAnyBits, seed);
    auto* const fields = event_time::allocate<float>(cells);
    return [=] { coalescing(particles, fields, n, pitch, 0.5F, nullptr); };
  });
}
