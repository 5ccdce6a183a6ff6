#include <setjmp.h>
#include <stdlib.h>

#include "CJPEG.h"
#include "faults.h"
#include "tally.h"

enum { FIRST_BYTES = 1 << 15 };

struct CJPEGWriter {
  struct jpeg_compress_struct info;
  CJPEGFaults faults;
  struct jpeg_destination_mgr target;
  CJPEGTally *tally;
  int countsItself;
  JOCTET *bytes;
  size_t room;
};

static void target_start(j_compress_ptr info) {
  CJPEGWriter *writer = info->client_data;
  info->dest->next_output_byte = writer->bytes;
  info->dest->free_in_buffer = writer->room;
}

// The buffer is full to its end, whatever free_in_buffer says.
static boolean target_full(j_compress_ptr info) {
  CJPEGWriter *writer = info->client_data;
  JOCTET *larger = realloc(writer->bytes, writer->room * 2);
  if (!larger) {
    info->err->msg_code = JERR_OUT_OF_MEMORY;
    info->err->error_exit((j_common_ptr)info);
    return FALSE;
  }
  info->dest->next_output_byte = larger + writer->room;
  info->dest->free_in_buffer = writer->room;
  writer->bytes = larger;
  writer->room *= 2;
  return TRUE;
}

static void target_end(j_compress_ptr info) { (void)info; }

CJPEGWriter *cjpeg_writer_create(int countsItself) {
  CJPEGWriter *writer = calloc(1, sizeof *writer);
  if (!writer) return NULL;
  writer->room = FIRST_BYTES;
  writer->bytes = malloc(writer->room);
  writer->countsItself = countsItself;
  writer->tally = cjpeg_tally_create();
  cjpeg_faults_init(&writer->faults);
  writer->info.err = &writer->faults.manager;
  if (!writer->bytes || !writer->tally || setjmp(writer->faults.escape)) {
    cjpeg_tally_destroy(writer->tally);
    free(writer->bytes);
    free(writer);
    return NULL;
  }
  jpeg_create_compress(&writer->info);
  writer->info.client_data = writer;
  writer->target.init_destination = target_start;
  writer->target.empty_output_buffer = target_full;
  writer->target.term_destination = target_end;
  writer->info.dest = &writer->target;
  return writer;
}

void cjpeg_writer_destroy(CJPEGWriter *writer) {
  if (!writer) return;
  jpeg_destroy_compress(&writer->info);
  cjpeg_tally_destroy(writer->tally);
  free(writer->bytes);
  free(writer);
}

// A picture was left in the middle: the writer can take another.
static CJPEGStatus abandon(CJPEGWriter *writer) {
  CJPEGStatus status = cjpeg_faults_status(&writer->faults);
  if (!setjmp(writer->faults.escape)) jpeg_abort_compress(&writer->info);
  return status;
}

static void begin(CJPEGWriter *writer, uint32_t width, uint32_t height, J_COLOR_SPACE colours, int quality) {
  j_compress_ptr info = &writer->info;
  info->image_width = width;
  info->image_height = height;
  info->input_components = 3;
  info->in_color_space = colours;
  jpeg_set_defaults(info);
  jpeg_set_quality(info, quality, TRUE);
  info->optimize_coding = TRUE;
  if (quality >= CJPEG_FULL_CHROMA_QUALITY) info->comp_info[0].h_samp_factor = info->comp_info[0].v_samp_factor = 1;
}

static void start(CJPEGWriter *writer) {
  jpeg_start_compress(&writer->info, TRUE);
  if (writer->countsItself) cjpeg_tally_attach(writer->tally, &writer->info);
}

static CJPEGStatus end(CJPEGWriter *writer, const uint8_t **bytes, size_t *count) {
  jpeg_finish_compress(&writer->info);
  *bytes = writer->bytes;
  *count = writer->room - writer->target.free_in_buffer;
  return CJPEG_OK;
}

CJPEGStatus cjpeg_writer_write(
    CJPEGWriter *writer, const uint8_t *pixels, uint32_t width, uint32_t height, int quality, const uint8_t **bytes,
    size_t *count) {
  j_compress_ptr info = &writer->info;
  if (setjmp(writer->faults.escape)) return abandon(writer);
  begin(writer, width, height, JCS_RGB, quality);
  start(writer);
  while (info->next_scanline < height) {
    JSAMPROW row[1] = {(JSAMPROW)(pixels + (size_t)info->next_scanline * width * 3)};
    jpeg_write_scanlines(info, row, 1);
  }
  return end(writer, bytes, count);
}

CJPEGStatus cjpeg_writer_write_planes(
    CJPEGWriter *writer, const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint32_t side, int quality,
    const uint8_t **bytes, size_t *count) {
  j_compress_ptr info = &writer->info;
  if (side == 0 || side % (2 * DCTSIZE) != 0 || quality >= CJPEG_FULL_CHROMA_QUALITY) return CJPEG_UNSUPPORTED;
  if (setjmp(writer->faults.escape)) return abandon(writer);
  begin(writer, side, side, JCS_YCbCr, quality);
  info->raw_data_in = TRUE;
  start(writer);
  while (info->next_scanline < side) {
    JSAMPROW rows[3][2 * DCTSIZE];
    JSAMPARRAY planes[3] = {rows[0], rows[1], rows[2]};
    size_t top = info->next_scanline;
    for (size_t row = 0; row < 2 * DCTSIZE; row++) rows[0][row] = (JSAMPROW)(luma + (top + row) * side);
    for (size_t row = 0; row < DCTSIZE; row++) {
      rows[1][row] = (JSAMPROW)(blue + (top / 2 + row) * (side / 2));
      rows[2][row] = (JSAMPROW)(red + (top / 2 + row) * (side / 2));
    }
    jpeg_write_raw_data(info, planes, 2 * DCTSIZE);
  }
  return end(writer, bytes, count);
}
