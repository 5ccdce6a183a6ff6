#ifndef CJPEG_faults_h
#define CJPEG_faults_h
// How libjpeg's errors and warnings leave it, for the reader and for the writer.
#include <setjmp.h>
#include <stdio.h>

#include <jpeglib.h>
// After jpeglib.h: with this defined, jerror.h gives the message numbers only.
#include <jerror.h>

#include "CJPEG.h"

// No text is ever made, errors leave by longjmp, and of the warnings only the one that says 'the data ended early'
// counts.
typedef struct {
  struct jpeg_error_mgr manager;
  jmp_buf escape;
  int truncated;
  int isIrregular;
} CJPEGFaults;

void cjpeg_faults_init(CJPEGFaults *faults);
CJPEGStatus cjpeg_faults_status(const CJPEGFaults *faults);
#endif
