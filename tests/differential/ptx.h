// One PTX instruction as an expression: I32("add.sat.s32", a, b) has its 32-bit result. The letter says what
// the result is; operands keep their own types.
#pragma once

#include <cstdint>

/// Constraint letters of inline PTX: h 16 bits, r 32 bits, l 64 bits, f float, d double.
#define LOCKSTEP_PTX1(Result, r, x, text, a)                  \
  ({                                                          \
    Result ptx_result;                                        \
    asm volatile(text " %0, %1;" : "=" r(ptx_result) : x(a)); \
    ptx_result;                                               \
  })
#define LOCKSTEP_PTX2(Result, r, x, y, text, a, b)                      \
  ({                                                                    \
    Result ptx_result;                                                  \
    asm volatile(text " %0, %1, %2;" : "=" r(ptx_result) : x(a), y(b)); \
    ptx_result;                                                         \
  })
#define LOCKSTEP_PTX3(Result, r, x, y, z, text, a, b, c)                          \
  ({                                                                              \
    Result ptx_result;                                                            \
    asm volatile(text " %0, %1, %2, %3;" : "=" r(ptx_result) : x(a), y(b), z(c)); \
    ptx_result;                                                                   \
  })

// Result and operands of one kind: number of operands, then text and operands.
#define H16_1(text, a) LOCKSTEP_PTX1(std::uint16_t, "h", "h", text, static_cast<std::uint16_t>(a))
#define H16_2(text, a, b)                                                          \
  LOCKSTEP_PTX2(std::uint16_t, "h", "h", "h", text, static_cast<std::uint16_t>(a), \
                static_cast<std::uint16_t>(b))
#define H16_3(text, a, b, c)                                                            \
  LOCKSTEP_PTX3(std::uint16_t, "h", "h", "h", "h", text, static_cast<std::uint16_t>(a), \
                static_cast<std::uint16_t>(b), static_cast<std::uint16_t>(c))
#define I32_1(text, a) LOCKSTEP_PTX1(std::uint32_t, "r", "r", text, a)
#define I32_2(text, a, b) LOCKSTEP_PTX2(std::uint32_t, "r", "r", "r", text, a, b)
#define I32_3(text, a, b, c) LOCKSTEP_PTX3(std::uint32_t, "r", "r", "r", "r", text, a, b, c)
#define I64_1(text, a) LOCKSTEP_PTX1(std::uint64_t, "l", "l", text, a)
#define I64_2(text, a, b) LOCKSTEP_PTX2(std::uint64_t, "l", "l", "l", text, a, b)
#define I64_3(text, a, b, c) LOCKSTEP_PTX3(std::uint64_t, "l", "l", "l", "l", text, a, b, c)
#define F32_1(text, a) LOCKSTEP_PTX1(float, "f", "f", text, a)
#define F32_2(text, a, b) LOCKSTEP_PTX2(float, "f", "f", "f", text, a, b)
#define F32_3(text, a, b, c) LOCKSTEP_PTX3(float, "f", "f", "f", "f", text, a, b, c)
#define F64_1(text, a) LOCKSTEP_PTX1(double, "d", "d", text, a)
#define F64_2(text, a, b) LOCKSTEP_PTX2(double, "d", "d", "d", text, a, b)
#define F64_3(text, a, b, c) LOCKSTEP_PTX3(double, "d", "d", "d", "d", text, a, b, c)
// Operands of other kinds than the result.
#define I64_OF_I32(text, a, b) LOCKSTEP_PTX2(std::uint64_t, "l", "r", "r", text, a, b)
#define I64_OF_I32_I64(text, a, b, c) LOCKSTEP_PTX3(std::uint64_t, "l", "r", "r", "l", text, a, b, c)
#define I32_OF_I16(text, a, b) LOCKSTEP_PTX2(std::uint32_t, "r", "h", "h", text, a, b)
#define I32_OF_I64(text, a) LOCKSTEP_PTX1(std::uint32_t, "r", "l", text, a)
#define CONVERT(Result, r, x, text, a) LOCKSTEP_PTX1(Result, r, x, text, a)
