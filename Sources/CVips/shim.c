#define _GNU_SOURCE
#include "CVips.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "CVipsValues.h"

static unsigned drop(int level, const GLogField *fields, size_t count, void *context) {
  (void)level, (void)fields, (void)count, (void)context;
  return 1;  // G_LOG_WRITER_HANDLED
}

void cvips_silence(void) { g_log_set_writer_func(drop, NULL, NULL); }

// libvips opens every module it finds beside itself: ImageMagick, poppler, JPEG XL and OpenSlide, megabytes of decoders
// that are never to see a byte here. Pointed at a place that does not exist it opens none, and the one that is wanted is
// opened by name.
int cvips_start(void) {
  // Each thread's first allocation would take 64 MiB of address space, which is limited; no two threads work at once here.
  mallopt(M_ARENA_MAX, 1);
  if (setenv("VIPSHOME", "/nonexistent", 1) != 0) return -1;
  if (vips_init("avatar-worker") != 0) return -1;
  Dl_info library;
  if (!dladdr((void *)vips_init, &library) || !library.dli_fname) return -1;
  const char *slash = strrchr(library.dli_fname, '/');
  if (!slash) return -1;
  char path[4096];
  int length = snprintf(
      path, sizeof path, "%.*s/vips-modules-%d.%d/vips-heif.so", (int)(slash - library.dli_fname), library.dli_fname,
      vips_version(0), vips_version(1));
  if (length < 0 || (size_t)length >= sizeof path) return -1;
  // Where the module is not there, libvips may have been built with HEIF inside; the warm-up finds out.
  g_module_open(path, CVIPS_MODULE_BIND_LAZY);
  return 0;
}

VipsImage *cvips_load(CVipsLoader loader, const void *bytes, size_t count, double scale) {
  VipsImage *image = NULL;
  void *source = (void *)bytes;
  int failed = -1;
  switch (loader) {
    case CVIPS_PNG:
      failed = vips_pngload_buffer(
          source, count, &image, "access", CVIPS_SEQUENTIAL, "fail_on", CVIPS_FAIL_ON_TRUNCATED, NULL);
      break;
    case CVIPS_GIF:
      failed = vips_gifload_buffer(
          source, count, &image, "access", CVIPS_SEQUENTIAL, "fail_on", CVIPS_FAIL_ON_TRUNCATED, NULL);
      break;
    case CVIPS_WEBP:
      failed = vips_webpload_buffer(
          source, count, &image, "access", CVIPS_SEQUENTIAL, "fail_on", CVIPS_FAIL_ON_TRUNCATED, NULL);
      break;
    case CVIPS_HEIF:
      failed = vips_heifload_buffer(
          source, count, &image, "access", CVIPS_SEQUENTIAL, "fail_on", CVIPS_FAIL_ON_TRUNCATED, NULL);
      break;
    case CVIPS_SVG:
      failed = vips_svgload_buffer(source, count, &image, "access", CVIPS_SEQUENTIAL, "scale", scale, NULL);
      break;
  }
  if (failed) {
    if (image) g_object_unref(image);
    return NULL;
  }
  return image;
}

CVipsSample cvips_sample(const VipsImage *image) {
  switch (vips_image_get_format(image)) {
    case CVIPS_FORMAT_UCHAR:
      return CVIPS_UINT8;
    case CVIPS_FORMAT_USHORT:
      return CVIPS_UINT16;
    default:
      return CVIPS_OTHER_SAMPLE;
  }
}

CVipsColour cvips_colour(const VipsImage *image) {
  switch (vips_image_get_interpretation(image)) {
    case CVIPS_INTERPRETATION_B_W:
    case CVIPS_INTERPRETATION_GREY16:
      return CVIPS_GREY;
    case CVIPS_INTERPRETATION_SRGB:
    case CVIPS_INTERPRETATION_RGB:
    case CVIPS_INTERPRETATION_RGB16:
      return CVIPS_RGB;
    case CVIPS_INTERPRETATION_CMYK:
      return CVIPS_CMYK;
    default:
      return CVIPS_OTHER_COLOUR;
  }
}

