// ITU-T T.81: the symbols of annex F.1.2, and the tables of annex K.2.
#include "tally.h"

#include <jpegint.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

_Static_assert(LIBJPEG_TURBO_VERSION_NUMBER / 1000 == 2001, "jpegint.h has to be looked at again");

enum {
  SYMBOLS = 256,
  // K.2's reserved code, which keeps any code from being all ones.
  RESERVED = SYMBOLS,
  LONGEST_CODE = 16,
  ZERO_RUN = 0xF0,
  END_OF_BLOCK = 0,
};

typedef long Counts[SYMBOLS + 1];

struct CJPEGTally {
  struct jpeg_entropy_encoder interface;  // first: libjpeg's modules are known by it
  struct jpeg_entropy_encoder *library;
  int last[MAX_COMPS_IN_SCAN];  // DC value, of each component
  Counts dc[NUM_HUFF_TBLS], ac[NUM_HUFF_TBLS];
};

// By row, and a bit for each of its coefficients: the same bits in zigzag order.
static uint64_t zigzagBits[DCTSIZE][1 << DCTSIZE];

__attribute__((constructor)) static void fillZigzagBits(void) {
  for (int place = 0; place < DCTSIZE2; place++) {
    int row = jpeg_natural_order[place] / DCTSIZE, column = jpeg_natural_order[place] % DCTSIZE;
    for (int bits = 0; bits < 1 << DCTSIZE; bits++) {
      if (bits >> column & 1) zigzagBits[row][bits] |= (uint64_t)1 << place;
    }
  }
}

static inline unsigned sizeOf(int value) {
  return value == 0 ? 0 : 32 - (unsigned)__builtin_clz((unsigned)abs(value));
}

typedef JCOEF Row __attribute__((ext_vector_type(8), aligned(2)));
typedef _Bool RowBits __attribute__((ext_vector_type(8)));

// The coefficients that are not 0, in zigzag order.
static inline uint64_t filled(const JCOEF *block) {
  uint64_t places = 0;
  for (int row = 0; row < DCTSIZE; row++) {
    RowBits isFilled = __builtin_convertvector(*(const Row *)(block + row * DCTSIZE) != 0, RowBits);
    uint8_t bits;
    memcpy(&bits, &isFilled, sizeof bits);
    places |= zigzagBits[row][bits];
  }
  return places;
}

static inline void count(long *dc, long *ac, int difference, const JCOEF *block) {
  dc[sizeOf(difference)]++;
  uint64_t places = filled(block) & ~(uint64_t)1;
  unsigned before = 0;
  while (places) {
    unsigned place = (unsigned)__builtin_ctzll(places);
    places &= places - 1;
    unsigned run = place - before - 1;
    for (; run > 15; run -= 16) ac[ZERO_RUN]++;
    ac[run << 4 | (sizeOf(block[jpeg_natural_order[place]]) & 15)]++;
    before = place;
  }
  if (before < DCTSIZE2 - 1) ac[END_OF_BLOCK]++;
}

static boolean encodeMCU(j_compress_ptr info, JBLOCKROW *blocks) {
  CJPEGTally *tally = (CJPEGTally *)info->entropy;
  for (int index = 0; index < info->blocks_in_MCU; index++) {
    int component = info->MCU_membership[index];
    const jpeg_component_info *part = info->cur_comp_info[component];
    const JCOEF *block = *blocks[index];
    count(tally->dc[part->dc_tbl_no], tally->ac[part->ac_tbl_no], block[0] - tally->last[component], block);
    tally->last[component] = block[0];
  }
  return TRUE;
}

