// expect: compile-error
// says: transpose.cu does not define transpose
// says: Next: Fix that first
// Nobody else can call a function that is static.
static void transpose(const float*, float*, int, int, struct CUstream_st*) {}
void (*const unused)(const float*, float*, int, int, struct CUstream_st*) = transpose;
