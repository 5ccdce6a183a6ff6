// Entropy-coded data have no marks in them: where a code begins is known once the one before it has been read, so that a processor waits most of the time.
// Whoever begins somewhere in the midst, though, and takes what comes for a block, reads nonsense for a while and then, as codes are short and few,
// comes upon the beginning of a block by chance, of which there is no way back: from there on everything is as if it had been read from the start.
//
// So two lanes read at once. The first is where the data are known; the second begins a window ahead of it, and notes where its blocks begin. When the first
// comes to a place where the second began a block too, of the same kind within the MCU, the second's blocks from there on are the picture's, the first
// lane goes on behind them, and the second begins a window ahead again. Where they do not meet, only time was lost.
#include "lanes.h"

#include <jpegint.h>
#include <stdlib.h>

#ifndef CJPEG_WINDOW_BLOCKS
#define CJPEG_WINDOW_BLOCKS 256  // less for a test
#endif

enum {
  // How far the second lane is ahead of the first, about: an eighth of the picture, but no less and no more than this.
  LEAST_WINDOW = CJPEG_WINDOW_BLOCKS,
  MOST_WINDOW = 8 * LEAST_WINDOW,
  // Of the second lane's blocks those that the lanes may meet at.
  MEETING_BLOCKS = LEAST_WINDOW,
  // Coefficients of a block, in zigzag order. What lies behind is written all the same, into the next blocks, whose turn comes later.
  STRIDE = CJPEG_LANES_STRIDE,
  SECOND_BLOCKS = MOST_WINDOW * 3 / 2,
  // Of a lane that has read one block too many, and one that may come behind it.
  ZEROS = 2 * BLOCK_BYTES + 2 * AHEAD_BYTES,
  // With less to go there is one lane.
  LEAST_BYTES = 128,
  // Places of bits are numbers of 32 bits.
  MOST_BYTES = 1 << 28,
  // Memory for a picture's blocks, at most; and what is kept of it from picture to picture.
  MOST_ROOM = 1 << 23,
  KEPT_ROOM = 1 << 20,
};

typedef struct {
  void *start;
  size_t bytes;
} Room;

struct CJPEGLanes {
  CJPEGKind kinds[D_MAX_BLOCKS_IN_MCU];
  size_t perMCU;
  size_t total, done, given;  // blocks
  size_t window;              // bytes
  CJPEGBits first;
  Room data, room;
  // The data without their stuffing, up to `end`, and zeros.
  const uint8_t *plain, *end;
  JCOEF *blocks;
  JCOEF second[SECOND_BLOCKS * STRIDE + CJPEG_PLACES];
  uint32_t beginnings[MEETING_BLOCKS];
};

// Where places go: nowhere else.
static uint8_t zigzag[CJPEG_PLACES];

__attribute__((constructor)) static void fillZigzag(void) {
  for (int place = 0; place < CJPEG_PLACES; place++) zigzag[place] = (uint8_t)place;
}

CJPEGLanes *cjpeg_lanes_create(void) { return calloc(1, sizeof(CJPEGLanes)); }

static int makeRoom(Room *room, size_t bytes) {
  free(room->start);
  *room = (Room){.start = bytes > 0 ? malloc(bytes) : NULL, .bytes = bytes};
  if (!room->start) room->bytes = 0;
  return room->start != NULL;
}

void cjpeg_lanes_end(CJPEGLanes *lanes) {
  if (lanes->data.bytes > KEPT_ROOM) makeRoom(&lanes->data, 0);
  if (lanes->room.bytes > KEPT_ROOM) makeRoom(&lanes->room, 0);
}

void cjpeg_lanes_destroy(CJPEGLanes *lanes) {
  free(lanes->data.start);
  free(lanes->room.start);
  free(lanes);
}

int cjpeg_lanes_begin(CJPEGLanes *lanes, const CJPEGHuffman *huffman, j_decompress_ptr info) {
  CJPEGScan scan = cjpeg_huffman_scan(huffman);
  size_t bytes = (size_t)(scan.end - scan.source);
  lanes->perMCU = (size_t)scan.count;
  lanes->total = (size_t)info->MCUs_per_row * info->MCU_rows_in_scan * lanes->perMCU;
  lanes->done = lanes->given = 0;
  size_t room = (lanes->total * STRIDE + CJPEG_PLACES) * sizeof(JCOEF);
  if (info->restart_interval > 0 || lanes->total < 4 * LEAST_WINDOW || bytes > MOST_BYTES || room > MOST_ROOM) return 0;
  for (int index = 0; index < scan.count; index++) {
    if (scan.kinds[index].wanted >= STRIDE) return 0;
    lanes->kinds[index] = scan.kinds[index];
    lanes->kinds[index].order = zigzag;
  }
  if (lanes->data.bytes < bytes + ZEROS && !makeRoom(&lanes->data, bytes + ZEROS)) return 0;
  if (lanes->room.bytes < room && !makeRoom(&lanes->room, room)) return 0;
  lanes->blocks = lanes->room.start;
  uint8_t *plain = lanes->data.start;
  int isLast = 0;
  uint8_t *end = cjpeg_unstuff(&scan.source, scan.end, plain, plain + bytes, &isLast);
  memset(end, 0, ZEROS);
  lanes->plain = plain;
  lanes->end = end;
  lanes->first = (CJPEGBits){.next = lanes->plain};
  size_t eighth = lanes->total / 8;
  size_t window = eighth > MOST_WINDOW ? MOST_WINDOW : eighth < LEAST_WINDOW ? LEAST_WINDOW : eighth;
  lanes->window = (size_t)(end - lanes->plain) * window / lanes->total;
  return 1;
}

