// Damages JPEGs in thousands of ways and reads each by our own entropy decoder and by libjpeg-turbo's: pixels and errors must be the same. Built with
// the address and undefined-behaviour sanitizers (`make jpeg-sanitize`), which end it where a read or a write goes astray.
//
//   jpeg-damage ROUNDS SEED FILE...        exit 0: no difference
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CJPEG.h"

enum { LARGEST = 1 << 22, MOST_PIXELS = 1 << 22 };

static uint64_t state;
static uint8_t pixels[4 * MOST_PIXELS];

static uint64_t number(void) {
  state ^= state << 13;
  state ^= state >> 7;
  return state ^= state << 17;
}

typedef struct {
  CJPEGStatus status;
  uint64_t sum;
} Reading;

typedef struct {
  uint32_t eighths;
  int isByPlanes, isCropped, isPartly;
  uint32_t kept[2];  // coefficients of a block, of luma and of chroma
} Way;

static void sum(Reading *reading, const uint8_t *bytes, size_t count) {
  for (size_t index = 0; index < count; index++) reading->sum = reading->sum * 1099511628211u + bytes[index];
}

static CJPEGStatus readPlanes(CJPEGReader *reader, CJPEGEntropy entropy, const uint8_t *bytes, size_t count, Way way,
                              Reading *reading) {
  CJPEGPlane planes[3];
  CJPEGStatus status = cjpeg_reader_start_planes(reader, entropy, bytes, count, planes);
  if (status != CJPEG_OK) return status;
  // Each in a piece of memory of its own, so that a number too many is seen.
  CJPEGLines lines[3];
  size_t counts[3];
  for (int index = 0; index < 3; index++) {
    uint32_t across = way.kept[index > 0], down = way.kept[index > 0 && way.isCropped];
    if (way.isPartly) cjpeg_reader_keep(reader, index, across, down);
    else across = down = 8;
    lines[index].stride = (size_t)planes[index].columns * across * 2;
    counts[index] = lines[index].stride * down / 2 * planes[index].rows;
    lines[index].start = calloc(counts[index], sizeof(int16_t));
  }
  for (uint32_t row = 0; status == CJPEG_OK && row < planes[0].height; row += planes[0].rows * 8) {
    status = cjpeg_reader_step(reader, lines[0], lines[1], lines[2]);
    for (int index = 0; status == CJPEG_OK && index < 3; index++) {
      sum(reading, (const uint8_t *)lines[index].start, counts[index] * sizeof(int16_t));
    }
  }
  for (int index = 0; index < 3; index++) free(lines[index].start);
  return status == CJPEG_OK ? cjpeg_reader_finish(reader) : status;
}

static CJPEGStatus readRows(CJPEGReader *reader, CJPEGEntropy entropy, const uint8_t *bytes, size_t count, Way way,
                            Reading *reading) {
  CJPEGFrame frame;
  CJPEGStatus status = cjpeg_reader_start(
      reader, entropy, bytes, count, way.eighths, way.isCropped ? 16 : 0, way.isCropped ? 40 : 0, &frame);
  if (status != CJPEG_OK) return status;
  uint32_t first = way.isCropped ? frame.height / 4 : 0, last = way.isCropped ? frame.height / 2 : frame.height;
  if (first > 0) status = cjpeg_reader_skip(reader, first);
  for (uint32_t row = first; status == CJPEG_OK && row < last; row++) {
    status = cjpeg_reader_read(reader, pixels, 1, 0);
    if (status == CJPEG_OK) sum(reading, pixels, (size_t)frame.columns * frame.bands);
  }
  if (status == CJPEG_OK && last + 1 < frame.height) status = cjpeg_reader_skip(reader, frame.height - last - 1);
  if (status == CJPEG_OK && last < frame.height) status = cjpeg_reader_read(reader, pixels, 1, 0);
  return status == CJPEG_OK ? cjpeg_reader_finish(reader) : status;
}

static Reading readingOf(CJPEGReader *reader, CJPEGEntropy entropy, const uint8_t *bytes, size_t count, Way way) {
  Reading reading = {0};
  reading.status = (way.isByPlanes ? readPlanes : readRows)(reader, entropy, bytes, count, way, &reading);
  if (reading.status != CJPEG_OK) cjpeg_reader_abandon(reader);
  return reading;
}

// Cut, flipped bits, other bytes, and markers in the midst of the data.
static size_t damage(uint8_t *bytes, size_t count) {
  if (number() % 3 == 0) count = number() % count + 1;
  for (uint64_t times = number() % 6; times > 0; times--) {
    size_t place = number() % count;
    switch (number() % 4) {
      case 0: bytes[place] ^= 1 << number() % 8; break;
      case 1: bytes[place] = (uint8_t)number(); break;
      case 2: bytes[place] = 0xFF; break;
      default:
        bytes[place] = 0xFF;
        if (place + 1 < count) bytes[place + 1] = (uint8_t)(0xD0 + number() % 10);
    }
  }
  return count;
}

// Larger ones than the room for a row or a step; what a damaged header says may be anything.
static int isTooLarge(const uint8_t *bytes, size_t count) {
  for (size_t place = 0; place + 8 < count; place++) {
    if (bytes[place] != 0xFF || bytes[place + 1] < 0xC0 || bytes[place + 1] > 0xC2) continue;
    size_t height = bytes[place + 5] << 8 | bytes[place + 6], width = bytes[place + 7] << 8 | bytes[place + 8];
    if (width * height > MOST_PIXELS) return 1;
  }
  return 0;
}

int main(int count, char **words) {
  if (count < 4) return 2;
  long rounds = atol(words[1]), same = 0, again = 0, different = 0;
  state = 0x9E3779B97F4A7C15u * (uint64_t)(atol(words[2]) + 1);
  CJPEGReader *reader = cjpeg_reader_create();
  uint8_t *sound = malloc(LARGEST);
  if (!reader || !sound) return 2;
  for (int file = 3; file < count; file++) {
    FILE *stream = fopen(words[file], "rb");
    if (!stream) return 2;
    size_t length = fread(sound, 1, LARGEST, stream);
    fclose(stream);
    for (long round = 0; round < rounds; round++) {
      // A piece of memory of its own, so that a byte too many is seen.
      uint8_t *work = malloc(length);
      memcpy(work, sound, length);
      size_t left = round == 0 ? length : damage(work, length);
      uint8_t *bytes = malloc(left);
      memcpy(bytes, work, left);
      free(work);
      // Mostly by planes, and with few coefficients: there most of the code is.
      static const uint32_t kept[] = {2, 2, 2, 4, 6, 8};
      Way way = {.eighths = 1u << number() % 4, .isByPlanes = number() % 4 > 0, .isCropped = number() % 2, .isPartly = number() % 4 > 0};
      for (int part = 0; part < 2; part++) way.kept[part] = kept[number() % 6];
      if (!isTooLarge(bytes, left)) {
        Reading ours = readingOf(reader, CJPEG_QUICK, bytes, left, way);
        Reading library = readingOf(reader, CJPEG_LIBRARY, bytes, left, way);
        if (ours.status == CJPEG_IRREGULAR && round > 0) {
          again++;
        } else if (ours.status == library.status && (ours.status != CJPEG_OK || ours.sum == library.sum)) {
          same++;
        } else {
          different++;
          printf("%s, round %ld: %d and %d\n", words[file], round, ours.status, library.status);
        }
      }
      free(bytes);
    }
  }
  cjpeg_reader_destroy(reader);
  free(sound);
  printf("%ld read alike, %ld left to the library, %ld different\n", same, again, different);
  return different > 0 || same == 0 || again == 0;
}
