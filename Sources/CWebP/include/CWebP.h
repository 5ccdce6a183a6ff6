#ifndef CWebP_h
#define CWebP_h
// libwebp's still pictures, in one call each.
#include <stddef.h>
#include <stdint.h>

/// How a decode ended.
typedef enum CWebPStatus {
  CWEBP_OK = 0,
  CWEBP_CORRUPT = 1,    ///< not decodable, or it ends early
  CWEBP_NO_MEMORY = 2,  ///< the address space is used up
} CWebPStatus;

/// What a picture is, by its header.
typedef struct CWebPFrame {
  int width;
  int height;
  int hasAlpha;
  int isAnimated;
} CWebPFrame;

/// Reads the header alone.
CWebPStatus cwebp_look(const uint8_t *bytes, size_t count, CWebPFrame *frame);
/// Decodes a still picture to `width` × `height`, averaging where that is less than its own size, as tightly packed red,
/// green and blue, with plain alpha if it `hasAlpha`.
CWebPStatus cwebp_decode(
    const uint8_t *bytes, size_t count, int width, int height, int hasAlpha, uint8_t *pixels, size_t room);
#endif
