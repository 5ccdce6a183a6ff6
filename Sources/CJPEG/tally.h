#ifndef CJPEG_tally_h
#define CJPEG_tally_h
// Counts a picture's symbols and makes its Huffman tables in libjpeg-turbo's place, which looks at each coefficient by itself: decision 20.
#include <stdio.h>

#include <jpeglib.h>

typedef struct CJPEGTally CJPEGTally;

CJPEGTally *cjpeg_tally_create(void);
void cjpeg_tally_destroy(CJPEGTally *tally);
/// Between jpeg_start_compress and the first row of a sequential picture with optimized tables and without restarts: takes the place of
/// `info`'s entropy encoder until the tables are made. They are those that the library would make.
void cjpeg_tally_attach(CJPEGTally *tally, j_compress_ptr info);
#endif
