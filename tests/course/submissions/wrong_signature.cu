// expect: compile-error
// says: defines transpose(float*, float*, int, int, CUstream_st*)
// The parameter `in` is not const: another function, for C++.
void transpose(float*, float*, int, int, struct CUstream_st*) {}
