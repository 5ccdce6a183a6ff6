#include <stddef.h>

#include "CVips.h"
#include "CVipsValues.h"

int cvips_thumbnail(const void *bytes, size_t count, int side, VipsImage **out) {
  return vips_thumbnail_buffer(
      (void *)bytes, count, out, side, "height", side, "crop", CVIPS_INTERESTING_CENTRE, NULL);
}

int cvips_save_thumbnail(VipsImage *in, int quality, void **bytes, size_t *count) {
  static const double white[3] = {255, 255, 255};
  VipsArrayDouble *ground = vips_array_double_new(white, 3);
  int failed = vips_jpegsave_buffer(
      in, bytes, count, "Q", quality, "optimize_coding", 1, "strip", 1, "background", ground, NULL);
  vips_area_unref((VipsArea *)ground);
  return failed;
}

void *cvips_decode_whole(
    const void *bytes, size_t count, int *width, int *height, int *bands, size_t *decoded) {
  VipsImage *image = vips_image_new_from_buffer(bytes, count, "", NULL);
  if (!image) return NULL;
  VipsImage *upright = NULL;
  int failed = vips_autorot(image, &upright, NULL);
  g_object_unref(image);
  if (failed) return NULL;
  *width = vips_image_get_width(upright);
  *height = vips_image_get_height(upright);
  *bands = vips_image_get_bands(upright);
  void *pixels = vips_image_write_to_memory(upright, decoded);
  g_object_unref(upright);
  return pixels;
}
