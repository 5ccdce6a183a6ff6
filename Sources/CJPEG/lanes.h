#ifndef CJPEG_lanes_h
#define CJPEG_lanes_h
// Reads entropy-coded data at two places at once: decision 25.
#include "huffman.h"

typedef struct CJPEGLanes CJPEGLanes;

CJPEGLanes *cjpeg_lanes_create(void);
void cjpeg_lanes_destroy(CJPEGLanes *lanes);
/// Before the first MCU of a picture that `huffman` is attached to: 0 where it is not one that this is for (restarts, few blocks, many coefficients).
int cjpeg_lanes_begin(CJPEGLanes *lanes, const CJPEGHuffman *huffman, j_decompress_ptr info);
/// From how many coefficients on the next block begins.
size_t cjpeg_lanes_stride(const CJPEGLanes *lanes);
/// The next `count` blocks: each block's coefficients in zigzag order, of which the first is the DC value's difference, as far as they are wanted; behind them
/// anything. NULL: not what every decoder would read the same way.
const JCOEF *cjpeg_lanes_next(CJPEGLanes *lanes, size_t count);
/// Gives memory back that only a large picture needs.
void cjpeg_lanes_end(CJPEGLanes *lanes);
#endif
