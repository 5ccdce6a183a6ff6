#ifndef CJPEG_bits_h
#define CJPEG_bits_h
// Reading a block's coefficients (ITU-T T.81, F.2.2), for huffman.c and lanes.c.
//
// Nothing here depends on the data being sound. A table is as large as what indexes it; a place is less than CJPEG_PLACES, each of which an order maps into the
// block; whoever reads a block has UNREAD_BYTES behind the next byte.
#include <string.h>

#include "lookup.h"

#define INLINE inline __attribute__((always_inline))

enum {
  // The first place from which on two codes could reach behind the block.
  LAST_FEW = DCTSIZE2 - 1 - LONGEST_RUN,
  CJPEG_PLACES = 256,
  // Of a code that is none: the block ends where no block ends.
  NO_CODE = DCTSIZE2,
  // Of 64 coefficients, each with a code of 16 bits and a value of 15, and what a refill reads ahead.
  BLOCK_BYTES = DCTSIZE2 * (LONGEST_CODE + 15) / 8,
  AHEAD_BYTES = 8,
};

_Static_assert(56 - ONE_BITS >= 4 * PAIR_BITS, "a DC value leaves bits for four looks");
_Static_assert(56 >= 4 * SKIP_BITS, "a refill is for four looks");
_Static_assert(LAST_FEW - 1 + 2 * LONGEST_RUN < STUCK, "two runs do not lead to where a block is stuck");
_Static_assert(LAST_FEW - 1 + STUCK < END_OF_BLOCK, "nor is a block that is stuck at its end");

typedef struct {
  uint64_t bits;   // the next ones on top
  unsigned count;  // how many of them there are, in the lowest six bits; the others may be anything
  const uint8_t *next;
} CJPEGBits;

/// How the blocks of a component are read.
typedef struct {
  const CJPEGTable *dc, *ac;
  const uint8_t *order;  // where in a block each place's value goes
  unsigned wanted;       // the last place whose value counts
  unsigned *last;        // DC value
} CJPEGKind;

// By the lowest six bits of `count`.
static INLINE void bits_drop(CJPEGBits *bits, unsigned count) {
  bits->bits <<= count & 63;
  bits->count -= count;
}

// To 56 bits and more.
static INLINE void bits_refill(CJPEGBits *bits) {
  uint64_t ahead;
  memcpy(&ahead, bits->next, sizeof ahead);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  ahead = __builtin_bswap64(ahead);
#endif
  unsigned count = bits->count & 63;
  bits->bits |= ahead >> count;
  bits->next += (63 - count) >> 3;
  bits->count = count | 56;
}

// What a table's entry has no room for: of a symbol's code, which may be long, the rest is taken from the bits. -1: no code.
static INLINE int bits_symbol(CJPEGBits *bits, const CJPEGTable *table, CJPEGEntry entry) {
  if (entry) {
    bits_drop(bits, entry_codeBits(entry));
    return (int)entry_symbol(entry);
  }
  unsigned code = (unsigned)(bits->bits >> (64 - LONGEST_CODE)), length = ONE_BITS + 1;
  while (length <= LONGEST_CODE && code >= table->behind[length]) length++;
  if (length > LONGEST_CODE) return -1;
  int index = table->offset[length] + (int)(code >> (LONGEST_CODE - length));
  bits_drop(bits, length);
  return table->symbols[index & 255];
}

static INLINE int bits_value(CJPEGBits *bits, unsigned size) {
  if (size == 0) return 0;
  int value = cjpeg_extended((unsigned)(bits->bits >> (64 - size)), size);
  bits_drop(bits, size);
  return value;
}

typedef struct {
  CJPEGBits bits;
  unsigned place;
} CJPEGPosition;

static __attribute__((noinline, unused)) void position_takeLong(CJPEGPosition *at, const CJPEGKind *kind, JCOEF *block) {
  bits_refill(&at->bits);
  int symbol = bits_symbol(&at->bits, kind->ac, kind->ac->one[at->bits.bits >> (64 - ONE_BITS)]);
  if (symbol < 0) {
    at->place = NO_CODE;
    return;
  }
  unsigned size = (unsigned)symbol & 15, run = (unsigned)symbol >> 4;
  if (size == 0) {
    at->place += run == 15 ? LONGEST_RUN : END_OF_BLOCK;
  } else {
    at->place += run + 1;
    block[kind->order[at->place]] = (JCOEF)bits_value(&at->bits, size);
  }
}

