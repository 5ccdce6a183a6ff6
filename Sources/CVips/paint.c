#include "CVips.h"

#include "CVipsValues.h"

int cvips_clouds(int width, int height, int cell, int seed, VipsImage **out) {
  return vips_perlin(out, width, height, "cell_size", cell, "seed", seed, NULL);
}

int cvips_grain(int width, int height, double sigma, int seed, VipsImage **out) {
  return vips_gaussnoise(out, width, height, "mean", 0.0, "sigma", sigma, "seed", seed, NULL);
}

// Hands over the result of a step and lets go of what it stood on.
static int then(int failed, VipsImage *step) {
  if (step) g_object_unref(step);
  return failed;
}

int cvips_tiled(VipsImage *in, int width, int height, VipsImage **out) {
  int across = (width + vips_image_get_width(in) - 1) / vips_image_get_width(in);
  int down = (height + vips_image_get_height(in) - 1) / vips_image_get_height(in);
  VipsImage *tiles = NULL;
  if (vips_replicate(in, &tiles, across, down, NULL)) return -1;
  return then(vips_extract_area(tiles, out, 0, 0, width, height, NULL), tiles);
}

int cvips_times(VipsImage *in, double factor, VipsImage **out) { return vips_linear1(in, out, factor, 0, NULL); }

int cvips_sum(VipsImage *left, VipsImage *right, VipsImage **out) { return vips_add(left, right, out, NULL); }

int cvips_as_bytes(VipsImage *in, VipsImage **out) {
  VipsImage *bytes = NULL;
  if (vips_cast(in, &bytes, CVIPS_FORMAT_UCHAR, NULL)) return -1;
  return then(vips_copy(bytes, out, "interpretation", CVIPS_INTERPRETATION_SRGB, NULL), bytes);
}

int cvips_with_alpha(VipsImage *in, VipsImage *alpha, VipsImage **out) {
  return vips_bandjoin2(in, alpha, out, NULL);
}

int cvips_resize(VipsImage *in, double across, double down, VipsImage **out) {
  return vips_resize(in, out, across, "vscale", down, "kernel", CVIPS_KERNEL_LANCZOS3, NULL);
}

int cvips_save_jpeg(VipsImage *in, int quality, void **bytes, size_t *count) {
  return vips_jpegsave_buffer(in, bytes, count, "Q", quality, "optimize_coding", 1, "strip", 1, NULL);
}

int cvips_save_png(VipsImage *in, void **bytes, size_t *count) {
  return vips_pngsave_buffer(in, bytes, count, "compression", 6, "strip", 1, NULL);
}

int cvips_save_webp(VipsImage *in, int quality, void **bytes, size_t *count) {
  return vips_webpsave_buffer(in, bytes, count, "Q", quality, "strip", 1, NULL);
}

int cvips_save_gif(VipsImage *in, int frame_height, void **bytes, size_t *count) {
  VipsImage *animation = NULL;
  if (vips_copy(in, &animation, NULL)) return -1;
  vips_image_set_int(animation, CVIPS_PAGE_HEIGHT, frame_height);
  return then(vips_gifsave_buffer(animation, bytes, count, NULL), animation);
}
