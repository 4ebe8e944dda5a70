// expect: compile-error
// says: problem.cpp
// Wants to include what the judge knows.
#include "../exercises/03-transpose/problem.cpp"
