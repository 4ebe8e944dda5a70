// expect: compile-error
// tries: Takes the whole of cuBLAS into its object, by the assembler, for its kernels.
// stopped by: Libraries of kernels are not there while a submission is compiled.
// says: file not found: /usr/local/cuda-
#include "transpose.h"

#define TEXT_OF(number) #number
#define TEXT(number) TEXT_OF(number)

asm(".section .rodata\n.incbin \"/usr/local/cuda-" TEXT(__CUDACC_VER_MAJOR__) "." TEXT(
    __CUDACC_VER_MINOR__) "/lib64/libcublas.so\"\n.previous");

void transpose(const float*, float*, int, int, cudaStream_t) {}
