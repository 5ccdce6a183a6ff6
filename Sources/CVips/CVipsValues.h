#ifndef CVipsValues_h
#define CVipsValues_h
// The values of libvips' and GLib's constants that shim.c and paint.c use; the declaration test compares each with the real one.
enum {
  CVIPS_SEQUENTIAL = 1,
  CVIPS_FAIL_ON_TRUNCATED = 1,
  CVIPS_FORMAT_UCHAR = 0,
  CVIPS_FORMAT_USHORT = 2,
  CVIPS_INTERPRETATION_B_W = 1,
  CVIPS_INTERPRETATION_CMYK = 15,
  CVIPS_INTERPRETATION_RGB = 17,
  CVIPS_INTERPRETATION_SRGB = 22,
  CVIPS_INTERPRETATION_RGB16 = 25,
  CVIPS_INTERPRETATION_GREY16 = 26,
  CVIPS_INTENT_RELATIVE = 1,
  CVIPS_KERNEL_LANCZOS3 = 5,
  CVIPS_DIRECTION_HORIZONTAL = 0,
  CVIPS_EXTEND_BACKGROUND = 5,
  CVIPS_MODULE_BIND_LAZY = 1,
};
#define CVIPS_ICC_NAME "icc-profile-data"
#define CVIPS_PAGE_HEIGHT "page-height"
#endif
