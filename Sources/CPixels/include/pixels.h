// Pixel kernels. Samples are 8 bit and interleaved; strides are in bytes. Bands are 1 (grey), 3 (RGB)
// or 4 (RGB and straight alpha). The arithmetic is integer, so every machine gives the same pixels.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Raised with every change that changes pixels: it is part of what a thumbnail is known by.
#define PIXELS_VERSION 1

// --- resample.c ---------------------------------------------------------------------------------

/// Lanczos3, widened when shrinking; alpha is premultiplied on the way. Rows come in from the top as
/// they are decoded, and only as many are kept as the filter reaches.
typedef struct pixels_resampler pixels_resampler;

/// `spanX` × `spanY` is the part of the samples that the picture covers: all of them, or a fraction
/// less where a decoder rounded up to whole samples. NULL where memory is short. `to` outlives the
/// resampler.
pixels_resampler *_Nullable pixels_resampler_new(int width, int height, int bands, double spanX,
                                                 double spanY, uint8_t *_Nonnull to, int toWidth,
                                                 int toHeight);
/// Copies the rows it needs; all rows together are exactly the height.
void pixels_resampler_push(pixels_resampler *_Nonnull resampler, const uint8_t *_Nonnull rows,
                           size_t stride, int count);
void pixels_resampler_free(pixels_resampler *_Nullable resampler);

/// A whole picture; 0, or -1 where memory is short.
int pixels_resample(const uint8_t *_Nonnull from, int width, int height, int bands,
                    uint8_t *_Nonnull to, int toWidth, int toHeight);

/// The portable kernels only, to compare the vector ones with.
void pixels_force_portable(int portable);

// --- convert.c ----------------------------------------------------------------------------------

/// Applies an EXIF orientation (1…8); for 5…8 `to` is height × width.
void pixels_orient(const uint8_t *_Nonnull from, int width, int height, int bands, int orientation,
                   uint8_t *_Nonnull to);
/// 1 where every alpha of an RGBA picture is 255.
int pixels_is_opaque(const uint8_t *_Nonnull rgba, size_t pixels);
/// RGBA to RGB over a background.
void pixels_flatten(const uint8_t *_Nonnull rgba, size_t pixels, uint8_t red, uint8_t green,
                    uint8_t blue, uint8_t *_Nonnull rgb);
/// Grey and alpha to RGBA.
void pixels_expand_grey_alpha(const uint8_t *_Nonnull greyAlpha, size_t pixels,
                              uint8_t *_Nonnull rgba);

// --- cosine.c -----------------------------------------------------------------------------------

/// The cosine terms `cx * ny < nx * (ny - cy)` of a channel of at most 100 × 100 values, row after
/// row, the mean first; `nx` is at most 8.
void pixels_cosine_terms(const double *_Nonnull channel, int width, int height, int nx, int ny,
                         double *_Nonnull terms);

// --- draw.c: on RGB -----------------------------------------------------------------------------

typedef struct {
    uint8_t *_Nonnull rgb;
    int width, height;
} pixels_canvas;
typedef struct {
    float red, green, blue, alpha;  // colours 0…255, alpha 0…1
} pixels_paint;

void pixels_fill(pixels_canvas canvas, pixels_paint paint);
/// `stops` are position, red, green, blue; `dx`, `dy` the direction as a unit vector.
void pixels_gradient(pixels_canvas canvas, const float *_Nonnull stops, int count, double dx,
                     double dy);
/// Points are x, y; exact area coverage, non-zero winding. -1 where memory is short.
int pixels_polygon(pixels_canvas canvas, const double *_Nonnull points, int count,
                   pixels_paint paint);
/// Blends another picture in.
void pixels_blend(pixels_canvas canvas, const uint8_t *_Nonnull rgb, int width, int height, int x,
                  int y, float alpha);