static INLINE uint32_t placeOf(const CJPEGLanes *lanes, const CJPEGBits *bits) {
  return (uint32_t)((bits->next - lanes->plain) * 8) - (bits->count & 63);
}

static INLINE void clear(JCOEF *block) { memset(block, 0, STRIDE * sizeof(JCOEF)); }

// All ones while a lane's block may take a look at several codes, else 0.
static INLINE unsigned isOpen(unsigned place) { return (unsigned)((int)(place - LAST_FEW) >> 31); }

// As takePairs' look, but a block that is not open stays as it is; one with a long code before it comes to be STUCK places on. What is written then
// goes where nothing is kept.
static INLINE void lookAtPair(CJPEGBits *bits, const CJPEGTable *table, JCOEF *block, unsigned *place) {
  CJPEGEntry entry = table->pair[bits->bits >> (64 - PAIR_BITS)] & isOpen(*place);
  bits_drop(bits, entry_bits(entry));
  *place += entry_step1(entry);
  block[*place] = (JCOEF)entry_value1(entry);
  *place += entry_step2(entry);
  block[*place] = (JCOEF)entry_value2(entry);
}

// The same for skipMany's; place and the bits that were used up are one number, as they are in the table.
static INLINE void lookOver(CJPEGBits *bits, const CJPEGTable *table, unsigned *placeAndBits) {
  unsigned open = (unsigned)((int)(*placeAndBits - (LAST_FEW << 6)) >> 31);
  unsigned skip = table->skip[bits->bits >> (64 - SKIP_BITS)] & open;
  bits->bits <<= skip & 63;
  *placeAndBits += skip;
}

// After looks: whether a block is held up by a long code.
static INLINE int isStuck(unsigned place) { return place - STUCK < LAST_FEW; }

static INLINE void help(CJPEGBits *bits, const CJPEGKind *kind, JCOEF *block, unsigned *place) {
  if (!isStuck(*place)) return;
  *place -= STUCK;
  takeLong(bits, kind, block, place);
}

enum { FIRST = 1, SECOND = 2 };

// A block of each lane, step by step together: while one waits for its table the other one's look is under way. Returns whose was one.
static INLINE int takeTwo(
    CJPEGBits *a, CJPEGBits *b, const CJPEGKind *kindA, const CJPEGKind *kindB, JCOEF *blockA, JCOEF *blockB) {
  int differenceA, differenceB;
  int isDCA = takeDC(a, kindA, &differenceA), isDCB = takeDC(b, kindB, &differenceB);
  blockA[0] = (JCOEF)differenceA;
  blockB[0] = (JCOEF)differenceB;
  const CJPEGTable *tableA = kindA->ac, *tableB = kindB->ac;
  unsigned placeA = 0, placeB = 0;
  while (1) {
    // Three looks use up at most 33 bits.
    for (int look = 0; look < 3; look++) lookAtPair(a, tableA, blockA, &placeA);
    for (int look = 0; look < 3; look++) lookAtPair(b, tableB, blockB, &placeB);
    if (__builtin_expect(isStuck(placeA) | isStuck(placeB), 0)) {
      help(a, kindA, blockA, &placeA);
      help(b, kindB, blockB, &placeB);
    }
    if (!((placeA < kindA->wanted) | (placeB < kindB->wanted))) break;
    bits_refill(a);
    bits_refill(b);
  }
  while ((placeA < LAST_FEW) | (placeB < LAST_FEW)) {
    bits_refill(a);
    bits_refill(b);
    unsigned overA = placeA << 6, overB = placeB << 6;
    // Four looks use up at most 48 bits.
    for (int look = 0; look < 4; look++) {
      lookOver(a, tableA, &overA);
      lookOver(b, tableB, &overB);
    }
    a->count -= overA & 63;
    b->count -= overB & 63;
    placeA = overA >> 6;
    placeB = overB >> 6;
    if (__builtin_expect(isStuck(placeA) | isStuck(placeB), 0)) {
      help(a, kindA, blockA, &placeA);
      help(b, kindB, blockB, &placeB);
    }
  }
  takeLast(a, kindA, blockA, &placeA);
  takeLast(b, kindB, blockB, &placeB);
  return (isDCA && isEnd(placeA) ? FIRST : 0) | (isDCB && isEnd(placeB) ? SECOND : 0);
}

