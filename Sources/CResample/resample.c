#include "CResample.h"
#include "wide.h"

// A product and a sum must be rounded one by one: fused, they would give other bytes on machines that can.
#pragma STDC FP_CONTRACT OFF

typedef float Eight __attribute__((vector_size(32), aligned(4)));

WIDE void cresample_widen(const uint8_t *restrict bytes, size_t count, float *restrict row) {
  for (size_t index = 0; index < count; index++) row[index] = (float)bytes[index];
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

// Turned so that eight rows lie beside each other, a weight is for all of them, and no sums are left to be drawn together.
WIDE void cresample_shrink(
    const float *restrict rows, size_t inputStride, size_t inputs, const int32_t *restrict first,
    const float *restrict weights, size_t taps, size_t outputs, size_t bands, float *restrict turned,
    float *restrict shrunk, size_t outputStride) {
  Eight *columns = (Eight *)turned;
  for (size_t column = 0; column < inputs * bands; column += 8) {
    Eight block[8];
    for (size_t row = 0; row < 8; row++) block[row] = *(const Eight *)(rows + row * inputStride + column);
    transpose((const Turned *)block, (Turned *)(columns + column));
  }
  Eight sums[8];
  size_t samples = outputs * bands, filled = 0;
  for (size_t output = 0; output < outputs; output++) {
    const Eight *source = columns + (size_t)first[output] * bands;
    const float *weight = weights + output * taps;
    for (size_t band = 0; band < bands; band++) {
      Eight sum = {0};
      for (size_t tap = 0; tap < taps; tap++) sum += weight[tap] * source[tap * bands + band];
      sums[filled++ & 7] = sum;
      if ((filled & 7) != 0 && filled != samples) continue;
      Eight block[8];
      transpose((const Turned *)sums, (Turned *)block);
      for (size_t row = 0; row < 8; row++) *(Eight *)(shrunk + row * outputStride + ((filled - 1) & ~(size_t)7)) = block[row];
    }
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
