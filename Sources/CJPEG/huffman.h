#ifndef CJPEG_huffman_h
#define CJPEG_huffman_h
// Reads the entropy-coded data of sequential JPEGs in libjpeg-turbo's place, two coefficients at a look: decision 20.
#include <stdio.h>

#include <jpeglib.h>

#include "CJPEG.h"
#include "bits.h"

typedef struct CJPEGHuffman CJPEGHuffman;

CJPEGHuffman *cjpeg_huffman_create(void);
void cjpeg_huffman_destroy(CJPEGHuffman *huffman);
/// Between jpeg_start_decompress and the first row: from here on `huffman` is `info`'s entropy decoder. 0, and nothing has changed, for a picture that is not
/// one sequential scan of Huffman codes; else 1. Where the data are not what every decoder would read the same way it leaves by longjmp with
/// CJPEG_IRREGULAR. `info`'s err must be a CJPEGFaults'.
int cjpeg_huffman_attach(CJPEGHuffman *huffman, j_decompress_ptr info);
/// After attach: of a component's blocks only the first `across` by `down` coefficients are asked for; the others may be anything.
void cjpeg_huffman_keep(CJPEGHuffman *huffman, j_decompress_ptr info, int component, int across, int down);

/// Gives the attempt up, by longjmp: the data are not what every decoder would read the same way.
void cjpeg_huffman_leave(j_decompress_ptr info);

/// What else could read the data: how the blocks of each MCU are read, and where the data are.
typedef struct {
  const CJPEGKind *kinds;
  int count;
  const uint8_t *source, *end;
} CJPEGScan;

/// After attach, and before the first MCU.
CJPEGScan cjpeg_huffman_scan(const CJPEGHuffman *huffman);
/// Copies entropy-coded data up to `limit`, each stuffed FF 00 as FF; up to the first marker or `sourceEnd`, and `isLast` becomes 1.
/// Returns where what was copied ends.
uint8_t *cjpeg_unstuff(
    const uint8_t **source, const uint8_t *sourceEnd, uint8_t *target, const uint8_t *limit, int *isLast);
#endif
