#ifndef CJPEG_lanes_h
#define CJPEG_lanes_h
// Reads entropy-coded data at two places at once: decision 25.
#include "huffman.h"

typedef struct CJPEGLanes CJPEGLanes;

CJPEGLanes *cjpeg_lanes_create(void);
void cjpeg_lanes_destroy(CJPEGLanes *lanes);
/// From how many coefficients on the next block begins.
enum { CJPEG_LANES_STRIDE = 8 };
/// Before the first MCU of a picture that `huffman` is attached to: 0 where it is not one that this is for: with restarts, of few blocks, or of which more is wanted than
/// the first CJPEG_LANES_STRIDE coefficients in zigzag order.
int cjpeg_lanes_begin(CJPEGLanes *lanes, const CJPEGHuffman *huffman, j_decompress_ptr info);
/// The next `count` blocks: coefficients in zigzag order, of which the first is the DC value's difference; behind those that are wanted comes anything. NULL:
/// not what every decoder would read the same way.
const JCOEF *cjpeg_lanes_next(CJPEGLanes *lanes, size_t count);
/// Gives memory back that only a large picture needs.
void cjpeg_lanes_end(CJPEGLanes *lanes);
#endif
