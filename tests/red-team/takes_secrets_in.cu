// expect: compile-error
// tries: Takes the judge's files and the machine's secrets into its object with .incbin.
// stopped by: The compiler runs in the sandbox: of the course it sees common/ and one header, of /etc the
// linker's cache.
#include "transpose.h"

asm(".incbin \"/etc/shadow\"");
asm(".incbin \"../exercises/05-transpose/problem.cpp\"");

void transpose(const float*, float*, int, int, cudaStream_t) {}
