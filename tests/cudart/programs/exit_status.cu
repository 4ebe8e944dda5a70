// Ends with the exit status that its argument names.
#include <cstdlib>

int main(int count, char** words) {
  return count == 2 && cudaFree(nullptr) == cudaSuccess ? std::atoi(words[1]) : 1;
}
