// ITU-T T.81, annex F: Huffman decoding of the sequential modes.
//
// libjpeg-turbo calls its entropy decoder for the coefficients of one MCU (minimum coded unit: the blocks that lie over each other in all components)
// and does everything else itself: headers, tables, inverse DCT. Here a look at PAIR_BITS bits finds up to two codes with their values, where
// the library finds one code and then its value.
//
// Nothing here depends on the data being sound. A table is as large as what indexes it; a coefficient's place is at most PLACES - 1, all of
// which map into the block; bytes are read from `chunk`, which ends in as many zeros as one MCU can use up.
#include "huffman.h"

#include "faults.h"
#include "lookup.h"

#include <jpegint.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

// The interface is the library's own: a program goes with the version that it was built with. (Debian 12 has 2.1.5.)
_Static_assert(LIBJPEG_TURBO_VERSION_NUMBER / 1000 == 2001, "jpegint.h has to be looked at again");

#ifndef CJPEG_CHUNK_BYTES
#define CJPEG_CHUNK_BYTES (1 << 14)  // less for a test: some more than one MCU
#endif

enum {
  // 10 blocks of 64 coefficients, each with a code of 16 bits and a value of 15, and what a refill reads ahead.
  MCU_BYTES = D_MAX_BLOCKS_IN_MCU * DCTSIZE2 * (LONGEST_CODE + 15) / 8 + 8,
  CHUNK_BYTES = CJPEG_CHUNK_BYTES,
  // The first place from which on two codes could reach behind the block.
  LAST_FEW = DCTSIZE2 - 1 - LONGEST_RUN,
  PLACES = 256,
};

typedef struct {
  const CJPEGTable *dc, *ac;
  unsigned *last;  // DC value, of the block's component
  unsigned wanted; // the last place whose value counts
} Block;

typedef struct {
  uint64_t bits;   // the next ones on top
  unsigned count;  // how many of them there are
  const uint8_t *next;
} BitReader;

struct CJPEGHuffman {
  struct jpeg_entropy_decoder interface;  // first: libjpeg's modules are known by it
  BitReader reader;
  // The data without their stuffing, from `reader.next` to `end`; zeros behind it.
  const uint8_t *end;
  const uint8_t *source, *sourceEnd;
  int isLastChunk;  // up to a marker, or to the end of the file
  unsigned restartMCUs, nextRestart;
  Block blocks[D_MAX_BLOCKS_IN_MCU];
  int blockCount;
  unsigned last[MAX_COMPS_IN_SCAN];
  CJPEGTable dc[NUM_HUFF_TBLS], ac[NUM_HUFF_TBLS];
  JCOEF nowhere[DCTSIZE2];  // takes what jpeg_skip_scanlines passes over
  uint8_t chunk[CHUNK_BYTES + MCU_BYTES + 8];
};

// Figure A.6; places behind the block are those of its last coefficient, which an end of block writes its 0 to.
static uint8_t naturalOrder[PLACES];

__attribute__((constructor)) static void fillNaturalOrder(void) {
  memset(naturalOrder, DCTSIZE2 - 1, sizeof naturalOrder);
  for (int place = 0; place < DCTSIZE2; place++) naturalOrder[place] = (uint8_t)jpeg_natural_order[place];
}

// Brings the next bytes behind those that are left, each stuffed FF 00 as FF.
static void load(CJPEGHuffman *huffman) {
  size_t kept = (size_t)(huffman->end - huffman->reader.next);
  memmove(huffman->chunk, huffman->reader.next, kept);
  uint8_t *target = huffman->chunk + kept, *limit = huffman->chunk + CHUNK_BYTES;
  const uint8_t *source = huffman->source;
  while (target < limit && !huffman->isLastChunk) {
    size_t there = (size_t)(huffman->sourceEnd - source), room = (size_t)(limit - target);
    size_t span = there < room ? there : room;
    const uint8_t *mark = memchr(source, 0xFF, span);
    size_t plain = mark ? (size_t)(mark - source) : span;
    memcpy(target, source, plain);
    target += plain;
    source += plain;
    if (mark && huffman->sourceEnd - mark > 1 && mark[1] == 0) {
      *target++ = 0xFF;
      source += 2;
    } else if (mark || span == there) {
      huffman->isLastChunk = 1;
    }
  }
  huffman->source = source;
  huffman->reader.next = huffman->chunk;
  huffman->end = target;
  memset(target, 0, MCU_BYTES + 8);
}

