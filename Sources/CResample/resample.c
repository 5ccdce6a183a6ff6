#include "CResample.h"

// A product and a sum must be rounded one by one: fused, they would give other bytes on machines that can.
#pragma STDC FP_CONTRACT OFF

#if defined(__x86_64__) && defined(__linux__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

typedef float Four __attribute__((vector_size(16), aligned(4)));
typedef float Eight __attribute__((vector_size(32), aligned(4)));

WIDE void cresample_widen(const uint8_t *restrict bytes, size_t count, float *restrict row) {
  for (size_t index = 0; index < count; index++) row[index] = (float)bytes[index];
}

WIDE void cresample_halve(
    const uint8_t *restrict upper, const uint8_t *restrict lower, size_t count, uint8_t *restrict halves) {
  for (size_t index = 0; index < count; index++) {
    unsigned sum = upper[2 * index] + upper[2 * index + 1] + lower[2 * index] + lower[2 * index + 1];
    halves[index] = (uint8_t)((sum + 2) / 4);
  }
}

WIDE void cresample_mix(
    const float *const *rows, const float *weights, size_t taps, size_t count, float *restrict mixed) {
  for (size_t index = 0; index < count; index += 32) {
    Eight sums[4] = {{0}};
    for (size_t tap = 0; tap < taps; tap++) {
      const float *row = rows[tap] + index;
      for (size_t part = 0; part < 4; part++) sums[part] += weights[tap] * *(const Eight *)(row + 8 * part);
    }
    for (size_t part = 0; part < 4; part++) *(Eight *)(mixed + index + 8 * part) = sums[part];
  }
}

// Four samples of two neighbours at a time, whatever the bands: what lies behind a pixel's own is overwritten by the next
// one's.
WIDE void cresample_shrink(
    const float *restrict row, const int32_t *restrict first, const float *restrict weights, size_t taps,
    size_t outputs, size_t bands, float *restrict pixels) {
  for (size_t output = 0; output < outputs; output++) {
    const float *source = row + (size_t)first[output] * bands;
    const float *weight = weights + output * taps * 4;
    Eight sums = {0};
    Four rest = {0};
    size_t tap = 0;
    for (; tap + 1 < taps; tap += 2) {
      Eight pair = __builtin_shufflevector(
          *(const Four *)source, *(const Four *)(source + bands), 0, 1, 2, 3, 4, 5, 6, 7);
      sums += *(const Eight *)(weight + tap * 4) * pair;
      source += 2 * bands;
    }
    if (tap < taps) rest = *(const Four *)(weight + tap * 4) * *(const Four *)source;
    *(Four *)(pixels + output * bands) = rest + __builtin_shufflevector(sums, sums, 0, 1, 2, 3) +
                                         __builtin_shufflevector(sums, sums, 4, 5, 6, 7);
  }
}

// Sums of neighbours, of `a` in the lower and of `b` in the upper pairs of each half.
#define PAIRS(a, b)                                           \
  (__builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) + \
   __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15))

WIDE void cresample_shrink_plane(
    const float *restrict row, const int32_t *restrict first, const float *restrict weights, size_t taps,
    size_t outputs, float *restrict pixels) {
  for (size_t output = 0; output < outputs; output += 4) {
    Eight sums[4] = {{0}};
    for (size_t part = 0; part < 4; part++) {
      // What lies behind the last output is made of its sources once more.
      size_t place = output + part < outputs ? output + part : outputs - 1;
      const float *source = row + first[place];
      const float *weight = weights + place * taps;
      for (size_t tap = 0; tap < taps; tap += 8) {
        sums[part] += *(const Eight *)(weight + tap) * *(const Eight *)(source + tap);
      }
    }
    Eight halves = PAIRS(PAIRS(sums[0], sums[1]), PAIRS(sums[2], sums[3]));
    *(Four *)(pixels + output) =
        __builtin_shufflevector(halves, halves, 0, 1, 2, 3) + __builtin_shufflevector(halves, halves, 4, 5, 6, 7);
  }
}

WIDE void cresample_narrow(const float *restrict row, size_t count, uint8_t *restrict bytes) {
  for (size_t index = 0; index < count; index++) {
    float value = row[index] + 0.5f;
    value = value < 0 ? 0 : value;
    value = value > 255 ? 255 : value;
    bytes[index] = (uint8_t)(int32_t)value;
  }
}
