// expect: compile-error
// tries: Includes what the judge knows of the exercise.
// stopped by: The compiler runs in the sandbox, where of the course it sees common/ and one header.
// says: problem.cpp
#include "../exercises/05-transpose/problem.cpp"