// Bits between the reader and the end of what was loaded; below 0 where zeros were read.
static ptrdiff_t bitsLeft(const CJPEGHuffman *huffman) {
  return (huffman->end - huffman->reader.next) * 8 + (ptrdiff_t)huffman->reader.count;
}

static void segment_begin(CJPEGHuffman *huffman) {
  huffman->reader = (BitReader){.next = huffman->chunk};
  huffman->end = huffman->chunk;
  huffman->isLastChunk = 0;
  memset(huffman->last, 0, sizeof huffman->last);
  load(huffman);
}

// E.2.4: only where nothing but padding comes before the marker, and it is the one whose turn it is.
static int restart(CJPEGHuffman *huffman) {
  if (!huffman->isLastChunk) load(huffman);
  const uint8_t *source = huffman->source;
  if (!huffman->isLastChunk || bitsLeft(huffman) >= 8) return 0;
  // B.1.1.2: a marker may come after any number of FF.
  while (huffman->sourceEnd - source > 2 && source[0] == 0xFF && source[1] == 0xFF) source++;
  if (huffman->sourceEnd - source < 2 || source[0] != 0xFF || source[1] != JPEG_RST0 + huffman->nextRestart) return 0;
  huffman->source = source + 2;
  huffman->nextRestart = (huffman->nextRestart + 1) & 7;
  segment_begin(huffman);
  return 1;
}

static inline void reader_drop(BitReader *reader, unsigned count) {
  reader->bits <<= count;
  reader->count -= count;
}

// To 56 bits and more.
static inline void reader_refill(BitReader *reader) {
  uint64_t ahead;
  memcpy(&ahead, reader->next, sizeof ahead);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
  ahead = __builtin_bswap64(ahead);
#endif
  reader->bits |= ahead >> reader->count;
  reader->next += (63 - reader->count) >> 3;
  reader->count |= 56;
}

// What a table's entry has no room for: of a symbol's code, which may be long, the rest is taken from the reader. -1: no code.
static inline int reader_symbol(BitReader *reader, const CJPEGTable *table, CJPEGEntry entry) {
  if (entry) {
    reader_drop(reader, entry_codeBits(entry));
    return (int)entry_symbol(entry);
  }
  unsigned code = (unsigned)(reader->bits >> (64 - LONGEST_CODE)), bits = ONE_BITS + 1;
  while (bits <= LONGEST_CODE && code >= table->behind[bits]) bits++;
  if (bits > LONGEST_CODE) return -1;
  int index = table->offset[bits] + (int)(code >> (LONGEST_CODE - bits));
  reader_drop(reader, bits);
  return table->symbols[index & 255];
}

static inline int reader_value(BitReader *reader, unsigned size) {
  if (size == 0) return 0;
  int value = cjpeg_extended((unsigned)(reader->bits >> (64 - size)), size);
  reader_drop(reader, size);
  return value;
}

// One coefficient the long way; 0: no code.
static inline int takeLong(BitReader *reader, const CJPEGTable *table, CJPEGEntry entry, JCOEF *block, unsigned *place) {
  reader_refill(reader);
  int symbol = reader_symbol(reader, table, entry);
  if (symbol < 0) return 0;
  unsigned size = (unsigned)symbol & 15, run = (unsigned)symbol >> 4;
  if (size == 0) {
    *place += run == 15 ? LONGEST_RUN : END_OF_BLOCK;
  } else {
    *place += run + 1;
    block[naturalOrder[*place]] = (JCOEF)reader_value(reader, size);
  }
  return 1;
}

