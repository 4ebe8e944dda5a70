// expect: compile-error
// says: extern "C"
// A name without types, which any function could have.
extern "C" void transpose(const float*, float*, int, int, struct CUstream_st*) {}
