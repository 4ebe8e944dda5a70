// A submission that ends the process while it is loaded.
#include <cstdlib>

namespace {
struct ExitsWhenLoaded {
  ExitsWhenLoaded() { std::exit(0); }
} const exits_when_loaded;
}  // namespace
