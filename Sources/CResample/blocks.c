#include "CResample.h"

#if defined(__x86_64__) && defined(__linux__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

typedef int16_t Sixteen __attribute__((vector_size(32), aligned(2)));
typedef int16_t EightShort __attribute__((vector_size(16), aligned(2)));
typedef int32_t Eight __attribute__((vector_size(32), aligned(4)));
typedef int32_t SixteenLong __attribute__((vector_size(64)));
typedef int32_t EightLong __attribute__((vector_size(32)));
typedef int32_t Four __attribute__((vector_size(16), aligned(4)));
// Sums are made modulo 2³²: those of sound pictures fit, and the others may be anything.
typedef uint32_t EightSums __attribute__((vector_size(32), aligned(4)));
typedef uint32_t FourSums __attribute__((vector_size(16), aligned(4)));

enum {
  MIXED_SHIFT = CRESAMPLE_WEIGHT_BITS - CRESAMPLE_MIXED_BITS,
  BYTE_SHIFT = CRESAMPLE_WEIGHT_BITS + CRESAMPLE_MIXED_BITS,
  MIDDLE = 128,
};

// Adds the products of neighbours, two at a time: one instruction of the machine's, for weights that are never -32768.
static inline __attribute__((always_inline)) void add(EightSums *sums, const int16_t *pairs, const Sixteen *weights) {
  SixteenLong all = __builtin_convertvector(*(const Sixteen *)pairs, SixteenLong) * __builtin_convertvector(*weights, SixteenLong);
  *sums += (EightSums)(__builtin_shufflevector(all, all, 0, 2, 4, 6, 8, 10, 12, 14) +
                       __builtin_shufflevector(all, all, 1, 3, 5, 7, 9, 11, 13, 15));
}

static inline __attribute__((always_inline)) void addFew(FourSums *sums, const int16_t *pairs, const int16_t *weights) {
  EightLong all = __builtin_convertvector(*(const EightShort *)pairs, EightLong) *
                  __builtin_convertvector(*(const EightShort *)weights, EightLong);
  *sums += (FourSums)(__builtin_shufflevector(all, all, 0, 2, 4, 6) + __builtin_shufflevector(all, all, 1, 3, 5, 7));
}

static inline int32_t within(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

WIDE void cresample_mix_blocks(
    const int16_t *const *lines, const int16_t *weights, size_t count, size_t columns, int16_t *restrict mixed) {
  for (size_t column = 0; column < columns; column += 16) {
    EightSums left = {0}, right = {0};
    for (size_t line = 0; line < count; line++) {
      const int16_t *pairs = lines[line] + 2 * column;
      int16_t upper = weights[2 * line], lower = weights[2 * line + 1];
      Sixteen both = {upper, lower, upper, lower, upper, lower, upper, lower,
                      upper, lower, upper, lower, upper, lower, upper, lower};
      add(&left, pairs, &both);
      add(&right, pairs + 16, &both);
    }
    Eight sums[2] = {(Eight)(left + (1u << (MIXED_SHIFT - 1))) >> MIXED_SHIFT,
                     (Eight)(right + (1u << (MIXED_SHIFT - 1))) >> MIXED_SHIFT};
    const int32_t *all = (const int32_t *)sums;
    for (size_t index = 0; index < 16; index++) mixed[column + index] = (int16_t)within(all[index], INT16_MIN, INT16_MAX);
  }
}

static inline __attribute__((always_inline)) FourSums drawnTogether(FourSums a, FourSums b) {
  return (FourSums)(__builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7));
}

WIDE void cresample_shrink_blocks(
    const int16_t *restrict mixed, const int32_t *restrict first, const int16_t *restrict weights, size_t taps,
    size_t outputs, uint8_t *restrict bytes) {
  for (size_t output = 0; output < outputs; output += 4) {
    FourSums sums[4] = {{0}};
    for (size_t tap = 0; tap < taps; tap += CRESAMPLE_BLOCK_TAPS) {
      for (size_t index = 0; index < 4; index++) {
        addFew(&sums[index], mixed + first[output + index] + tap, weights + (output + index) * taps + tap);
      }
    }
    FourSums whole = drawnTogether(drawnTogether(sums[0], sums[1]), drawnTogether(sums[2], sums[3]));
    Four values = (Four)(whole + (1u << (BYTE_SHIFT - 1)) + ((uint32_t)MIDDLE << BYTE_SHIFT)) >> BYTE_SHIFT;
    for (size_t index = 0; index < 4; index++) bytes[output + index] = (uint8_t)within(values[index], 0, UINT8_MAX);
  }
}