void *cvips_fetch(VipsRegion *region, int left, int top, int width, int height, size_t *count) {
  return vips_region_fetch(region, left, top, width, height, count);
}

static int interpretation(CVipsColour colour) {
  switch (colour) {
    case CVIPS_GREY:
      return CVIPS_INTERPRETATION_B_W;
    case CVIPS_CMYK:
      return CVIPS_INTERPRETATION_CMYK;
    default:
      return CVIPS_INTERPRETATION_SRGB;
  }
}

// Hands over the result of a step and lets go of what it stood on.
static int then(int failed, VipsImage *step) {
  if (step) g_object_unref(step);
  return failed;
}

int cvips_from_pixels(
    const void *pixels, size_t count, int width, int height, int bands, CVipsColour colour, VipsImage **out) {
  VipsImage *image = vips_image_new_from_memory(pixels, count, width, height, bands, CVIPS_FORMAT_UCHAR);
  if (!image) return -1;
  return then(vips_copy(image, out, "interpretation", interpretation(colour), NULL), image);
}

int cvips_crop(VipsImage *in, int left, int top, int width, int height, VipsImage **out) {
  return vips_extract_area(in, out, left, top, width, height, NULL);
}

int cvips_narrow(VipsImage *in, VipsImage **out) {
  VipsImage *narrow = NULL;
  if (vips_cast(in, &narrow, CVIPS_FORMAT_UCHAR, "shift", 1, NULL)) return -1;
  return then(vips_copy(narrow, out, "interpretation", interpretation(cvips_colour(in)), NULL), narrow);
}

int cvips_rotate(VipsImage *in, unsigned quarters, VipsImage **out) { return vips_rot(in, out, quarters, NULL); }

int cvips_mirror(VipsImage *in, VipsImage **out) { return vips_flip(in, out, CVIPS_DIRECTION_HORIZONTAL, NULL); }

int cvips_colour_managed(VipsImage *in, const void *profile, size_t count, VipsImage **out) {
  VipsImage *tagged = NULL;
  if (vips_copy(in, &tagged, NULL)) return -1;
  vips_image_set_blob_copy(tagged, CVIPS_ICC_NAME, profile, count);
  return then(
      vips_icc_transform(
          tagged, out, "srgb", "embedded", 1, "black_point_compensation", 1, "intent", CVIPS_INTENT_RELATIVE, NULL),
      tagged);
}

int cvips_in_colour(VipsImage *in, VipsImage **out) { return vips_colourspace(in, out, CVIPS_INTERPRETATION_SRGB, NULL); }

int cvips_flatten(VipsImage *in, const double ground[3], VipsImage **out) {
  VipsArrayDouble *colour = vips_array_double_new(ground, 3);
  int failed = vips_flatten(in, out, "background", colour, NULL);
  vips_area_unref((VipsArea *)colour);
  return failed;
}

// What is left of white light behind one ink is 1 - ink, and black ink dims all three: the product is what 'alpha on black'
// comes to.
int cvips_inks_on_white(VipsImage *in, VipsImage **out) {
  static const double black[3] = {0, 0, 0};
  VipsImage *light = NULL, *tagged = NULL;
  if (vips_invert(in, &light, NULL)) return -1;
  if (then(vips_copy(light, &tagged, "interpretation", CVIPS_INTERPRETATION_SRGB, NULL), light)) return -1;
  return then(cvips_flatten(tagged, black, out), tagged);
}

int cvips_embed(VipsImage *in, int left, int top, int width, int height, const double ground[3], VipsImage **out) {
  VipsArrayDouble *colour = vips_array_double_new(ground, 3);
  int failed = vips_embed(
      in, out, left, top, width, height, "extend", CVIPS_EXTEND_BACKGROUND, "background", colour, NULL);
  vips_area_unref((VipsArea *)colour);
  return failed;
}

void cvips_free(void *memory) { g_free(memory); }
void cvips_release_image(VipsImage *image) { g_object_unref(image); }
void cvips_release_region(VipsRegion *region) { g_object_unref(region); }
