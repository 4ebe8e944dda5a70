// A file that becomes part of the program when it is assembled, such as the PTX of the judge's kernels.
#pragma once

/// Declares `symbol` as the contents of the file at `path`, ended by a zero byte. Outside of any namespace.
#define LOCKSTEP_EMBED_TEXT(symbol, path)                                               \
  __asm__(".section .rodata\n" #symbol ": .incbin \"" path "\"\n.byte 0\n.previous\n"); \
  extern "C" const char symbol[]
