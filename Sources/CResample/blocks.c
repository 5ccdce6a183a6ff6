#include "CResample.h"
#include "wide.h"

typedef int16_t Sixteen __attribute__((vector_size(32), aligned(2)));
typedef int32_t Eight __attribute__((vector_size(32), aligned(4)));
typedef int32_t SixteenLong __attribute__((vector_size(64)));
// Sums are made modulo 2³²: those of sound pictures fit, and the others may be anything.
typedef uint32_t EightSums __attribute__((vector_size(32), aligned(4)));

enum {
  MIXED_SHIFT = CRESAMPLE_WEIGHT_BITS - CRESAMPLE_MIXED_BITS,
  BYTE_SHIFT = CRESAMPLE_WEIGHT_BITS + CRESAMPLE_MIXED_BITS,
  MIDDLE = 128,
  MIXED_AT_ONCE = 2,
};

// Adds the products of neighbours, two at a time: one instruction of the machine's, for weights that are never -32768.
static inline __attribute__((always_inline)) void add(EightSums *sums, const int16_t *pairs, const Sixteen *weights) {
  SixteenLong all = __builtin_convertvector(*(const Sixteen *)pairs, SixteenLong) * __builtin_convertvector(*weights, SixteenLong);
  *sums += (EightSums)(__builtin_shufflevector(all, all, 0, 2, 4, 6, 8, 10, 12, 14) +
                       __builtin_shufflevector(all, all, 1, 3, 5, 7, 9, 11, 13, 15));
}

// Two weights, side by side all along.
static inline __attribute__((always_inline)) void spread(Sixteen *both, const int16_t *weights) {
  int16_t upper = weights[0], lower = weights[1];
  *both = (Sixteen){upper, lower, upper, lower, upper, lower, upper, lower,
                    upper, lower, upper, lower, upper, lower, upper, lower};
}

static inline int32_t within(int32_t value, int32_t low, int32_t high) {
  return value < low ? low : value > high ? high : value;
}

// Sixteen columns of `rows` mixed lines, which share what is loaded.
static inline __attribute__((always_inline)) void mixSixteen(
    const int16_t *const *lines, const int16_t *weights, size_t rows, size_t count, size_t column, int16_t *mixed,
    size_t mixedStride) {
  EightSums sums[2 * MIXED_AT_ONCE] = {{0}};
  for (size_t line = 0; line < count; line++) {
    const int16_t *pairs = lines[line] + 2 * column;
    for (size_t row = 0; row < rows; row++) {
      Sixteen both;
      spread(&both, weights + 2 * (row * count + line));
      add(&sums[2 * row], pairs, &both);
      add(&sums[2 * row + 1], pairs + 16, &both);
    }
  }
  for (size_t row = 0; row < rows; row++) {
    Eight values[2] = {(Eight)(sums[2 * row] + (1u << (MIXED_SHIFT - 1))) >> MIXED_SHIFT,
                       (Eight)(sums[2 * row + 1] + (1u << (MIXED_SHIFT - 1))) >> MIXED_SHIFT};
    const int32_t *all = (const int32_t *)values;
    int16_t *target = mixed + row * mixedStride + column;
    for (size_t index = 0; index < 16; index++) target[index] = (int16_t)within(all[index], INT16_MIN, INT16_MAX);
  }
}

WIDE void cresample_mix_blocks(
    const int16_t *const *lines, const int16_t *weights, size_t rows, size_t count, size_t columns,
    int16_t *restrict mixed, size_t mixedStride) {
  for (; rows >= MIXED_AT_ONCE; rows -= MIXED_AT_ONCE) {
    for (size_t column = 0; column < columns; column += 16) {
      mixSixteen(lines, weights, MIXED_AT_ONCE, count, column, mixed, mixedStride);
    }
    weights += 2 * MIXED_AT_ONCE * count;
    mixed += MIXED_AT_ONCE * mixedStride;
  }
  for (; rows > 0; rows--) {
    for (size_t column = 0; column < columns; column += 16) {
      mixSixteen(lines, weights, 1, count, column, mixed, mixedStride);
    }
    weights += 2 * count;
    mixed += mixedStride;
  }
}

// Turned so that eight rows' pairs lie beside each other: a weight is for all of them, and no sums are left to be drawn together.
WIDE void cresample_shrink_blocks(
    const int16_t *restrict mixed, size_t mixedStride, size_t columns, const int32_t *restrict first,
    const int16_t *restrict weights, size_t taps, size_t outputs, int16_t *restrict turned, uint8_t *restrict bytes,
    size_t rowBytes) {
  for (size_t column = 0; column < columns; column += 16) {
    Eight rows[8];
    for (size_t row = 0; row < 8; row++) rows[row] = (Eight)*(const Turned *)(mixed + row * mixedStride + column);
    transpose((const Turned *)rows, (Turned *)(turned + 8 * column));
  }
  for (size_t output = 0; output < outputs; output += 8) {
    Eight values[8], rows[8];
    for (size_t index = 0; index < 8; index++) {
      const int16_t *source = turned + 8 * (size_t)first[output + index], *weight = weights + (output + index) * taps;
      EightSums sums = {0};
#pragma clang loop unroll_count(4)
      for (size_t tap = 0; tap < taps; tap += 2) {
        Sixteen both;
        spread(&both, weight + tap);
        add(&sums, source + 8 * tap, &both);
      }
      values[index] = (Eight)(sums + (1u << (BYTE_SHIFT - 1)) + ((uint32_t)MIDDLE << BYTE_SHIFT)) >> BYTE_SHIFT;
    }
    transpose((const Turned *)values, (Turned *)rows);
    for (size_t row = 0; row < 8; row++) {
      const int32_t *all = (const int32_t *)&rows[row];
      uint8_t *target = bytes + row * rowBytes + output;
      for (size_t index = 0; index < 8; index++) target[index] = (uint8_t)within(all[index], 0, UINT8_MAX);
    }
  }
}
