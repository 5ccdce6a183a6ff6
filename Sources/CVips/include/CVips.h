#ifndef CVips_h
#define CVips_h
// The few libvips and GLib functions that AvatarNormalize and BenchPictures use, declared here so that the build needs no pkg-config
// flags of theirs (vips.pc carries one that SwiftPM rejects). Variadic functions are pinned to one list of options in
// shim.c and paint.c. `CVipsDeclarationTests` compiles this file after the real headers, so that neither can drift.
#include <stddef.h>
#include <stdint.h>

typedef struct _VipsImage VipsImage;
typedef struct _VipsRegion VipsRegion;
typedef struct _VipsArea VipsArea;
typedef struct _VipsArrayDouble VipsArrayDouble;
typedef struct _GLogField GLogField;
typedef struct _GModule GModule;

int vips_init(const char *argv0);
int vips_version(int flag);
void vips_cache_set_max(int max);
void vips_concurrency_set(int concurrency);
void vips_vector_set_enabled(int enabled);
void vips_operation_block_set(const char *name, int state);
void vips_error_clear(void);
const char *vips_error_buffer(void);

int vips_pngload_buffer(void *bytes, size_t count, VipsImage **out, ...);
int vips_gifload_buffer(void *bytes, size_t count, VipsImage **out, ...);
int vips_webpload_buffer(void *bytes, size_t count, VipsImage **out, ...);
int vips_heifload_buffer(void *bytes, size_t count, VipsImage **out, ...);
int vips_svgload_buffer(void *bytes, size_t count, VipsImage **out, ...);
int vips_copy(VipsImage *in, VipsImage **out, ...);
int vips_cast(VipsImage *in, VipsImage **out, int format, ...);
int vips_extract_area(VipsImage *in, VipsImage **out, int left, int top, int width, int height, ...);
int vips_resize(VipsImage *in, VipsImage **out, double scale, ...);
int vips_rot(VipsImage *in, VipsImage **out, unsigned angle, ...);
int vips_flip(VipsImage *in, VipsImage **out, unsigned direction, ...);
int vips_icc_transform(VipsImage *in, VipsImage **out, const char *output_profile, ...);
int vips_colourspace(VipsImage *in, VipsImage **out, int space, ...);
int vips_invert(VipsImage *in, VipsImage **out, ...);
int vips_flatten(VipsImage *in, VipsImage **out, ...);
int vips_embed(VipsImage *in, VipsImage **out, int x, int y, int width, int height, ...);
int vips_jpegsave_buffer(VipsImage *in, void **bytes, size_t *count, ...);
int vips_perlin(VipsImage **out, int width, int height, ...);
int vips_gaussnoise(VipsImage **out, int width, int height, ...);
int vips_replicate(VipsImage *in, VipsImage **out, int across, int down, ...);
int vips_linear1(VipsImage *in, VipsImage **out, double factor, double offset, ...);
int vips_add(VipsImage *left, VipsImage *right, VipsImage **out, ...);
int vips_bandjoin2(VipsImage *in1, VipsImage *in2, VipsImage **out, ...);
int vips_pngsave_buffer(VipsImage *in, void **bytes, size_t *count, ...);
int vips_webpsave_buffer(VipsImage *in, void **bytes, size_t *count, ...);
int vips_gifsave_buffer(VipsImage *in, void **bytes, size_t *count, ...);
int vips_thumbnail_buffer(void *bytes, size_t count, VipsImage **out, int width, ...);
int vips_autorot(VipsImage *in, VipsImage **out, ...);
VipsImage *vips_image_new_from_buffer(const void *bytes, size_t count, const char *options, ...);
void *vips_image_write_to_memory(VipsImage *image, size_t *count);
VipsArrayDouble *vips_array_double_new(const double *array, int count);
void vips_area_unref(VipsArea *area);

int vips_image_get_width(const VipsImage *image);
int vips_image_get_height(const VipsImage *image);
int vips_image_get_bands(const VipsImage *image);
int vips_image_get_format(const VipsImage *image);
int vips_image_get_interpretation(const VipsImage *image);
int vips_image_hasalpha(VipsImage *image);
int vips_image_get_blob(const VipsImage *image, const char *name, const void **bytes, size_t *count);
void vips_image_set_blob_copy(VipsImage *image, const char *name, const void *bytes, size_t count);
void vips_image_set_int(VipsImage *image, const char *name, int value);
VipsImage *vips_image_new_from_memory(const void *bytes, size_t count, int width, int height, int bands, int format);
VipsRegion *vips_region_new(VipsImage *image);
unsigned char *vips_region_fetch(VipsRegion *region, int left, int top, int width, int height, size_t *count);

void g_object_unref(void *object);
void g_free(void *memory);
void g_log_set_writer_func(
    unsigned (*writer)(int level, const GLogField *fields, size_t count, void *context), void *context,
    void (*release)(void *));
GModule *g_module_open(const char *path, unsigned flags);

