// ITU-T T.81, annex F: Huffman decoding of the sequential modes.
//
// libjpeg-turbo calls its entropy decoder for the coefficients of one MCU (minimum coded unit: the blocks that lie over each other in all components)
// and does everything else itself: headers, tables, inverse DCT. Here a look at PAIR_BITS bits finds up to two codes with their values, where
// the library finds one code and then its value.
//
// Bytes are read from `chunk`, which ends in as many zeros as one MCU can use up.
#include "huffman.h"

#include "bits.h"
#include "faults.h"

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
  MCU_BYTES = D_MAX_BLOCKS_IN_MCU * BLOCK_BYTES + AHEAD_BYTES,
  CHUNK_BYTES = CJPEG_CHUNK_BYTES,
};

struct CJPEGHuffman {
  struct jpeg_entropy_decoder interface;  // first: libjpeg's modules are known by it
  CJPEGBits bits;
  // The data without their stuffing, from `bits.next` to `end`; zeros behind it.
  const uint8_t *end;
  const uint8_t *source, *sourceEnd;
  int isLastChunk;  // up to a marker, or to the end of the file
  unsigned restartMCUs, nextRestart;
  CJPEGKind kinds[D_MAX_BLOCKS_IN_MCU];  // of the blocks of an MCU
  int blockCount;
  unsigned last[MAX_COMPS_IN_SCAN];
  CJPEGTable dc[NUM_HUFF_TBLS], ac[NUM_HUFF_TBLS];
  JCOEF nowhere[DCTSIZE2];  // takes what jpeg_skip_scanlines passes over
  uint8_t chunk[CHUNK_BYTES + MCU_BYTES];
};

// Figure A.6; places behind the block are those of its last coefficient, which an end of block writes its 0 to.
static uint8_t naturalOrder[CJPEG_PLACES];

__attribute__((constructor)) static void fillNaturalOrder(void) {
  memset(naturalOrder, DCTSIZE2 - 1, sizeof naturalOrder);
  for (int place = 0; place < DCTSIZE2; place++) naturalOrder[place] = (uint8_t)jpeg_natural_order[place];
}

uint8_t *cjpeg_unstuff(const uint8_t **source, const uint8_t *sourceEnd, uint8_t *target, const uint8_t *limit, int *isLast) {
  const uint8_t *next = *source;
  while (target < limit && !*isLast) {
    size_t there = (size_t)(sourceEnd - next), room = (size_t)(limit - target);
    size_t span = there < room ? there : room;
    const uint8_t *mark = memchr(next, 0xFF, span);
    size_t plain = mark ? (size_t)(mark - next) : span;
    memcpy(target, next, plain);
    target += plain;
    next += plain;
    if (mark && sourceEnd - mark > 1 && mark[1] == 0) {
      *target++ = 0xFF;
      next += 2;
    } else if (mark || span == there) {
      *isLast = 1;
    }
  }
  *source = next;
  return target;
}

// Brings the next bytes behind those that are left.
static void load(CJPEGHuffman *huffman) {
  size_t kept = (size_t)(huffman->end - huffman->bits.next);
  memmove(huffman->chunk, huffman->bits.next, kept);
  uint8_t *end = cjpeg_unstuff(
      &huffman->source, huffman->sourceEnd, huffman->chunk + kept, huffman->chunk + CHUNK_BYTES, &huffman->isLastChunk);
  huffman->bits.next = huffman->chunk;
  huffman->end = end;
  memset(end, 0, MCU_BYTES);
}

// Bits up to the end of what was loaded; below 0 where zeros were read.
static ptrdiff_t bitsLeft(const CJPEGHuffman *huffman) {
  return (huffman->end - huffman->bits.next) * 8 + (ptrdiff_t)(huffman->bits.count & 63);
}

// The first MCU loads.
static void segment_begin(CJPEGHuffman *huffman) {
  huffman->bits = (CJPEGBits){.next = huffman->chunk};
  huffman->end = huffman->chunk;
  huffman->isLastChunk = 0;
  memset(huffman->last, 0, sizeof huffman->last);
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

// The library has set the blocks to 0.
static int takeMCU(CJPEGHuffman *huffman, JBLOCKROW *blocks) {
  CJPEGBits bits = huffman->bits;
  for (int index = 0; index < huffman->blockCount; index++) {
    const CJPEGKind *kind = &huffman->kinds[index];
    JCOEF *block = blocks ? *blocks[index] : huffman->nowhere;
    int difference;
    if (!takeBlock(&bits, kind, block, &difference)) return 0;
    *kind->last += (unsigned)difference;
    block[0] = (JCOEF)*kind->last;
  }
  huffman->bits = bits;
  return 1;
}

void cjpeg_huffman_leave(j_decompress_ptr info) {
  CJPEGFaults *faults = (CJPEGFaults *)info->err;
  faults->isIrregular = 1;
  longjmp(faults->escape, 1);
}

static boolean decodeMCU(j_decompress_ptr info, JBLOCKROW *blocks) {
  CJPEGHuffman *huffman = (CJPEGHuffman *)info->entropy;
  if (info->restart_interval > 0) {
    if (huffman->restartMCUs == 0) {
      if (!restart(huffman)) cjpeg_huffman_leave(info);
      huffman->restartMCUs = info->restart_interval;
    }
    huffman->restartMCUs--;
  }
  if (!huffman->isLastChunk && huffman->end - huffman->bits.next < MCU_BYTES) load(huffman);
  if (!takeMCU(huffman, blocks) || bitsLeft(huffman) < 0) cjpeg_huffman_leave(info);
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
    huffman->kinds[index] = (CJPEGKind){
        .dc = dc, .ac = ac, .order = naturalOrder, .last = &huffman->last[component], .wanted = DCTSIZE2 - 1};
  }
  huffman->blockCount = info->blocks_in_MCU;
  huffman->source = info->src->next_input_byte;
  huffman->sourceEnd = huffman->source + info->src->bytes_in_buffer;
  huffman->restartMCUs = info->restart_interval;
  huffman->nextRestart = 0;
  segment_begin(huffman);
  // A second scan, which there is none of, would begin with start_pass.
  huffman->interface = (struct jpeg_entropy_decoder){.start_pass = cjpeg_huffman_leave, .decode_mcu = decodeMCU};
  info->entropy = &huffman->interface;
  return 1;
}

void cjpeg_huffman_keep(CJPEGHuffman *huffman, j_decompress_ptr info, int component, int across, int down) {
  unsigned wanted = 0;
  for (unsigned place = 0; place < DCTSIZE2; place++) {
    if (naturalOrder[place] % DCTSIZE < across && naturalOrder[place] / DCTSIZE < down) wanted = place;
  }
  for (int index = 0; index < huffman->blockCount; index++) {
    int member = info->MCU_membership[index];
    if (info->cur_comp_info[member]->component_index == component) huffman->kinds[index].wanted = wanted;
  }
  if (wanted >= LAST_FEW) return;
  cjpeg_table_fill_skip(&huffman->ac[info->comp_info[component].ac_tbl_no]);
}

CJPEGScan cjpeg_huffman_scan(const CJPEGHuffman *huffman) {
  return (CJPEGScan){huffman->kinds, huffman->blockCount, huffman->source, huffman->sourceEnd};
}