// Figure K.1: how long each symbol's code is. Of symbols that come equally often the last is taken first.
static void codeSizes(Counts counts, uint8_t sizes[SYMBOLS + 1]) {
  int chain[SYMBOLS + 1], active[SYMBOLS + 1], count = 0;
  memset(sizes, 0, SYMBOLS + 1);
  for (int symbol = 0; symbol <= SYMBOLS; symbol++) {
    chain[symbol] = -1;
    if (counts[symbol] > 0) active[count++] = symbol;
  }
  while (count > 1) {
    // Places in `active`, which is in the symbols' order.
    int least = -1, second = -1;
    for (int place = 0; place < count; place++) {
      if (least < 0 || counts[active[place]] <= counts[active[least]]) {
        second = least;
        least = place;
      } else if (second < 0 || counts[active[place]] <= counts[active[second]]) {
        second = place;
      }
    }
    int kept = active[least], merged = active[second];
    counts[kept] += counts[merged];
    memmove(active + second, active + second + 1, (size_t)(count - second - 1) * sizeof *active);
    count--;
    int end = kept;
    for (sizes[end]++; chain[end] >= 0; sizes[end]++) end = chain[end];
    chain[end] = merged;
    for (end = merged; end >= 0; end = chain[end]) sizes[end]++;
  }
}

// Figures K.2 to K.4, for counts that are used up.
static void makeTable(Counts counts, JHUFF_TBL *table) {
  uint8_t sizes[SYMBOLS + 1];
  // A code is at most as long as there are others.
  int bits[SYMBOLS + 1] = {0};
  counts[RESERVED] = 1;
  codeSizes(counts, sizes);
  int longest = 0;
  for (int symbol = 0; symbol <= SYMBOLS; symbol++) {
    if (sizes[symbol] == 0) continue;
    bits[sizes[symbol]]++;
    if (sizes[symbol] > longest) longest = sizes[symbol];
  }
  for (int size = longest; size > LONGEST_CODE; size--) {
    while (bits[size] > 0) {
      int shorter = size - 2;
      while (bits[shorter] == 0) shorter--;
      bits[size] -= 2;
      bits[size - 1]++;
      bits[shorter + 1] += 2;
      bits[shorter]--;
    }
  }
  int size = LONGEST_CODE;
  while (bits[size] == 0) size--;
  bits[size]--;
  for (size = 0; size <= LONGEST_CODE; size++) table->bits[size] = (UINT8)bits[size];
  int place = 0;
  for (size = 1; size <= longest; size++) {
    for (int symbol = 0; symbol < SYMBOLS; symbol++) {
      if (sizes[symbol] == size) table->huffval[place++] = (UINT8)symbol;
    }
  }
  table->sent_table = FALSE;
}

static void finishPass(j_compress_ptr info) {
  CJPEGTally *tally = (CJPEGTally *)info->entropy;
  int isMade[2][NUM_HUFF_TBLS] = {{0}};
  for (int component = 0; component < info->comps_in_scan; component++) {
    int dc = info->cur_comp_info[component]->dc_tbl_no, ac = info->cur_comp_info[component]->ac_tbl_no;
    if (!isMade[0][dc]++) makeTable(tally->dc[dc], info->dc_huff_tbl_ptrs[dc]);
    if (!isMade[1][ac]++) makeTable(tally->ac[ac], info->ac_huff_tbl_ptrs[ac]);
  }
}

// The second pass writes, which is the library's.
static void startPass(j_compress_ptr info, boolean isGathering) {
  info->entropy = ((CJPEGTally *)info->entropy)->library;
  info->entropy->start_pass(info, isGathering);
}

CJPEGTally *cjpeg_tally_create(void) { return calloc(1, sizeof(CJPEGTally)); }

void cjpeg_tally_destroy(CJPEGTally *tally) { free(tally); }

void cjpeg_tally_attach(CJPEGTally *tally, j_compress_ptr info) {
  memset(tally, 0, sizeof *tally);
  tally->interface =
      (struct jpeg_entropy_encoder){.start_pass = startPass, .encode_mcu = encodeMCU, .finish_pass = finishPass};
  tally->library = info->entropy;
  info->entropy = &tally->interface;
}
