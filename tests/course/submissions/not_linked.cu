// expect: compile-error
// says: helper_of_another_file
// Calls a function that it does not bring along.
#include "transpose.h"

void helper_of_another_file();
void transpose(const float*, float*, int, int, cudaStream_t) { helper_of_another_file(); }
