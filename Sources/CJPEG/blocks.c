// A picture's coefficients, as far as they are asked for: what its inverse DCT would be made of, for who resamples without one.
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include "reader.h"

#include <jpegint.h>

enum { PARTS = 3 };

typedef struct {
  int across, down;        // coefficients that are given of a block
  JCOEF steps[DCTSIZE2];   // what they are multiplied by
  jvirt_barray_ptr whole;  // all of them, where a picture comes in several scans
} Part;

struct CJPEGBlocks {
  Part parts[PARTS];
  uint32_t columns;  // of MCUs
  uint32_t row;      // of MCUs, the next
  JBLOCK mcu[D_MAX_BLOCKS_IN_MCU];
};

CJPEGBlocks *cjpeg_blocks_create(void) { return calloc(1, sizeof(CJPEGBlocks)); }

void cjpeg_blocks_destroy(CJPEGBlocks *blocks) { free(blocks); }

static int hasPlanes(j_decompress_ptr info) {
  const jpeg_component_info *parts = info->comp_info;
  if (info->jpeg_color_space != JCS_YCbCr || info->num_components != PARTS) return 0;
  if (parts[0].h_samp_factor > 2 || parts[0].v_samp_factor > 2) return 0;
  for (int part = 1; part < PARTS; part++) {
    if (parts[part].h_samp_factor != 1 || parts[part].v_samp_factor != 1) return 0;
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
    blocks->parts[index] = (Part){.across = DCTSIZE, .down = DCTSIZE, .whole = whole ? whole[index] : NULL};
    if (!part->quant_table) return CJPEG_CORRUPT;
    for (int place = 0; place < DCTSIZE2; place++) {
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
  part->across = (int)across;
  part->down = (int)down;
  if (reader->isQuick) cjpeg_huffman_keep(reader->huffman, &reader->info, plane, part->across, part->down);
}

// A block's coefficients, two of its rows at a time, those that lie below each other side by side.
static inline __attribute__((always_inline)) void put(
    const JCOEF *block, const Part *part, int across, int16_t *restrict target, size_t stride) {
  for (int row = 0; row < part->down; row += 2) {
    const JCOEF *upper = block + row * DCTSIZE, *steps = part->steps + row * DCTSIZE;
    for (int column = 0; column < across; column++) {
      target[2 * column] = (int16_t)(upper[column] * steps[column]);
      target[2 * column + 1] = (int16_t)(upper[column + DCTSIZE] * steps[column + DCTSIZE]);
    }
    target += stride;
  }
}

static inline void putBlock(const JCOEF *block, const Part *part, int16_t *target, size_t stride) {
  switch (part->across) {
    case 2: put(block, part, 2, target, stride); break;
    case 4: put(block, part, 4, target, stride); break;
    default: put(block, part, DCTSIZE, target, stride);
  }
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
    for (JDIMENSION row = 0; row < down; row++, target += stride * (size_t)part->down / 2) {
      for (size_t column = 0; column < columns; column++) {
        putBlock(rows[row][column], part, target + column * (size_t)part->across * 2, stride);
      }
    }
  }
}

// Where a block of an MCU goes, and how far it is to the next MCU's.
typedef struct {
  const Part *part;
  int16_t *target;
  size_t stride, next;
} Way;

static void stepOnce(j_decompress_ptr info, CJPEGBlocks *blocks, const CJPEGLines targets[PARTS]) {
  Way ways[D_MAX_BLOCKS_IN_MCU];
  JBLOCKROW rows[D_MAX_BLOCKS_IN_MCU];
  int count = 0;
  for (int member = 0; member < info->comps_in_scan; member++) {
    const jpeg_component_info *component = info->cur_comp_info[member];
    const Part *part = &blocks->parts[component->component_index];
    size_t width = (size_t)part->across * 2, stride = targets[component->component_index].stride;
    int16_t *target = targets[component->component_index].start;
    for (int row = 0; row < component->MCU_height; row++, target += stride * (size_t)part->down / 2) {
      for (int column = 0; column < component->MCU_width; column++, count++) {
        ways[count] = (Way){part, target + (size_t)column * width, stride, (size_t)component->MCU_width * width};
        rows[count] = &blocks->mcu[count];
      }
    }
  }
  for (uint32_t column = 0; column < blocks->columns; column++) {
    memset(blocks->mcu, 0, sizeof(JBLOCK) * (size_t)count);
    info->entropy->decode_mcu(info, rows);
    for (int block = 0; block < count; block++) {
      putBlock(blocks->mcu[block], ways[block].part, ways[block].target, ways[block].stride);
      ways[block].target += ways[block].next;
    }
  }
}

CJPEGStatus cjpeg_reader_step(CJPEGReader *reader, CJPEGLines luma, CJPEGLines blue, CJPEGLines red) {
  if (setjmp(reader->faults.escape)) return cjpeg_faults_status(&reader->faults);
  const CJPEGLines targets[PARTS] = {luma, blue, red};
  (reader->blocks->parts[0].whole ? stepWhole : stepOnce)(&reader->info, reader->blocks, targets);
  reader->blocks->row++;
  return CJPEG_OK;
}
