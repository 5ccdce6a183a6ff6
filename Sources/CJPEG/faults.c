#include "faults.h"

static void leave(j_common_ptr info) { longjmp(((CJPEGFaults *)info->err)->escape, 1); }

// Bits are needed and a marker is there. A restart marker says that some were damaged and that more will come; any
// other one, that there are no more.
static void note(j_common_ptr info, int level) {
  if (level >= 0 || info->err->msg_code != JWRN_HIT_MARKER || !info->is_decompressor) return;
  int marker = ((j_decompress_ptr)info)->unread_marker;
  if (marker < JPEG_RST0 || marker > JPEG_RST0 + 7) ((CJPEGFaults *)info->err)->truncated = 1;
}

static void ignore(j_common_ptr info) { (void)info; }

void cjpeg_faults_init(CJPEGFaults *faults) {
  jpeg_std_error(&faults->manager);
  faults->manager.error_exit = leave;
  faults->manager.emit_message = note;
  faults->manager.output_message = ignore;
  faults->truncated = 0;
  faults->isIrregular = 0;
}

CJPEGStatus cjpeg_faults_status(const CJPEGFaults *faults) {
  if (faults->isIrregular) return CJPEG_IRREGULAR;
  switch (faults->manager.msg_code) {
    case JERR_OUT_OF_MEMORY:
      return CJPEG_NO_MEMORY;
    case JERR_BAD_PRECISION:
    case JERR_SOF_UNSUPPORTED:
    case JERR_NOT_COMPILED:
    case JERR_ARITH_NOTIMPL:
    case JERR_CCIR601_NOTIMPL:
    case JERR_CONVERSION_NOTIMPL:
    case JERR_FRACT_SAMPLE_NOTIMPL:
    case JERR_COMPONENT_COUNT:
      return CJPEG_UNSUPPORTED;
    default:
      return CJPEG_CORRUPT;
  }
}
