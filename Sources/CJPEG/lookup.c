#include "lookup.h"

#include <string.h>

static CJPEGEntry entry_of(unsigned bits, unsigned step, int value) {
  uint32_t field = (uint32_t)value & 127;
  return bits | step << 4 | field << 18 | field << 25;
}

static CJPEGEntry entry_ofBoth(CJPEGEntry first, CJPEGEntry second) {
  uint32_t bits = entry_bits(first) + entry_bits(second);
  return bits | entry_step1(first) << 4 | entry_step1(second) << 11 | ((uint32_t)entry_value1(second) & 127) << 18 |
         (first & 127u << 25);
}

static inline void repeat(CJPEGEntry *entries, unsigned count, CJPEGEntry entry) {
  for (unsigned index = 0; index < count; index++) entries[index] = entry;
}

// The entries of all that begins with one code: 2 to the power of `spare`.
static void fillCode(CJPEGEntry *entries, unsigned codeBits, unsigned spare, unsigned symbol, int isAC) {
  unsigned size = isAC ? symbol & 15 : symbol, run = isAC ? symbol >> 4 : 0;
  if (size == 0) {
    repeat(entries, 1u << spare, entry_of(codeBits, !isAC || run == 15 ? run + 1 : END_OF_BLOCK, 0));
  } else if (size > spare || size > 6) {
    repeat(entries, 1u << spare, codeBits << 4 | symbol << 9);
  } else {
    unsigned each = 1u << (spare - size);
    for (unsigned raw = 0; raw < 1u << size; raw++) {
      repeat(entries + raw * each, each, entry_of(codeBits + size, run + 1, cjpeg_extended(raw, size)));
    }
  }
}

void cjpeg_table_fill(CJPEGTable *table, const JHUFF_TBL *source, int isAC) {
  memset(table->one, 0, sizeof table->one);
  table->hasSkip = 0;
  memcpy(table->symbols, source->huffval, sizeof table->symbols);
  unsigned code = 0, index = 0;
  for (unsigned bits = 1; bits <= LONGEST_CODE; bits++) {
    table->offset[bits] = (int)index - (int)code;
    for (int count = source->bits[bits]; count > 0 && index < 256; count--, index++, code++) {
      if (bits > ONE_BITS) continue;
      unsigned spare = ONE_BITS - bits, place = code << spare & ((1u << ONE_BITS) - 1);
      fillCode(table->one + place, bits, spare, source->huffval[index], isAC);
    }
    table->behind[bits] = code << (LONGEST_CODE - bits);
    code <<= 1;
  }
  if (!isAC) return;
  for (unsigned place = 0; place < 1u << PAIR_BITS; place++) {
    CJPEGEntry first = table->one[place >> (PAIR_BITS - ONE_BITS)];
    table->pair[place] = entry_bits(first) ? first : STUCK << 4;
    if (entry_bits(first) == 0 || entry_step1(first) == END_OF_BLOCK) continue;
    unsigned rest = place << entry_bits(first) & ((1u << PAIR_BITS) - 1);
    CJPEGEntry second = table->one[rest >> (PAIR_BITS - ONE_BITS)];
    if (entry_bits(second) == 0 || entry_bits(first) + entry_bits(second) > PAIR_BITS) continue;
    table->pair[place] = entry_ofBoth(first, second);
  }
}


void cjpeg_table_fill_skip(CJPEGTable *table) {
  if (table->hasSkip++) return;
  for (unsigned place = 0; place < 1u << SKIP_BITS; place++) {
    unsigned bits = 0, places = 0;
    while (places < END_OF_BLOCK) {
      unsigned rest = place << bits & ((1u << SKIP_BITS) - 1);
      CJPEGEntry entry = table->one[rest >> (SKIP_BITS - ONE_BITS)];
      if (entry_bits(entry) == 0 || bits + entry_bits(entry) > SKIP_BITS) break;
      if (entry_step1(entry) < END_OF_BLOCK && places + entry_step1(entry) > LONGEST_RUN) break;
      bits += entry_bits(entry);
      places += entry_step1(entry);
    }
    table->skip[place] = (CJPEGSkip)(bits ? bits | places << 6 : SKIP_STUCK);
  }
}
