// expect: compile-error
// tries: Keeps the judge busy with a message of 100 000 letters that looks like a temporary file.
// stopped by: Diagnostics are read one character a step, and their lines are cut.
// says: Fix transpose.cu:21; errors after it often follow from it
#include "transpose.h"

#define LETTERS_10 "aaaaaaaaaa"
#define LETTERS_100                                                                                  \
  LETTERS_10 LETTERS_10 LETTERS_10 LETTERS_10 LETTERS_10 LETTERS_10 LETTERS_10 LETTERS_10 LETTERS_10 \
      LETTERS_10
#define LETTERS_1000                                                                              \
  LETTERS_100 LETTERS_100 LETTERS_100 LETTERS_100 LETTERS_100 LETTERS_100 LETTERS_100 LETTERS_100 \
      LETTERS_100 LETTERS_100
#define LETTERS_10000                                                                                     \
  LETTERS_1000 LETTERS_1000 LETTERS_1000 LETTERS_1000 LETTERS_1000 LETTERS_1000 LETTERS_1000 LETTERS_1000 \
      LETTERS_1000 LETTERS_1000
#define LETTERS_100000                                                                              \
  LETTERS_10000 LETTERS_10000 LETTERS_10000 LETTERS_10000 LETTERS_10000 LETTERS_10000 LETTERS_10000 \
      LETTERS_10000 LETTERS_10000 LETTERS_10000

static_assert(false, "tmpxft_" LETTERS_100000);
