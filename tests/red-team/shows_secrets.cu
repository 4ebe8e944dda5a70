// expect: compile-error
// tries: Includes a file that is no source, so that the compiler's messages quote it.
// stopped by: The compiler runs in the sandbox, where that file is not.
// says: /etc/passwd: No such file or directory
#include "/etc/passwd"
#include "transpose.h"
