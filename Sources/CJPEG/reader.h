#ifndef CJPEG_reader_h
#define CJPEG_reader_h
// What a reader consists of: for reader.c, which reads pixels, and blocks.c, which reads coefficients.
#include "CJPEG.h"
#include "faults.h"
#include "huffman.h"
#include "lanes.h"

typedef struct CJPEGBlocks CJPEGBlocks;

CJPEGBlocks *cjpeg_blocks_create(void);
void cjpeg_blocks_destroy(CJPEGBlocks *blocks);
/// Behind a picture: gives memory back that only a large one needs.
void cjpeg_blocks_end(CJPEGBlocks *blocks);

struct CJPEGReader {
  struct jpeg_decompress_struct info;
  CJPEGFaults faults;
  struct jpeg_source_mgr source;
  CJPEGHuffman *huffman;
  CJPEGBlocks *blocks;
  int isCreated;
  int ranOut;
  int isQuick;
};

/// To the beginning of a file. May leave by longjmp.
void cjpeg_reader_take(CJPEGReader *reader, const uint8_t *bytes, size_t count);
#endif
