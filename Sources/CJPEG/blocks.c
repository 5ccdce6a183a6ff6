// A picture's coefficients, as far as they are asked for: what its inverse DCT would be made of, for who resamples without one.
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

#include <jpegint.h>

enum { PARTS = 3 };

// How many coefficients of a block are asked for.
typedef struct {
  int across, down;
} Kept;

typedef struct {
  Kept kept;
  JCOEF steps[DCTSIZE2];   // what coefficients are multiplied by
  jvirt_barray_ptr whole;  // all of them, where a picture comes in several scans
  unsigned last;           // DC value, where the lanes read
} Part;

struct CJPEGBlocks {
  Part parts[PARTS];
  uint32_t columns;  // of MCUs
  uint32_t row;      // of MCUs, the next
  CJPEGLanes *lanes;
  int hasLanes;
  JBLOCK mcu[D_MAX_BLOCKS_IN_MCU];
};

CJPEGBlocks *cjpeg_blocks_create(void) {
  CJPEGBlocks *blocks = calloc(1, sizeof(CJPEGBlocks));
  if (blocks) blocks->lanes = cjpeg_lanes_create();
  if (blocks && blocks->lanes) return blocks;
  free(blocks);
  return NULL;
}

void cjpeg_blocks_destroy(CJPEGBlocks *blocks) {
  if (blocks) cjpeg_lanes_destroy(blocks->lanes);
  free(blocks);
}

void cjpeg_blocks_end(CJPEGBlocks *blocks) { cjpeg_lanes_end(blocks->lanes); }

static int hasPlanes(j_decompress_ptr info) {
  const jpeg_component_info *parts = info->comp_info;
  if (info->jpeg_color_space != JCS_YCbCr || info->num_components != PARTS) return 0;
  if (parts[0].h_samp_factor > 2 || parts[0].v_samp_factor > 2) return 0;
  for (int part = 1; part < PARTS; part++) {
    if (parts[part].h_samp_factor != 1 || parts[part].v_samp_factor != 1) return 0;
  }
  return 1;
}

// All bits of all coefficients have come. Where some of a progressive picture's have not, the library smoothes what it makes of the others.
static int isComplete(j_decompress_ptr info) {
  for (int component = 0; info->progressive_mode && info->coef_bits && component < info->num_components; component++) {
    for (int place = 0; place < DCTSIZE2; place++) {
      if (info->coef_bits[component][place] != 0) return 0;
    }
  }
  return 1;
}

CJPEGStatus cjpeg_reader_start_planes(
    CJPEGReader *reader, CJPEGEntropy entropy, const uint8_t *bytes, size_t count, CJPEGPlane planes[3]) {
  j_decompress_ptr info = &reader->info;
  CJPEGBlocks *blocks = reader->blocks;
  if (setjmp(reader->faults.escape)) return cjpeg_faults_status(&reader->faults);
  cjpeg_reader_take(reader, bytes, count);
  if (jpeg_read_header(info, TRUE) != JPEG_HEADER_OK) return CJPEG_CORRUPT;
  if (!hasPlanes(info)) {
    jpeg_abort_decompress(info);
    return CJPEG_UNSUPPORTED;
  }
  jvirt_barray_ptr *whole = NULL;
  if (info->inputctl->has_multiple_scans) {
    whole = jpeg_read_coefficients(info);
    if (!isComplete(info)) {
      jpeg_abort_decompress(info);
      return CJPEG_UNSUPPORTED;
    }
  } else {
    // No pixel is ever asked for, so little is prepared for them. (At one eighth the library would pass over all but DC.)
    info->out_color_space = JCS_YCbCr;
    info->raw_data_out = TRUE;
    info->scale_num = 2;
    info->scale_denom = DCTSIZE;
    if (!jpeg_start_decompress(info)) return CJPEG_CORRUPT;
    reader->isQuick = entropy == CJPEG_QUICK && cjpeg_huffman_attach(reader->huffman, info);
  }
  uint32_t mcuWidth = (uint32_t)info->max_h_samp_factor, mcuHeight = (uint32_t)info->max_v_samp_factor;
  blocks->columns = (info->image_width + mcuWidth * DCTSIZE - 1) / (mcuWidth * DCTSIZE);
  blocks->row = 0;
  for (int index = 0; index < PARTS; index++) {
    const jpeg_component_info *part = &info->comp_info[index];
    blocks->parts[index] = (Part){.kept = {DCTSIZE, DCTSIZE}, .whole = whole ? whole[index] : NULL};
    // Without a table none of the scans is of this component, and its coefficients are 0.
    for (int place = 0; part->quant_table && place < DCTSIZE2; place++) {
      blocks->parts[index].steps[place] = (JCOEF)part->quant_table->quantval[place];
    }
    uint32_t across = (uint32_t)part->h_samp_factor, down = (uint32_t)part->v_samp_factor;
    planes[index] = (CJPEGPlane){
        .width = (info->image_width * across + mcuWidth - 1) / mcuWidth,
        .height = (info->image_height * down + mcuHeight - 1) / mcuHeight,
        .columns = blocks->columns * across,
        .rows = down,
        .across = mcuWidth / across,
        .down = mcuHeight / down};
  }
  return CJPEG_OK;
}

void cjpeg_reader_keep(CJPEGReader *reader, int plane, uint32_t across, uint32_t down) {
  Part *part = &reader->blocks->parts[plane];
  part->kept = (Kept){(int)across, (int)down};
  if (reader->isQuick) cjpeg_huffman_keep(reader->huffman, &reader->info, plane, part->kept.across, part->kept.down);
}

