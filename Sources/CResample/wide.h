#ifndef CResample_wide_h
#define CResample_wide_h
// What the loops have in common.
#include <stdint.h>

// Compiled for the machine's wide vectors as well, which are taken where it has them.
#if defined(__x86_64__) && defined(__linux__)
#define WIDE __attribute__((target_clones("avx2", "default")))
#else
#define WIDE
#endif

// Eight numbers of 32 bits of any kind.
typedef int32_t Turned __attribute__((vector_size(32), aligned(4), may_alias));

// Eight rows of eight columns, and back.
static inline __attribute__((always_inline)) void transpose(const Turned in[8], Turned out[8]) {
  Turned pairs[8], fours[8];
  for (int row = 0; row < 8; row += 2) {
    pairs[row] = __builtin_shufflevector(in[row], in[row + 1], 0, 8, 1, 9, 4, 12, 5, 13);
    pairs[row + 1] = __builtin_shufflevector(in[row], in[row + 1], 2, 10, 3, 11, 6, 14, 7, 15);
  }
  for (int half = 0; half < 8; half += 4) {
    for (int part = 0; part < 2; part++) {
      Turned upper = pairs[half + part], lower = pairs[half + part + 2];
      fours[half + 2 * part] = __builtin_shufflevector(upper, lower, 0, 1, 8, 9, 4, 5, 12, 13);
      fours[half + 2 * part + 1] = __builtin_shufflevector(upper, lower, 2, 3, 10, 11, 6, 7, 14, 15);
    }
  }
  for (int column = 0; column < 4; column++) {
    out[column] = __builtin_shufflevector(fours[column], fours[column + 4], 0, 1, 2, 3, 8, 9, 10, 11);
    out[column + 4] = __builtin_shufflevector(fours[column], fours[column + 4], 4, 5, 6, 7, 12, 13, 14, 15);
  }
}
#endif