// Leaves 46 bits and more.
static inline int takeDC(BitReader *reader, const CJPEGTable *table, int *difference) {
  reader_refill(reader);
  CJPEGEntry entry = table->one[reader->bits >> (64 - ONE_BITS)];
  if (entry_bits(entry)) {
    reader_drop(reader, entry_bits(entry));
    *difference = entry_value1(entry);
    return 1;
  }
  int size = reader_symbol(reader, table, entry);
  if (size < 0 || size > 15) return 0;
  *difference = reader_value(reader, (unsigned)size);
  reader_refill(reader);
  return 1;
}

// The values up to `limit`, two at a look; what a look finds behind it is harmless.
static inline int takePairs(BitReader *reader, const CJPEGTable *table, unsigned limit, JCOEF *block, unsigned *place) {
  while (1) {
    // Four looks use up at most 44 bits.
    for (int look = 0; look < 4 && *place < limit; look++) {
      CJPEGEntry entry = table->pair[reader->bits >> (64 - PAIR_BITS)];
      if (__builtin_expect(entry_bits(entry) == 0, 0)) {
        if (!takeLong(reader, table, entry, block, place)) return 0;
        break;
      }
      reader_drop(reader, entry_bits(entry));
      *place += entry_step1(entry);
      block[naturalOrder[*place]] = (JCOEF)entry_value1(entry);
      *place += entry_step2(entry);
      block[naturalOrder[*place]] = (JCOEF)entry_value2(entry);
    }
    if (*place >= limit) return 1;
    reader_refill(reader);
  }
}

// Past what nobody asks for, as many codes at a look as there are in its bits.
static inline int skipMany(BitReader *reader, const CJPEGTable *table, JCOEF *block, unsigned *place) {
  while (*place < LAST_FEW) {
    reader_refill(reader);
    for (int look = 0; look < 4 && *place < LAST_FEW; look++) {
      CJPEGSkip skip = table->skip[reader->bits >> (64 - SKIP_BITS)];
      if (__builtin_expect(skip_bits(skip) == 0, 0)) {
        if (!takeLong(reader, table, table->one[reader->bits >> (64 - ONE_BITS)], block, place)) return 0;
        break;
      }
      reader_drop(reader, skip_bits(skip));
      *place += skip_places(skip);
    }
  }
  return 1;
}

// The block's other coefficients; 0: no code, or one that reaches behind the block.
static inline int takeAC(BitReader *reader, const CJPEGTable *table, unsigned wanted, JCOEF *block) {
  unsigned place = 0;
  if (wanted < LAST_FEW) {
    if (!takePairs(reader, table, wanted, block, &place) || !skipMany(reader, table, block, &place)) return 0;
  } else if (!takePairs(reader, table, LAST_FEW, block, &place)) {
    return 0;
  }
  // One at a time, as the next code may be the next block's.
  while (place < DCTSIZE2 - 1) {
    reader_refill(reader);
    CJPEGEntry entry = table->one[reader->bits >> (64 - ONE_BITS)];
    if (entry_bits(entry) == 0) {
      if (!takeLong(reader, table, entry, block, &place)) return 0;
      continue;
    }
    reader_drop(reader, entry_bits(entry));
    place += entry_step1(entry);
    block[naturalOrder[place]] = (JCOEF)entry_value1(entry);
  }
  return place == DCTSIZE2 - 1 || place >= END_OF_BLOCK;
}

