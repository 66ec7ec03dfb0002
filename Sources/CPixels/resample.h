// Between the resampler and its kernels.
#pragma once
#include "pixels.h"

// Weights are Q14, intermediate samples Q6: 255 is 16320, which leaves room for what Lanczos
// overshoots.
enum { weightBits = 14, sampleBits = 6 };

typedef struct {
    // Weighs rows of 8-bit samples into Q6. `weights` are pairs, one in each half of an int32.
    void (*vertical8)(const uint8_t *const *rows, const int32_t *weights, int pairs, int samples,
                      int16_t *to);
    // The same from rows that are Q6 already.
    void (*vertical16)(const int16_t *const *rows, const int32_t *weights, int pairs, int samples,
                       int16_t *to);
    // Two rows at once to 8 bit; 1 or 3 bands. Reads past the end of the last pixel.
    void (*horizontal8)(const int16_t *const from[2], int bands, const int32_t *starts,
                        const int32_t *weights, int pairs, int width, uint8_t *const to[2]);
    // Two rows at once to Q6; 4 bands.
    void (*horizontal16)(const int16_t *const from[2], const int32_t *starts,
                         const int32_t *weights, int pairs, int width, int16_t *const to[2]);
} pixels_kernels;

extern const pixels_kernels pixels_portable_kernels;
#if defined(__x86_64__)
extern const pixels_kernels pixels_avx2_kernels;
#endif
