// expect: compile-error
// says: transpose.cu defines transpose(float*, float*, int, int, cudaStream_t)
// The parameter `in` is not const: another function, for C++.
void transpose(float*, float*, int, int, struct CUstream_st*) {}
