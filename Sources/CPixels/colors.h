// Between the functions for colors of planes and their kernels, which all give the same bytes.
#pragma once
#include "pixels.h"

// A change of range: the distance to `middle` times a factor in Q16, and what is added to it in Q16.
typedef struct {
    int middle, factor, bias;
} colors_range;

typedef struct {
    void (*fromRGB)(const uint8_t *top, const uint8_t *bottom, int y, pixels_plane luma,
                    pixels_plane blue, pixels_plane red);
    int (*fromRGBA)(const uint8_t *top, const uint8_t *bottom, int y, pixels_plane luma,
                    pixels_plane blue, pixels_plane red, pixels_plane alpha, uint8_t *room);
    void (*toRGB)(pixels_plane luma, pixels_plane blue, pixels_plane red, uint8_t *rgb);
    void (*toRGBA)(pixels_plane luma, pixels_plane blue, pixels_plane red, pixels_plane alpha,
                   uint8_t *rgba);
    void (*applyMatrix)(const pixels_color_matrix *matrix, uint8_t *pixels, size_t count, int bands);
    void (*scale)(pixels_plane from, pixels_plane to, colors_range range);
    int (*isOpaque)(pixels_plane alpha);
    // After a change of range.
    void (*weighLuma)(pixels_plane luma, pixels_plane alpha, colors_range range);
    void (*weighChroma)(pixels_plane chroma, pixels_plane alpha, colors_range range);
    void (*flattenLuma)(pixels_plane luma, pixels_plane alpha, int ground, pixels_plane to);
    void (*flattenChroma)(pixels_plane chroma, pixels_plane alpha, int ground, pixels_plane to);
} colors_kernels;

extern const colors_kernels colors_portable_kernels;
#if defined(__x86_64__)
extern const colors_kernels colors_avx2_kernels;
#endif
