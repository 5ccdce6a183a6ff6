#ifndef CResample_h
#define CResample_h
// The inner loops of the resampler: what Swift's vectors do not do well (bytes to real numbers and back), and the
// machine's wide vectors where it has them, chosen as the program starts. Each result is rounded alike on every machine.
#include <stddef.h>
#include <stdint.h>

/// Numbers that each row keeps behind its end, to be read and written without harm.
enum { CRESAMPLE_SLACK = 32 };

/// Real numbers of `count` bytes.
void cresample_widen(const uint8_t *bytes, size_t count, float *row);
/// The sum of `taps` rows by their weights.
void cresample_mix(const float *const *rows, const float *weights, size_t taps, size_t count, float *mixed);
/// Rows that are resampled across at once.
enum { CRESAMPLE_ROWS = 8 };
/// Of CRESAMPLE_ROWS rows, `inputStride` floats apart, each of `outputs` pixels as the sum of `taps` neighbours from its `first` on, by `taps` weights of
/// its own. `turned` has room for all rows, each a multiple of eight floats long.
void cresample_shrink(
    const float *rows, size_t inputStride, size_t inputs, const int32_t *first, const float *weights, size_t taps,
    size_t outputs, size_t bands, float *turned, float *shrunk, size_t outputStride);
/// Bytes of `count` real numbers, rounded and held within 0…255.
void cresample_narrow(const float *row, size_t count, uint8_t *bytes);

/// The same for pictures that come as blocks of coefficients (decision 24). Weights are in 2⁻¹⁵, what is resampled downwards alone in 2⁻⁶. All of it is in whole
/// numbers, so that each machine comes to the same.
enum { CRESAMPLE_WEIGHT_BITS = 15, CRESAMPLE_MIXED_BITS = 6 };
/// Of `count` lines of `columns` pairs `rows` sums, `mixedStride` apart, of both of each by their two weights, which each row has its own.
void cresample_mix_blocks(
    const int16_t *const *lines, const int16_t *weights, size_t rows, size_t count, size_t columns, int16_t *mixed,
    size_t mixedStride);
/// Of CRESAMPLE_ROWS mixed lines, `mixedStride` apart, the bytes of `outputs` samples, a multiple of eight, each the sum of `taps` neighbours from its
/// `first` on, both even. `turned` has room for all lines, each a multiple of 16 long; lines of bytes are `rowBytes` apart.
void cresample_shrink_blocks(
    const int16_t *mixed, size_t mixedStride, size_t columns, const int32_t *first, const int16_t *weights, size_t taps,
    size_t outputs, int16_t *turned, uint8_t *bytes, size_t rowBytes);
#endif
