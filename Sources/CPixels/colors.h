// Between the functions for colors of planes and their kernels, which all give the same bytes.
#pragma once
#include "pixels.h"

typedef struct {
    void (*fromRGB)(const uint8_t *top, const uint8_t *bottom, int y, pixels_plane luma,
                    pixels_plane blue, pixels_plane red);
    int (*fromRGBA)(const uint8_t *top, const uint8_t *bottom, int y, pixels_plane luma,
                    pixels_plane blue, pixels_plane red, pixels_plane alpha, uint8_t *room);
    void (*toRGB)(pixels_plane luma, pixels_plane blue, pixels_plane red, uint8_t *rgb);
    void (*toRGBA)(pixels_plane luma, pixels_plane blue, pixels_plane red, pixels_plane alpha,
                   uint8_t *rgba);
    void (*applyMatrix)(const pixels_color_matrix *matrix, uint8_t *pixels, size_t count, int bands);
    // Multiplies the distance to `middle` with a factor in Q16, and adds `to` in Q16.
    void (*scale)(pixels_plane from, pixels_plane to, int middle, int factor, int bias);
    int (*isOpaque)(pixels_plane alpha);
    void (*weighLuma)(pixels_plane luma, pixels_plane alpha);
    void (*weighChroma)(pixels_plane chroma, pixels_plane alpha);
    void (*flattenLuma)(pixels_plane luma, pixels_plane alpha, int ground, pixels_plane to);
    void (*flattenChroma)(pixels_plane chroma, pixels_plane alpha, int ground, pixels_plane to);
} colors_kernels;

extern const colors_kernels colors_portable_kernels;
#if defined(__x86_64__)
extern const colors_kernels colors_avx2_kernels;
#endif
