#ifndef CJPEG_h
#define CJPEG_h
// libjpeg-turbo behind functions that return: its errors leave by longjmp, which must never cross a Swift frame, so
// every call into the library is made here under a setjmp of its own.
#include <stddef.h>
#include <stdint.h>

/// How a call ended; libjpeg's message numbers are mapped to these in faults.c.
typedef enum CJPEGStatus {
  CJPEG_OK = 0,
  CJPEG_CORRUPT = 1,      ///< not decodable
  CJPEG_UNSUPPORTED = 2,  ///< a kind of JPEG that libjpeg-turbo does not decode (12 bit, lossless, hierarchical)
  CJPEG_TRUNCATED = 3,    ///< the entropy-coded data ended before the last row
  CJPEG_NO_MEMORY = 4,    ///< the address space is used up
  CJPEG_IRREGULAR = 5,    ///< not for CJPEG_QUICK: start again with CJPEG_LIBRARY
} CJPEGStatus;

/// What a pixel holds, one byte a band.
typedef enum CJPEGPixels {
  CJPEG_RGB = 0,            ///< red, green, blue
  CJPEG_GREY = 1,           ///< one band
  CJPEG_CMYK = 2,           ///< inks, 255 = full
  CJPEG_CMYK_INVERTED = 3,  ///< inks as Adobe stores them, 0 = full
} CJPEGPixels;

/// Who reads the entropy-coded data.
typedef enum CJPEGEntropy {
  CJPEG_QUICK = 0,    ///< huffman.c, which leaves everything that is damaged or rare to the library; the same coefficients in half the time
  CJPEG_LIBRARY = 1,  ///< libjpeg-turbo
} CJPEGEntropy;

typedef struct CJPEGReader CJPEGReader;

/// What is read: filled by cjpeg_reader_start. All lengths in scaled pixels.
typedef struct CJPEGFrame {
  uint32_t width;    ///< of the whole scaled picture
  uint32_t height;
  uint32_t left;     ///< of the columns that rows hold
  uint32_t columns;
  uint32_t bands;    ///< bytes a pixel
  CJPEGPixels pixels;
} CJPEGFrame;

CJPEGReader *cjpeg_reader_create(void);
void cjpeg_reader_destroy(CJPEGReader *reader);
/// Starts to decode `bytes` (kept, not copied) at `eighths`/8 of its size (1…8). Rows hold at least the columns
/// [`left`, `left` + `columns`) of the scaled picture, 0 columns for all. With CJPEG_QUICK what follows up to finish may come to CJPEG_IRREGULAR.
CJPEGStatus cjpeg_reader_start(
    CJPEGReader *reader, CJPEGEntropy entropy, const uint8_t *bytes, size_t count, uint32_t eighths, uint32_t left,
    uint32_t columns, CJPEGFrame *frame);
/// Reads the next rows, of frame->columns pixels each, `rowBytes` apart.
CJPEGStatus cjpeg_reader_read(CJPEGReader *reader, uint8_t *pixels, uint32_t rows, size_t rowBytes);
/// Passes over rows, not the last: their data is still checked.
CJPEGStatus cjpeg_reader_skip(CJPEGReader *reader, uint32_t rows);
/// Ends a picture of which all rows were read or skipped: CJPEG_TRUNCATED if their data was not all there.
CJPEGStatus cjpeg_reader_finish(CJPEGReader *reader);
/// Whether all of the present picture's entropy-coded data are huffman.c's.
int cjpeg_reader_is_quick(const CJPEGReader *reader);
/// Leaves a picture wherever it is; start may follow.
void cjpeg_reader_abandon(CJPEGReader *reader);

/// One of the planes that a JPEG is stored as.
typedef struct CJPEGPlane {
  uint32_t width;    ///< in its own samples, as all of these
  uint32_t height;
  uint32_t columns;  ///< blocks beside each other, those to the right of the picture among them
  uint32_t rows;     ///< of blocks that a step brings, 1 or 2
  uint32_t across;   ///< the picture's pixels that one sample stands for, 1 or 2
  uint32_t down;
} CJPEGPlane;

/// Starts to read `bytes` (kept, not copied) by planes: luma and both of chroma as they are stored, as coefficients of the DCT. CJPEG_UNSUPPORTED where the
/// JPEG is not made of such planes, with chroma as large as luma or halved, or not all of it has come; another start may follow at once. CJPEG_QUICK as above.
CJPEGStatus cjpeg_reader_start_planes(
    CJPEGReader *reader, CJPEGEntropy entropy, const uint8_t *bytes, size_t count, CJPEGPlane planes[3]);
/// Before the first step: of each block of `plane` (0, 1 or 2) its lowest `across` by `down` coefficients are asked for: 2, 4, 6 or 8; all of
/// them without this.
void cjpeg_reader_keep(CJPEGReader *reader, int plane, uint32_t across, uint32_t down);
/// Where coefficients go: numbers, and how many from line to line.
typedef struct CJPEGLines {
  int16_t *start;
  size_t stride;
} CJPEGLines;

/// Brings the next `rows` of blocks of each plane, dequantized (modulo 2¹⁶). A row of blocks has down / 2 lines, a line columns × across pairs: of the coefficients
/// 2i and 2i + 1 downwards.
CJPEGStatus cjpeg_reader_step(CJPEGReader *reader, CJPEGLines luma, CJPEGLines blue, CJPEGLines red);

typedef struct CJPEGWriter CJPEGWriter;

/// From this quality on chroma is written at the size of luma.
enum { CJPEG_FULL_CHROMA_QUALITY = 90 };

/// With `countsItself` 0 libjpeg-turbo makes the tables too, which come out the same in twice the time (tally.c).
CJPEGWriter *cjpeg_writer_create(int countsItself);
void cjpeg_writer_destroy(CJPEGWriter *writer);
/// Writes red, green and blue, tightly packed, as a baseline JPEG with optimized tables, and halved chroma below CJPEG_FULL_CHROMA_QUALITY.
/// `bytes` hold until the next call or the writer's end.
CJPEGStatus cjpeg_writer_write(
    CJPEGWriter *writer, const uint8_t *pixels, uint32_t width, uint32_t height, int quality, const uint8_t **bytes,
    size_t *count);
/// The same of planes, at a quality below CJPEG_FULL_CHROMA_QUALITY: luma of `side`², a multiple of 16, and both of chroma of half the side.
CJPEGStatus cjpeg_writer_write_planes(
    CJPEGWriter *writer, const uint8_t *luma, const uint8_t *blue, const uint8_t *red, uint32_t side, int quality,
    const uint8_t **bytes, size_t *count);
#endif
