// The seconds of one call of transpose, by events. Arguments: rows, columns.
#include "event_time.h"
#include SOLUTION

int main(int, char** arguments) {
  const int rows = std::stoi(arguments[1]), columns = std::stoi(arguments[2]);
  const std::size_t elements = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  event_time::print_seconds([=](unsigned seed) {
    const auto* const in = event_time::random_words<float>(elements, event_time::kAnyBits, seed);
    auto* const out = event_time::allocate<float>(elements);
    return [=] { transpose(in, out, rows, columns, nullptr); };
  });
}
