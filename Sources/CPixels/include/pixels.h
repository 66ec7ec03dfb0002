// Pixel kernels. Samples are 8 bit and interleaved; strides are in bytes. Bands are 1 (gray), 3 (RGB)
// or 4 (RGB and straight alpha). The arithmetic is integer, so every machine gives the same pixels.
#pragma once
#include <stddef.h>
#include <stdint.h>

/// Raised with every change of pixels: it is part of a thumbnail's fingerprint.
#define PIXELS_VERSION 4

// --- planes.c: single channels, as JPEG and WebP have them ---------------------------------------

typedef struct {
    uint8_t *_Nonnull samples;
    int width, height;
    size_t stride;
} pixels_plane;

/// Output sample i is centered on `(i + 0.5) * scale + offset`, where input sample j covers j to j + 1.
typedef struct {
    double scale, offset;
} pixels_mapping;

/// Keeps filters and rows from one call to the next. Used by one thread at a time.
typedef struct pixels_plane_resampler pixels_plane_resampler;

/// Returns NULL if memory is short.
pixels_plane_resampler *_Nullable pixels_plane_resampler_new(void);
void pixels_plane_resampler_free(pixels_plane_resampler *_Nullable resampler);
/// Clears the rows that it keeps.
void pixels_plane_resampler_forget(pixels_plane_resampler *_Nonnull resampler);
/// Resamples with Lanczos3, widened for shrinking; returns 0, or -1 if memory is short.
int pixels_resample_plane(pixels_plane_resampler *_Nonnull resampler, pixels_plane from,
                          pixels_mapping across, pixels_mapping down, pixels_plane to);

/// Applies an EXIF orientation (1…8); for 5…8 `to` has its sides swapped.
void pixels_orient_plane(pixels_plane from, int orientation, pixels_plane to);
// --- colors.c: colors and alpha of planes ------------------------------------------------------------
// Colors of transparent pictures are weighed by alpha (premultiplied), so that they can be resampled.

/// Converts two rows of RGB to rows `y` and `y + 1` of YCbCr at 4:2:0; a color sample is the mean of four
/// pixels. The last row of an odd height is both.
void pixels_rgb_to_planes(const uint8_t *_Nonnull top, const uint8_t *_Nonnull bottom, int y,
                          pixels_plane luma, pixels_plane blue, pixels_plane red);
/// Converts two rows of straight RGBA to rows `y` and `y + 1` of weighed YCbCr at 4:2:0 and of alpha. The last
/// row of an odd height is both. Returns 1 if they are opaque. `room` has six bytes for each column.
int pixels_rgba_to_planes(const uint8_t *_Nonnull top, const uint8_t *_Nonnull bottom, int y,
                          pixels_plane luma, pixels_plane blue, pixels_plane red,
                          pixels_plane alpha, uint8_t *_Nonnull room);
/// Converts YCbCr, as JFIF has it, to RGB without gaps. A color sample stands for one pixel or for two each
/// way.
void pixels_planes_to_rgb(pixels_plane luma, pixels_plane blue, pixels_plane red,
                          uint8_t *_Nonnull rgb);
/// The same to RGBA, with the alpha of a plane.
void pixels_planes_to_rgba(pixels_plane luma, pixels_plane blue, pixels_plane red,
                           pixels_plane alpha, uint8_t *_Nonnull rgba);

/// Splits a row of four bands.
void pixels_split_ink(const uint8_t *_Nonnull row, int width, uint8_t *_Nonnull c,
                      uint8_t *_Nonnull m, uint8_t *_Nonnull y, uint8_t *_Nonnull k);
/// Joins four planes of the same size, without gaps.
void pixels_join_ink(pixels_plane c, pixels_plane m, pixels_plane y, pixels_plane k,
                     uint8_t *_Nonnull ink);

/// Steps of linear values from 0 to 1.
#define PIXELS_LINEAR_STEPS 8192

/// What a profile of three curves and a matrix makes of colors in sRGB.
typedef struct {
    /// For each band and byte its part of linear red, green and blue, in Q20. The fourth counts nothing.
    int32_t parts[3][256][4];
    /// The byte for each linear value from 0 to 1, in Q13.
    uint8_t encoded[PIXELS_LINEAR_STEPS + 1];
} pixels_color_matrix;
/// Returns the bytes for all linear values. Swift doesn't see an array of that length.
static inline uint8_t *_Nonnull pixels_encoded(pixels_color_matrix *_Nonnull matrix) {
    return matrix->encoded;
}
/// Converts RGB, or the colors of RGBA, in place.
void pixels_apply_color_matrix(const pixels_color_matrix *_Nonnull matrix, uint8_t *_Nonnull pixels,
                               size_t count, int bands);

