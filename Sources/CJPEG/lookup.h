#ifndef CJPEG_lookup_h
#define CJPEG_lookup_h
// Huffman tables made for looking up bits rather than codes: for huffman.c.
#include <stdint.h>
#include <stdio.h>

#include <jpeglib.h>

enum {
  ONE_BITS = 11,
  PAIR_BITS = 11,
  SKIP_BITS = 12,
  LONGEST_CODE = 16,
  LONGEST_RUN = 16,
  // What a look that finds nothing adds to the place: more than two runs can lead to from before LAST_FEW.
  STUCK = DCTSIZE2 + LONGEST_RUN,
  // More than any place that is stuck: the block has ended.
  END_OF_BLOCK = 127,
};

// A look's findings. With bits: | first value 7 | second value 7 | second step 7 | first step 7 | bits 4 |, a step being how many places on the
// value lies. A single code has a second step of 0 and its value twice, so that the second store repeats the first. Without bits: in `one`, for a value too
// long to be here, | symbol 8 | bits of the code 5 | 0 4 |, and 0 for a code too long to be here; in `pair`, for both, one step of STUCK.
typedef uint32_t CJPEGEntry;

// Of what is passed over: | places 8 | bits 6 |, over as many codes as there are whole in SKIP_BITS bits and take no more than LONGEST_RUN places, an
// end of block being the last. Without bits, STUCK places: a code or a value too long to be here.
typedef uint16_t CJPEGSkip;
enum { SKIP_STUCK = STUCK << 6 };

static inline unsigned skip_places(CJPEGSkip skip) { return skip >> 6; }

static inline unsigned entry_bits(CJPEGEntry entry) { return entry & 15; }
static inline unsigned entry_step1(CJPEGEntry entry) { return entry >> 4 & 127; }
static inline unsigned entry_step2(CJPEGEntry entry) { return entry >> 11 & 127; }
static inline int entry_value1(CJPEGEntry entry) { return (int32_t)entry >> 25; }
static inline int entry_value2(CJPEGEntry entry) { return (int32_t)(entry << 7) >> 25; }
static inline unsigned entry_codeBits(CJPEGEntry entry) { return entry >> 4 & 31; }
static inline unsigned entry_symbol(CJPEGEntry entry) { return entry >> 9 & 255; }

typedef struct {
  CJPEGEntry one[1 << ONE_BITS];
  CJPEGEntry pair[1 << PAIR_BITS];
  CJPEGSkip skip[1 << SKIP_BITS];
  int hasSkip;
  // For codes longer than ONE_BITS: the first code behind those of a length, aligned to 16 bits, and where their symbols are.
  uint32_t behind[LONGEST_CODE + 1];
  int offset[LONGEST_CODE + 1];
  uint8_t symbols[256];
} CJPEGTable;

// F.2.2.1, EXTEND: of `size` bits those below half are the negative values.
static inline int cjpeg_extended(unsigned raw, unsigned size) {
  return (int)raw - (raw < 1u << (size - 1) ? (int)(1u << size) - 1 : 0);
}

/// Of a table that jpeg_start_decompress has found to be a Huffman code.
void cjpeg_table_fill(CJPEGTable *table, const JHUFF_TBL *source, int isAC);
/// The part for what is passed over, of an AC table that was filled.
void cjpeg_table_fill_skip(CJPEGTable *table);
#endif