// A block's coefficients, two of its rows at a time, those that lie below each other side by side.
static inline __attribute__((always_inline)) void put(
    const JCOEF *block, const Part *part, int across, int16_t *restrict target, size_t stride) {
  for (int row = 0; row < part->kept.down; row += 2) {
    const JCOEF *upper = block + row * DCTSIZE, *steps = part->steps + row * DCTSIZE;
    for (int column = 0; column < across; column++) {
      target[2 * column] = (int16_t)(upper[column] * steps[column]);
      target[2 * column + 1] = (int16_t)(upper[column + DCTSIZE] * steps[column + DCTSIZE]);
    }
    target += stride;
  }
}

static inline void putBlock(const JCOEF *block, const Part *part, int16_t *target, size_t stride) {
  switch (part->kept.across) {
    case 2: put(block, part, 2, target, stride); break;
    case 4: put(block, part, 4, target, stride); break;
    case 6: put(block, part, 6, target, stride); break;
    default: put(block, part, DCTSIZE, target, stride);
  }
}

// The same of the lanes' block, of which two by two are asked for, and of whose DC value there is a difference.
static inline void putFew(const JCOEF *block, Part *part, int16_t *target) {
  part->last += (unsigned)block[0];
  target[0] = (int16_t)((JCOEF)part->last * part->steps[0]);
  target[1] = (int16_t)(block[2] * part->steps[DCTSIZE]);
  target[2] = (int16_t)(block[1] * part->steps[1]);
  target[3] = (int16_t)(block[4] * part->steps[DCTSIZE + 1]);
}

static void stepWhole(j_decompress_ptr info, CJPEGBlocks *blocks, const CJPEGLines targets[PARTS]) {
  for (int index = 0; index < PARTS; index++) {
    const Part *part = &blocks->parts[index];
    JDIMENSION down = (JDIMENSION)info->comp_info[index].v_samp_factor;
    size_t columns = blocks->columns * (size_t)info->comp_info[index].h_samp_factor;
    size_t stride = targets[index].stride;
    int16_t *target = targets[index].start;
    JBLOCKARRAY rows = info->mem->access_virt_barray(
        (j_common_ptr)info, part->whole, blocks->row * down, down, FALSE);
    for (JDIMENSION row = 0; row < down; row++, target += stride * (size_t)part->kept.down / 2) {
      for (size_t column = 0; column < columns; column++) {
        putBlock(rows[row][column], part, target + column * (size_t)part->kept.across * 2, stride);
      }
    }
  }
}

// Where a block of an MCU goes, and how far it is to the next MCU's.
typedef struct {
  Part *part;
  int16_t *target;
  size_t stride, next;
} Way;

static int findWays(j_decompress_ptr info, CJPEGBlocks *blocks, const CJPEGLines targets[PARTS], Way *ways) {
  int count = 0;
  for (int member = 0; member < info->comps_in_scan; member++) {
    const jpeg_component_info *component = info->cur_comp_info[member];
    Part *part = &blocks->parts[component->component_index];
    size_t width = (size_t)part->kept.across * 2, stride = targets[component->component_index].stride;
    int16_t *target = targets[component->component_index].start;
    for (int row = 0; row < component->MCU_height; row++, target += stride * (size_t)part->kept.down / 2) {
      for (int column = 0; column < component->MCU_width; column++, count++) {
        ways[count] = (Way){part, target + (size_t)column * width, stride, (size_t)component->MCU_width * width};
      }
    }
  }
  return count;
}

static void stepOnce(j_decompress_ptr info, CJPEGBlocks *blocks, const CJPEGLines targets[PARTS]) {
  Way ways[D_MAX_BLOCKS_IN_MCU];
  JBLOCKROW rows[D_MAX_BLOCKS_IN_MCU];
  int count = findWays(info, blocks, targets, ways);
  for (int block = 0; block < count; block++) rows[block] = &blocks->mcu[block];
  for (uint32_t column = 0; column < blocks->columns; column++) {
    memset(blocks->mcu, 0, sizeof(JBLOCK) * (size_t)count);
    info->entropy->decode_mcu(info, rows);
    for (int block = 0; block < count; block++) {
      putBlock(blocks->mcu[block], ways[block].part, ways[block].target, ways[block].stride);
      ways[block].target += ways[block].next;
    }
  }
}

static void stepLanes(j_decompress_ptr info, CJPEGBlocks *blocks, const CJPEGLines targets[PARTS]) {
  Way ways[D_MAX_BLOCKS_IN_MCU];
  int count = findWays(info, blocks, targets, ways);
  const JCOEF *next = cjpeg_lanes_next(blocks->lanes, blocks->columns * (size_t)count);
  if (!next) cjpeg_huffman_leave(info);
  for (uint32_t column = 0; column < blocks->columns; column++) {
    for (int block = 0; block < count; block++, next += CJPEG_LANES_STRIDE) {
      putFew(next, ways[block].part, ways[block].target);
      ways[block].target += ways[block].next;
    }
  }
}

CJPEGStatus cjpeg_reader_step(CJPEGReader *reader, CJPEGLines luma, CJPEGLines blue, CJPEGLines red) {
  CJPEGBlocks *blocks = reader->blocks;
  if (setjmp(reader->faults.escape)) return cjpeg_faults_status(&reader->faults);
  const CJPEGLines targets[PARTS] = {luma, blue, red};
  if (blocks->row == 0) {
    blocks->hasLanes = reader->isQuick && cjpeg_lanes_begin(blocks->lanes, reader->huffman, &reader->info);
  }
  if (blocks->parts[0].whole) {
    stepWhole(&reader->info, blocks, targets);
  } else if (blocks->hasLanes) {
    stepLanes(&reader->info, blocks, targets);
  } else {
    stepOnce(&reader->info, blocks, targets);
  }
  blocks->row++;
  return CJPEG_OK;
}