// The first lane has used up no more bits than there are.
static int isWithin(const CJPEGLanes *lanes) {
  return placeOf(lanes, &lanes->first) <= (uint32_t)(lanes->end - lanes->plain) * 8;
}

// The next block of the first lane, which is not counted yet; 0: none.
static int takeFirst(CJPEGLanes *lanes) {
  JCOEF *block = lanes->blocks + lanes->done * STRIDE;
  CJPEGBits bits = lanes->first;
  int difference;
  clear(block);
  if (!takeBlock(&bits, &lanes->kinds[lanes->done % lanes->perMCU], block, &difference)) return 0;
  block[0] = (JCOEF)difference;
  lanes->first = bits;
  return isWithin(lanes);
}

// What the second lane has read.
typedef struct {
  size_t count;
  size_t sound;    // from which block on each was one
  int isBroken;    // behind its last block comes what is none
  CJPEGBits bits;  // behind the last
} Second;

// Both lanes' blocks, until the first is about where the second began, at `start`; 0: the first has come to what is no block.
static int takeBoth(CJPEGLanes *lanes, const uint8_t *start, Second *second) {
  CJPEGBits a = lanes->first, b = {.next = start};
  size_t count = 0, sound = 0, kindA = lanes->done % lanes->perMCU, kindB = 0;
  int isFirst = 1, isBroken = 0;
  while (count < SECOND_BLOCKS && lanes->done < lanes->total && a.next < start && b.next < lanes->end) {
    JCOEF *blockA = lanes->blocks + lanes->done * STRIDE, *blockB = lanes->second + count * STRIDE;
    clear(blockA);
    clear(blockB);
    if (count < MEETING_BLOCKS) lanes->beginnings[count] = placeOf(lanes, &b);
    int are = takeTwo(&a, &b, &lanes->kinds[kindA], &lanes->kinds[kindB], blockA, blockB);
    isFirst = are & FIRST;
    if (!isFirst) break;
    lanes->done++;
    if (++kindA == lanes->perMCU) kindA = 0;
    if (__builtin_expect(!(are & SECOND), 0)) {
      // Of the nonsense that it begins with that is to be expected: on with the bits that follow.
      isBroken = count >= MEETING_BLOCKS;
      if (isBroken) break;
      bits_drop(&b, 1);
      sound = count + 1;
    }
    count++;
    if (++kindB == lanes->perMCU) kindB = 0;
  }
  lanes->first = a;
  *second = (Second){.count = count, .sound = sound, .isBroken = isBroken, .bits = b};
  return isFirst;
}

// The first lane's blocks up to where the second has one too, of the same kind. Through `block` comes the second's, or more than it may be if there is none; 0: no block.
static int meet(CJPEGLanes *lanes, const Second *second, size_t *block) {
  size_t known = second->count < MEETING_BLOCKS ? second->count : MEETING_BLOCKS;
  for (size_t index = 0; lanes->done < lanes->total; lanes->done++) {
    uint32_t place = placeOf(lanes, &lanes->first);
    while (index < known && lanes->beginnings[index] < place) index++;
    if (index == known) break;
    if (lanes->beginnings[index] == place && index % lanes->perMCU == lanes->done % lanes->perMCU) {
      *block = index;
      return 1;
    }
    if (!takeFirst(lanes)) return 0;
  }
  *block = SECOND_BLOCKS;
  return isWithin(lanes);
}

// Reads on by a window; 0: no block.
static int advance(CJPEGLanes *lanes) {
  size_t left = lanes->first.next < lanes->end ? (size_t)(lanes->end - lanes->first.next) : 0;
  size_t window = left / 2 < lanes->window ? left / 2 : lanes->window, block;
  Second second;
  if (window < LEAST_BYTES) {
    for (; lanes->done < lanes->total; lanes->done++) {
      if (!takeFirst(lanes)) return 0;
    }
    return 1;
  }
  if (!takeBoth(lanes, lanes->first.next + window, &second) || !meet(lanes, &second, &block)) return 0;
  if (block >= second.count) return 1;
  if (block < second.sound) return 0;
  size_t found = second.count - block, wanted = lanes->total - lanes->done;
  if (found > wanted) found = wanted;
  memcpy(lanes->blocks + lanes->done * STRIDE, lanes->second + block * STRIDE, found * STRIDE * sizeof(JCOEF));
  lanes->done += found;
  lanes->first = second.bits;
  if (found < second.count - block) return 1;
  // The last one may have been made of the zeros behind the data.
  return !second.isBroken && isWithin(lanes);
}

const JCOEF *cjpeg_lanes_next(CJPEGLanes *lanes, size_t count) {
  if (count > lanes->total - lanes->given) return NULL;
  while (lanes->done < lanes->given + count) {
    if (!advance(lanes)) return NULL;
  }
  const JCOEF *blocks = lanes->blocks + lanes->given * STRIDE;
  lanes->given += count;
  return blocks;
}