// One coefficient the long way, with copies: what a function is given the address of cannot be in the machine's registers.
static INLINE void takeLong(CJPEGBits *bits, const CJPEGKind *kind, JCOEF *block, unsigned *place) {
  CJPEGPosition at = {.bits.bits = bits->bits, .bits.count = bits->count, .bits.next = bits->next, .place = *place};
  position_takeLong(&at, kind, block);
  bits->bits = at.bits.bits;
  bits->count = at.bits.count;
  bits->next = at.bits.next;
  *place = at.place;
}

// Leaves 45 bits and more; 0: no code.
static INLINE int takeDC(CJPEGBits *bits, const CJPEGKind *kind, int *difference) {
  bits_refill(bits);
  CJPEGEntry entry = kind->dc->one[bits->bits >> (64 - ONE_BITS)];
  if (entry_bits(entry)) {
    bits_drop(bits, entry_bits(entry));
    *difference = entry_value1(entry);
    return 1;
  }
  *difference = 0;
  int size = bits_symbol(bits, kind->dc, entry);
  if (size < 0 || size > 15) return 0;
  *difference = bits_value(bits, (unsigned)size);
  bits_refill(bits);
  return 1;
}

// The values up to `limit`, two at a look; what a look finds behind it is harmless.
static INLINE void takePairs(CJPEGBits *bits, const CJPEGKind *kind, unsigned limit, JCOEF *block, unsigned *place) {
  while (1) {
    // Four looks use up at most 44 bits.
    for (int look = 0; look < 4 && *place < limit; look++) {
      CJPEGEntry entry = kind->ac->pair[bits->bits >> (64 - PAIR_BITS)];
      if (__builtin_expect(entry_bits(entry) == 0, 0)) {
        takeLong(bits, kind, block, place);
        break;
      }
      bits_drop(bits, entry_bits(entry));
      *place += entry_step1(entry);
      block[kind->order[*place]] = (JCOEF)entry_value1(entry);
      *place += entry_step2(entry);
      block[kind->order[*place]] = (JCOEF)entry_value2(entry);
    }
    if (*place >= limit) return;
    bits_refill(bits);
  }
}

// Past what nobody asks for, as many codes at a look as there are in its bits.
static INLINE void skipMany(CJPEGBits *bits, const CJPEGKind *kind, JCOEF *block, unsigned *place) {
  while (*place < LAST_FEW) {
    bits_refill(bits);
    for (int look = 0; look < 4 && *place < LAST_FEW; look++) {
      CJPEGSkip skip = kind->ac->skip[bits->bits >> (64 - SKIP_BITS)];
      if (__builtin_expect(skip == SKIP_STUCK, 0)) {
        takeLong(bits, kind, block, place);
        break;
      }
      bits_drop(bits, skip);
      *place += skip_places(skip);
    }
  }
}

// One at a time, as the next code may be the next block's.
static INLINE void takeLast(CJPEGBits *bits, const CJPEGKind *kind, JCOEF *block, unsigned *place) {
  while (*place < DCTSIZE2 - 1) {
    bits_refill(bits);
    CJPEGEntry entry = kind->ac->one[bits->bits >> (64 - ONE_BITS)];
    if (entry_bits(entry) == 0) {
      takeLong(bits, kind, block, place);
      continue;
    }
    bits_drop(bits, entry_bits(entry));
    *place += entry_step1(entry);
    block[kind->order[*place]] = (JCOEF)entry_value1(entry);
  }
}

// Behind the last code; not so where one was none, or one reached behind the block.
static INLINE int isEnd(unsigned place) { return place == DCTSIZE2 - 1 || place >= END_OF_BLOCK; }

// One block, of which what is wanted was 0, and its DC value's difference; 0: no block.
static INLINE int takeBlock(CJPEGBits *bits, const CJPEGKind *kind, JCOEF *block, int *difference) {
  if (!takeDC(bits, kind, difference)) return 0;
  unsigned place = 0;
  if (kind->wanted < LAST_FEW) {
    takePairs(bits, kind, kind->wanted, block, &place);
    skipMany(bits, kind, block, &place);
  } else {
    takePairs(bits, kind, LAST_FEW, block, &place);
  }
  takeLast(bits, kind, block, &place);
  return isEnd(place);
}
#endif