// The library has set the blocks to 0.
static int takeMCU(CJPEGHuffman *huffman, JBLOCKROW *blocks) {
  BitReader reader = huffman->reader;
  for (int index = 0; index < huffman->blockCount; index++) {
    const Block *block = &huffman->blocks[index];
    JCOEF *coefficients = blocks ? *blocks[index] : huffman->nowhere;
    int difference;
    if (!takeDC(&reader, block->dc, &difference)) return 0;
    *block->last += (unsigned)difference;
    coefficients[0] = (JCOEF)*block->last;
    if (!takeAC(&reader, block->ac, block->wanted, coefficients)) return 0;
  }
  huffman->reader = reader;
  return 1;
}

static void leave(j_decompress_ptr info) {
  CJPEGFaults *faults = (CJPEGFaults *)info->err;
  faults->isIrregular = 1;
  longjmp(faults->escape, 1);
}

static boolean decodeMCU(j_decompress_ptr info, JBLOCKROW *blocks) {
  CJPEGHuffman *huffman = (CJPEGHuffman *)info->entropy;
  if (info->restart_interval > 0) {
    if (huffman->restartMCUs == 0) {
      if (!restart(huffman)) leave(info);
      huffman->restartMCUs = info->restart_interval;
    }
    huffman->restartMCUs--;
  }
  if (!huffman->isLastChunk && huffman->end - huffman->reader.next < MCU_BYTES) load(huffman);
  if (!takeMCU(huffman, blocks) || bitsLeft(huffman) < 0) leave(info);
  return TRUE;
}

CJPEGHuffman *cjpeg_huffman_create(void) { return calloc(1, sizeof(CJPEGHuffman)); }

void cjpeg_huffman_destroy(CJPEGHuffman *huffman) { free(huffman); }

int cjpeg_huffman_attach(CJPEGHuffman *huffman, j_decompress_ptr info) {
  if (info->progressive_mode || info->arith_code || info->inputctl->has_multiple_scans) return 0;
  if (info->Ss != 0 || info->Se != DCTSIZE2 - 1 || info->Ah != 0 || info->Al != 0) return 0;
  int isFilled[2][NUM_HUFF_TBLS] = {{0}};
  for (int index = 0; index < info->blocks_in_MCU; index++) {
    int component = info->MCU_membership[index];
    const jpeg_component_info *part = info->cur_comp_info[component];
    CJPEGTable *dc = &huffman->dc[part->dc_tbl_no], *ac = &huffman->ac[part->ac_tbl_no];
    if (!isFilled[0][part->dc_tbl_no]++) cjpeg_table_fill(dc, info->dc_huff_tbl_ptrs[part->dc_tbl_no], 0);
    if (!isFilled[1][part->ac_tbl_no]++) cjpeg_table_fill(ac, info->ac_huff_tbl_ptrs[part->ac_tbl_no], 1);
    huffman->blocks[index] = (Block){.dc = dc, .ac = ac, .last = &huffman->last[component], .wanted = DCTSIZE2 - 1};
  }
  huffman->blockCount = info->blocks_in_MCU;
  huffman->source = info->src->next_input_byte;
  huffman->sourceEnd = huffman->source + info->src->bytes_in_buffer;
  huffman->restartMCUs = info->restart_interval;
  huffman->nextRestart = 0;
  segment_begin(huffman);
  // A second scan, which there is none of, would begin with start_pass.
  huffman->interface = (struct jpeg_entropy_decoder){.start_pass = leave, .decode_mcu = decodeMCU};
  info->entropy = &huffman->interface;
  return 1;
}

void cjpeg_huffman_keep(CJPEGHuffman *huffman, j_decompress_ptr info, int component, int across, int down) {
  unsigned wanted = 0;
  for (unsigned place = 0; place < DCTSIZE2; place++) {
    if (naturalOrder[place] % DCTSIZE < across && naturalOrder[place] / DCTSIZE < down) wanted = place;
  }
  for (int index = 0; index < huffman->blockCount; index++) {
    if (info->MCU_membership[index] == component) huffman->blocks[index].wanted = wanted;
  }
  if (wanted >= LAST_FEW) return;
  cjpeg_table_fill_skip(&huffman->ac[info->comp_info[component].ac_tbl_no]);
}
