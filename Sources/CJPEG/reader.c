#include <setjmp.h>
#include <stdlib.h>

#include "reader.h"

static void source_nothing(j_decompress_ptr info) { (void)info; }

// The bytes are all there from the start, so a request for more means that they ended: an end marker is put in, and
// whether rows were missing shows in the JWRN_HIT_MARKER that follows if the decoder still needs bits.
static boolean source_fill(j_decompress_ptr info) {
  static const JOCTET end[2] = {0xFF, JPEG_EOI};
  ((CJPEGReader *)info->client_data)->ranOut = 1;
  info->src->next_input_byte = end;
  info->src->bytes_in_buffer = 2;
  return TRUE;
}

static void source_skip(j_decompress_ptr info, long count) {
  if (count <= 0) return;
  if ((size_t)count > info->src->bytes_in_buffer) {
    source_fill(info);
    return;
  }
  info->src->next_input_byte += count;
  info->src->bytes_in_buffer -= (size_t)count;
}

CJPEGReader *cjpeg_reader_create(void) {
  CJPEGReader *reader = calloc(1, sizeof *reader);
  if (!reader) return NULL;
  reader->huffman = cjpeg_huffman_create();
  reader->blocks = cjpeg_blocks_create();
  if (!reader->huffman || !reader->blocks) {
    cjpeg_reader_destroy(reader);
    return NULL;
  }
  cjpeg_faults_init(&reader->faults);
  reader->source.init_source = source_nothing;
  reader->source.fill_input_buffer = source_fill;
  reader->source.skip_input_data = source_skip;
  reader->source.resync_to_restart = jpeg_resync_to_restart;
  reader->source.term_source = source_nothing;
  return reader;
}

void cjpeg_reader_destroy(CJPEGReader *reader) {
  if (!reader) return;
  if (reader->isCreated) jpeg_destroy_decompress(&reader->info);
  cjpeg_huffman_destroy(reader->huffman);
  cjpeg_blocks_destroy(reader->blocks);
  free(reader);
}

// To the beginning of a file, with a decoder that knows nothing of another: libjpeg keeps tables, and a file that lacks its own would be
// decoded with those of whichever came before it. May leave by longjmp.
void cjpeg_reader_take(CJPEGReader *reader, const uint8_t *bytes, size_t count) {
  j_decompress_ptr info = &reader->info;
  if (reader->isCreated) jpeg_destroy_decompress(info);
  reader->isCreated = 0;
  reader->faults.truncated = 0;
  reader->faults.isIrregular = 0;
  reader->faults.manager.num_warnings = 0;
  reader->ranOut = 0;
  reader->isQuick = 0;
  info->err = &reader->faults.manager;
  // What is half made is destroyed too.
  info->mem = NULL;
  reader->isCreated = 1;
  jpeg_create_decompress(info);
  info->client_data = reader;
  reader->source.next_input_byte = bytes;
  reader->source.bytes_in_buffer = count;
  info->src = &reader->source;
}

CJPEGStatus cjpeg_reader_start(
    CJPEGReader *reader, CJPEGEntropy entropy, const uint8_t *bytes, size_t count, uint32_t eighths, uint32_t left,
    uint32_t columns, CJPEGFrame *frame) {
  j_decompress_ptr info = &reader->info;
  if (setjmp(reader->faults.escape)) return cjpeg_faults_status(&reader->faults);
  cjpeg_reader_take(reader, bytes, count);
  if (jpeg_read_header(info, TRUE) != JPEG_HEADER_OK) return CJPEG_CORRUPT;
  switch (info->jpeg_color_space) {
    case JCS_CMYK:
    case JCS_YCCK:
      info->out_color_space = JCS_CMYK;
      frame->pixels = info->saw_Adobe_marker ? CJPEG_CMYK_INVERTED : CJPEG_CMYK;
      break;
    case JCS_GRAYSCALE:
      info->out_color_space = JCS_GRAYSCALE;
      frame->pixels = CJPEG_GREY;
      break;
    default:
      info->out_color_space = JCS_RGB;
      frame->pixels = CJPEG_RGB;
  }
  info->scale_num = eighths;
  info->scale_denom = 8;
  if (!jpeg_start_decompress(info)) return CJPEG_CORRUPT;
  reader->isQuick = entropy == CJPEG_QUICK && cjpeg_huffman_attach(reader->huffman, info);
  frame->width = info->output_width;
  frame->height = info->output_height;
  frame->left = 0;
  frame->columns = info->output_width;
  if (columns > 0 && columns < info->output_width && left <= info->output_width - columns) {
    JDIMENSION offset = left, width = columns;
    jpeg_crop_scanline(info, &offset, &width);
    frame->left = offset;
    frame->columns = width;
  }
  frame->bands = (uint32_t)info->output_components;
  return CJPEG_OK;
}

CJPEGStatus cjpeg_reader_read(CJPEGReader *reader, uint8_t *pixels, uint32_t rows, size_t rowBytes) {
  if (setjmp(reader->faults.escape)) return cjpeg_faults_status(&reader->faults);
  for (uint32_t row = 0; row < rows; row++) {
    JSAMPROW target[1] = {pixels + row * rowBytes};
    if (jpeg_read_scanlines(&reader->info, target, 1) != 1) return CJPEG_CORRUPT;
  }
  return CJPEG_OK;
}

CJPEGStatus cjpeg_reader_skip(CJPEGReader *reader, uint32_t rows) {
  if (setjmp(reader->faults.escape)) return cjpeg_faults_status(&reader->faults);
  return jpeg_skip_scanlines(&reader->info, rows) == rows ? CJPEG_OK : CJPEG_CORRUPT;
}

CJPEGStatus cjpeg_reader_finish(CJPEGReader *reader) {
  j_decompress_ptr info = &reader->info;
  // A progressive file that was cut exactly between two scans never needs a missing bit: what tells is that some
  // coefficient has not come, or not with all of its bits.
  if (reader->ranOut && info->progressive_mode && info->coef_bits) {
    for (int component = 0; component < info->num_components; component++) {
      for (int index = 0; index < DCTSIZE2; index++) {
        if (info->coef_bits[component][index] != 0) reader->faults.truncated = 1;
      }
    }
  }
  // What lies behind the last row is of no interest, so the picture is left rather than read to its end.
  cjpeg_reader_abandon(reader);
  return reader->faults.truncated ? CJPEG_TRUNCATED : CJPEG_OK;
}

int cjpeg_reader_is_quick(const CJPEGReader *reader) { return reader->isQuick; }

void cjpeg_reader_abandon(CJPEGReader *reader) {
  cjpeg_blocks_end(reader->blocks);
  if (!reader->isCreated || setjmp(reader->faults.escape)) return;
  jpeg_abort_decompress(&reader->info);
}
