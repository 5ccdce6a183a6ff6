#include "CWebP.h"

#include <webp/decode.h>

static CWebPStatus status(VP8StatusCode code) {
  switch (code) {
    case VP8_STATUS_OK:
      return CWEBP_OK;
    case VP8_STATUS_OUT_OF_MEMORY:
      return CWEBP_NO_MEMORY;
    default:
      return CWEBP_CORRUPT;
  }
}

CWebPStatus cwebp_look(const uint8_t *bytes, size_t count, CWebPFrame *frame) {
  WebPBitstreamFeatures features;
  VP8StatusCode code = WebPGetFeatures(bytes, count, &features);
  if (code != VP8_STATUS_OK) return status(code);
  *frame = (CWebPFrame){features.width, features.height, features.has_alpha, features.has_animation};
  return CWEBP_OK;
}

CWebPStatus cwebp_decode(
    const uint8_t *bytes, size_t count, int width, int height, int hasAlpha, uint8_t *pixels, size_t room) {
  WebPDecoderConfig config;
  if (!WebPInitDecoderConfig(&config)) return CWEBP_CORRUPT;
  VP8StatusCode code = WebPGetFeatures(bytes, count, &config.input);
  if (code != VP8_STATUS_OK) return status(code);
  config.options.use_scaling = width != config.input.width || height != config.input.height;
  config.options.scaled_width = width;
  config.options.scaled_height = height;
  config.output.colorspace = hasAlpha ? MODE_RGBA : MODE_RGB;
  config.output.is_external_memory = 1;
  config.output.u.RGBA.rgba = pixels;
  config.output.u.RGBA.stride = width * (hasAlpha ? 4 : 3);
  config.output.u.RGBA.size = room;
  return status(WebPDecode(bytes, count, &config));
}
