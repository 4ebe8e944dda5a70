// The seconds of one call of scan, by events. Argument: n.
#include "event_time.h"
#include SOLUTION

int main(int, char** arguments) {
  const int n = std::stoi(arguments[1]);
  const auto elements = static_cast<std::size_t>(n);
  constexpr unsigned long long kBound = 8;  // the sums fit in an int
  event_time::print_seconds([=](unsigned seed) {
    const auto* const in = event_time::random_words<int>(elements, kBound, seed);
    auto* const out = event_time::allocate<int>(elements);
    auto* const workspace = event_time::allocate<unsigned char>(scan_workspace_bytes(n));
    return [=] { scan(in, out, n, workspace, nullptr); };
  });
}