/// How a sample is stored.
typedef enum CVipsSample { CVIPS_UINT8, CVIPS_UINT16, CVIPS_OTHER_SAMPLE } CVipsSample;
/// What the first bands mean.
typedef enum CVipsColour { CVIPS_GREY, CVIPS_RGB, CVIPS_CMYK, CVIPS_OTHER_COLOUR } CVipsColour;
/// The decoders that are used; nothing else is unblocked.
typedef enum CVipsLoader { CVIPS_PNG, CVIPS_GIF, CVIPS_WEBP, CVIPS_HEIF, CVIPS_SVG } CVipsLoader;

/// Starts libvips without any of its loadable modules but the HEIF one. 0 on success.
int cvips_start(void);
/// Keeps libvips and what it stands on from writing to the log, whose writer would ask the kernel about its terminal.
void cvips_silence(void);
/// Opens a picture, to be read top to bottom; `scale` is for SVG only. NULL on failure.
VipsImage *cvips_load(CVipsLoader loader, const void *bytes, size_t count, double scale);
CVipsSample cvips_sample(const VipsImage *image);
CVipsColour cvips_colour(const VipsImage *image);
/// Copies rows out, tightly packed; NULL on failure. To be freed with cvips_free.
void *cvips_fetch(VipsRegion *region, int left, int top, int width, int height, size_t *count);

// Each of the following makes one new image out of another, which may be released at once: 0, or -1 without a result.

/// Looks at tightly packed 8-bit `pixels` (kept, not copied; inks: 255 = full).
int cvips_from_pixels(
    const void *pixels, size_t count, int width, int height, int bands, CVipsColour colour, VipsImage **out);
int cvips_crop(VipsImage *in, int left, int top, int width, int height, VipsImage **out);
/// The high byte of 16-bit samples.
int cvips_narrow(VipsImage *in, VipsImage **out);
/// Clockwise, 0…3 quarters of a turn.
int cvips_rotate(VipsImage *in, unsigned quarters, VipsImage **out);
/// Left becomes right.
int cvips_mirror(VipsImage *in, VipsImage **out);
/// From `profile` to sRGB; fails where the colour engine refuses the profile.
int cvips_colour_managed(VipsImage *in, const void *profile, size_t count, VipsImage **out);
/// Three bands out of one; an alpha stays.
int cvips_in_colour(VipsImage *in, VipsImage **out);
int cvips_flatten(VipsImage *in, const double ground[3], VipsImage **out);
/// Red, green and blue of inks without a profile, as browsers see them.
int cvips_inks_on_white(VipsImage *in, VipsImage **out);
int cvips_embed(VipsImage *in, int left, int top, int width, int height, const double ground[3], VipsImage **out);

// Painting (paint.c): the benchmark's pictures are made by these; the service calls none of them.

/// Perlin noise of -1…1, one band of real numbers: about one hill in each square of `cell` pixels.
int cvips_clouds(int width, int height, int cell, int seed, VipsImage **out);
/// Normally distributed noise around 0, one band of real numbers.
int cvips_grain(int width, int height, double sigma, int seed, VipsImage **out);
/// Side by side and one below the other, then cut to the size.
int cvips_tiled(VipsImage *in, int width, int height, VipsImage **out);
int cvips_times(VipsImage *in, double factor, VipsImage **out);
/// Sample by sample; one band is added to every band of the other.
int cvips_sum(VipsImage *left, VipsImage *right, VipsImage **out);
/// 8 bits a sample, sRGB.
int cvips_as_bytes(VipsImage *in, VipsImage **out);
int cvips_with_alpha(VipsImage *in, VipsImage *alpha, VipsImage **out);
/// Lanczos of three lobes where pixels become fewer, bicubic where they become more.
int cvips_resize(VipsImage *in, double across, double down, VipsImage **out);
/// Writers of one list of options each, the JPEG's tables optimized; results to be freed with cvips_free. 0 on success.
int cvips_save_jpeg(VipsImage *in, int quality, void **bytes, size_t *count);
int cvips_save_png(VipsImage *in, void **bytes, size_t *count);
int cvips_save_webp(VipsImage *in, int quality, void **bytes, size_t *count);
/// An animation; its frames are one below the other, `frame_height` pixels each.
int cvips_save_gif(VipsImage *in, int frame_height, void **bytes, size_t *count);

// What BenchNormalize compares with: libvips as its own users would call it, never as the worker does.

/// The centre square of a picture, `side` pixels wide and the right way up. 0 on success.
int cvips_thumbnail(const void *bytes, size_t count, int side, VipsImage **out);
/// As a JPEG with optimized tables, no metadata and transparency on white; to be freed with cvips_free. 0 on success.
int cvips_save_thumbnail(VipsImage *in, int quality, void **bytes, size_t *count);
/// All pixels of a picture, the right way up, tightly packed; NULL on failure. To be freed with cvips_free.
void *cvips_decode_whole(
    const void *bytes, size_t count, int *width, int *height, int *bands, size_t *decoded);

void cvips_free(void *memory);
void cvips_release_image(VipsImage *image);
void cvips_release_region(VipsRegion *region);
#endif