/// Converts 0…255 to 16…235, into a plane of the same size.
void pixels_limit_luma(pixels_plane from, pixels_plane to);
/// Converts 0…255 to 16…240, around 128, into a plane of the same size.
void pixels_limit_chroma(pixels_plane from, pixels_plane to);
/// Converts 16…235 to 0…255, into a plane of the same size, or in place. What lies beyond is cut.
void pixels_unlimit_luma(pixels_plane from, pixels_plane to);
/// Converts 16…240 to 0…255, around 128, into a plane of the same size, or in place.
void pixels_unlimit_chroma(pixels_plane from, pixels_plane to);

/// Returns 1 if all samples are 255.
int pixels_is_opaque_plane(pixels_plane alpha);
/// Converts brightness from 16…235 to 0…255 and weighs it by alpha, in place.
void pixels_weigh_limited_luma(pixels_plane luma, pixels_plane alpha);
/// Converts a color at 4:2:0 from 16…240 to 0…255 and weighs it by the mean alpha of its pixels, in place.
void pixels_weigh_limited_chroma(pixels_plane chroma, pixels_plane alpha);
/// Makes weighed brightness straight, into a plane of the same size: black where it is transparent.
void pixels_straight_luma(pixels_plane luma, pixels_plane alpha, pixels_plane to);
/// Makes a weighed color at 4:2:0 straight: gray where all of its pixels are transparent.
void pixels_straight_chroma(pixels_plane chroma, pixels_plane alpha, pixels_plane to);
/// Lays weighed brightness over a ground, into a plane of the same size.
void pixels_flatten_luma(pixels_plane luma, pixels_plane alpha, int ground, pixels_plane to);
/// Lays a weighed color at 4:2:0 over a ground, into a plane of the same size.
void pixels_flatten_chroma(pixels_plane chroma, pixels_plane alpha, int ground, pixels_plane to);

/// The kernels of planes and colors, to compare them with each other.
typedef enum {
    PIXELS_PATH_BEST,
    PIXELS_PATH_AVX2,
    PIXELS_PATH_SSE2,
    PIXELS_PATH_PORTABLE,
} pixels_path;
void pixels_force_path(pixels_path path);

// --- convert.c ----------------------------------------------------------------------------------

/// Applies an EXIF orientation (1…8); for 5…8 `to` is height × width.
void pixels_orient(const uint8_t *_Nonnull from, int width, int height, int bands, int orientation,
                   uint8_t *_Nonnull to);
/// Returns 1 if every alpha of an RGBA picture is 255.
int pixels_is_opaque(const uint8_t *_Nonnull rgba, size_t pixels);
/// Converts RGBA to RGB over a background.
void pixels_flatten(const uint8_t *_Nonnull rgba, size_t pixels, uint8_t red, uint8_t green,
                    uint8_t blue, uint8_t *_Nonnull rgb);
/// Converts gray and alpha to RGBA.
void pixels_expand_gray_alpha(const uint8_t *_Nonnull grayAlpha, size_t pixels,
                              uint8_t *_Nonnull rgba);
/// Makes one row of half the width, rounded up, from two rows of 1 or 3 bands: each pixel is the mean of
/// four. Of an odd width the last column stands alone, or the first one if `firstAlone` is 1.
void pixels_halve(const uint8_t *_Nonnull top, const uint8_t *_Nonnull bottom, int width, int bands,
                  int firstAlone, uint8_t *_Nonnull to);
/// Makes gray black below `threshold`, else white.
void pixels_threshold(uint8_t *_Nonnull gray, size_t pixels, uint8_t threshold);

// --- cosine.c -----------------------------------------------------------------------------------

/// Computes the cosine terms `cx * ny < nx * (ny - cy)` of a channel of at most 100 × 100 values,
/// row after row, the mean first; `nx` and `ny` are at most 8.
void pixels_cosine_terms(const double *_Nonnull channel, int width, int height, int nx, int ny,
                         double *_Nonnull terms);
