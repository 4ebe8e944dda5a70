// Two halves or four bytes to a word: the SIMD video instructions of PTX and the intrinsics of CUDA.
#include "ptx.h"
#include "suite.h"

// These take a third operand that replaces the lanes that the mask leaves out.
#define VIDEO(text)                                                  \
  ({                                                                 \
    std::uint32_t d;                                                 \
    asm(text " %0, %1, %2, %3;" : "=r"(d) : "r"(a), "r"(b), "r"(c)); \
    d;                                                               \
  })

ELEMENTWISE(video_add_2, std::uint32_t, std::uint32_t, 4) {
  r[0] = VIDEO("vadd2.s32.s32.s32");
  r[1] = VIDEO("vadd2.s32.u32.u32.sat");
  r[2] = VIDEO("vadd2.u32.s32.u32.sat");
  r[3] = VIDEO("vadd2.s32.s32.s32.add");
}

ELEMENTWISE(video_sub_2, std::uint32_t, std::uint32_t, 4) {
  r[0] = VIDEO("vsub2.s32.s32.s32");
  r[1] = VIDEO("vsub2.u32.u32.u32.sat");
  r[2] = VIDEO("vsub2.s32.u32.u32.sat");
  r[3] = VIDEO("vsub2.s32.s32.s32.add");
}

ELEMENTWISE(video_average_2, std::uint32_t, std::uint32_t, 3) {
  r[0] = VIDEO("vavrg2.s32.s32.s32");
  r[1] = VIDEO("vavrg2.u32.u32.u32");
  r[2] = VIDEO("vabsdiff2.u32.s32.s32");
}

ELEMENTWISE(video_extremes_2, std::uint32_t, std::uint32_t, 4) {
  r[0] = VIDEO("vmin2.s32.s32.s32");
  r[1] = VIDEO("vmin2.u32.u32.u32");
  r[2] = VIDEO("vmax2.s32.s32.s32");
  r[3] = VIDEO("vmax2.u32.u32.u32");
}

ELEMENTWISE(video_compare_2, std::uint32_t, std::uint32_t, 4) {
  r[0] = VIDEO("vset2.s32.s32.lt");
  r[1] = VIDEO("vset2.u32.u32.ge");
  r[2] = VIDEO("vset2.u32.u32.eq.add");
  r[3] = VIDEO("vset2.s32.s32.ne");
}

ELEMENTWISE(video_add_4, std::uint32_t, std::uint32_t, 4) {
  r[0] = VIDEO("vadd4.s32.s32.s32");
  r[1] = VIDEO("vadd4.u32.u32.u32.sat");
  r[2] = VIDEO("vadd4.s32.s32.s32.sat");
  r[3] = VIDEO("vadd4.u32.u32.u32.add");
}

ELEMENTWISE(video_sub_4, std::uint32_t, std::uint32_t, 3) {
  r[0] = VIDEO("vsub4.s32.s32.s32");
  r[1] = VIDEO("vsub4.u32.u32.u32.sat");
  r[2] = VIDEO("vsub4.s32.s32.s32.sat");
}

ELEMENTWISE(video_difference_4, std::uint32_t, std::uint32_t, 4) {
  r[0] = VIDEO("vabsdiff4.u32.u32.u32");
  r[1] = VIDEO("vabsdiff4.u32.u32.u32.add");
  r[2] = VIDEO("vabsdiff4.u32.s32.s32");
  r[3] = VIDEO("vavrg4.u32.u32.u32");
}

ELEMENTWISE(video_extremes_4, std::uint32_t, std::uint32_t, 4) {
  r[0] = VIDEO("vmin4.s32.s32.s32");
  r[1] = VIDEO("vmin4.u32.u32.u32");
  r[2] = VIDEO("vmax4.s32.s32.s32");
  r[3] = VIDEO("vmax4.u32.u32.u32");
}

ELEMENTWISE(video_compare_4, std::uint32_t, std::uint32_t, 3) {
  r[0] = VIDEO("vset4.s32.s32.lt");
  r[1] = VIDEO("vset4.u32.u32.ge");
  r[2] = VIDEO("vset4.u32.u32.eq.add");
}

ELEMENTWISE(simd_sums, std::uint32_t, std::uint32_t, 8) {
  r[0] = __vadd2(a, b);
  r[1] = __vaddss2(a, b);
  r[2] = __vaddus2(a, b);
  r[3] = __vsub2(a, b);
  r[4] = __vadd4(a, b);
  r[5] = __vaddss4(a, b);
  r[6] = __vaddus4(a, b);
  r[7] = __vsub4(a, b);
}

ELEMENTWISE(simd_saturated_differences, std::uint32_t, std::uint32_t, 6) {
  r[0] = __vsubss2(a, b);
  r[1] = __vsubus2(a, b);
  r[2] = __vsubss4(a, b);
  r[3] = __vsubus4(a, b);
  r[4] = __vnegss2(a);
  r[5] = __vabsss4(a);
}

ELEMENTWISE(simd_distances, std::uint32_t, std::uint32_t, 6) {
  r[0] = __vabsdiffs2(a, b);
  r[1] = __vabsdiffu4(a, b);
  r[2] = __vsads2(a, b);
  r[3] = __vsadu4(a, b);
  r[4] = __vavgs2(a, b);
  r[5] = __vavgu4(a, b);
}

ELEMENTWISE(simd_extremes, std::uint32_t, std::uint32_t, 8) {
  r[0] = __vmaxs2(a, b);
  r[1] = __vmaxu2(a, b);
  r[2] = __vmins2(a, b);
  r[3] = __vminu2(a, b);
  r[4] = __vmaxs4(a, b);
  r[5] = __vmaxu4(a, b);
  r[6] = __vmins4(a, b);
  r[7] = __vminu4(a, b);
}

ELEMENTWISE(simd_comparisons, std::uint32_t, std::uint32_t, 8) {
  r[0] = __vcmpeq2(a, b);
  r[1] = __vcmpgts2(a, b);
  r[2] = __vcmpltu2(a, b);
  r[3] = __vsetges2(a, b);
  r[4] = __vcmpne4(a, b);
  r[5] = __vcmples4(a, b);
  r[6] = __vcmpgeu4(a, b);
  r[7] = __vsetltu4(a, b);
}

ELEMENTWISE(simd_halving, std::uint32_t, std::uint32_t, 4) {
  r[0] = __vhaddu2(a, b);
  r[1] = __vhaddu4(a, b);
  r[2] = __vavgs4(a, b);
  r[3] = __vabs2(a);
}

ELEMENTWISE(simd_three_operands, std::uint32_t, std::uint32_t, 6) {
  r[0] =
      static_cast<std::uint32_t>(__vimax3_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  r[1] = __vimin3_u32(a, b, c);
  r[2] = __vimax3_s16x2(a, b, c);
  r[3] = static_cast<std::uint32_t>(
      __viaddmax_s32(static_cast<int>(a), static_cast<int>(b), static_cast<int>(c)));
  r[4] = __viaddmin_u16x2(a, b, c);
  r[5] = __vimax_s16x2_relu(a, b);
}
